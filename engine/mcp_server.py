"""The Model Context Protocol on standard input and output. The only module that imports `mcp`, which is an extra.

While it serves, the SDK keeps standard output for the protocol; whatever else writes there goes to standard error.
"""

import asyncio
from importlib.metadata import version
from typing import Any

from grammar import TezError
from prompt.words import Language, error_text

from .desk import Desk
from .render import json_text
from .session import RequestError

INSTALL = "pip install 'tez-analyst[mcp]'"

try:
    import mcp_types as types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
except ImportError as error:
    raise RequestError("no_mcp", found=error.name, install=INSTALL) from error


def serve(desk: Desk, language: Language, shown: int) -> None:
    """Answer the calls of the program at the other end until it goes. A call that fails is an error with our words."""

    async def offered(context: Any, asked: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(name=name, description=description, input_schema=schema)
                for name, (description, schema) in desk.offered().items()
            ]
        )

    async def called(context: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            found = await asyncio.to_thread(desk.call, asked.name, asked.arguments or {})
        except TezError as error:
            return _result(error_text(error, language, shown=shown), is_error=True)
        return _result(json_text(found), structured_content=found)

    server = Server("tez", version=version("tez-analyst"), on_list_tools=offered, on_call_tool=called)

    async def serving() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    asyncio.run(serving())


def _result(text: str, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], **more)
