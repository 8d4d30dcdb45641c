"""`tez mcp` as a process, with the client of the official SDK at the other end."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, TEZ
from hostile_server import hostile
from mcp import Client, StdioServerParameters

from engine import exit_codes

PLAN = '{"steps":[{"tool":"sort","args":{"by":"b","descending":true}}]}'
STEPS = json.loads(PLAN)["steps"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1\ny,2\n")
    (tmp_path / "secret.csv").write_text("password\nhunter2\n")
    return path


def served(use: Callable[[Client], Awaitable[None]], *arguments: object) -> None:
    command, *rest = TEZ
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    server = StdioServerParameters(command=command, args=[*rest, "mcp", *map(str, arguments)], env=environment)

    async def talk() -> None:
        async with Client(server, read_timeout_seconds=60) as client:
            await use(client)

    asyncio.run(talk())


def text(result: Any) -> str:
    return "".join(part.text for part in result.content)


def test_ask_run_and_profile(table: Path) -> None:
    async def use(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["ask", "run", "profile"]
        asked = await client.call_tool("ask", {"request": "sort by b"})
        assert not asked.is_error, text(asked)
        assert asked.structured_content["rows"] == [["y", 2], ["x", 1]]
        assert json.loads(text(asked)) == asked.structured_content
        ran = await client.call_tool("run", {"steps": STEPS, "table": "t"})
        assert ran.structured_content["rows"] == asked.structured_content["rows"]
        profiled = await client.call_tool("profile", {"table": "t"})
        assert [column["column"] for column in profiled.structured_content["tables"][0]["columns"]] == ["a", "b"]

    with hostile(PLAN) as model:
        served(use, table, "--model", model.address)


def test_only_what_was_opened_can_be_reached(table: Path) -> None:
    other = table.parent / "secret.csv"
    names = [
        str(other), "secret", "../secret.csv", f"read_csv('{other}')",
        't" UNION SELECT * FROM read_csv(\'secret.csv\')--',
        "information_schema.tables", "_step_1", "", "file://" + str(other),
    ]  # fmt: skip

    async def use(client: Client) -> None:
        for name in names:
            for tool, more in (("profile", {}), ("run", {"steps": STEPS})):
                result = await client.call_tool(tool, {"table": name, **more})
                assert result.is_error, name
                assert "hunter2" not in text(result)
                assert "password" not in text(result)
            column = [{"tool": "sort", "args": {"by": name, "descending": True}}]
            assert (await client.call_tool("run", {"steps": column})).is_error
            join = [{"tool": "append_table", "args": {"table": name}}]
            assert (await client.call_tool("run", {"steps": join})).is_error
        for wrong in ({}, {"steps": []}, {"steps": STEPS, "path": str(other)}, {"steps": STEPS, "table": 5}):
            result = await client.call_tool("run", wrong)
            assert result.is_error
            assert "arguments are wrong" in text(result)
        exported = await client.call_tool("run", {"steps": [{"tool": "export", "args": {"format": "csv"}}]})
        assert not exported.is_error, text(exported)
        assert (await client.call_tool("run", {"steps": STEPS})).structured_content["row_count"] == 2

    served(use, table)
    assert sorted(path.name for path in table.parent.iterdir()) == ["secret.csv", "t.csv"]


def test_results_are_bounded_and_errors_have_our_words(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("a,b\n" + "".join(f"{'x' * 100}{row},{row}\n" for row in range(500)))
    bounds = tmp_path / "settings.json"
    bounds.write_text(json.dumps({"mcp": {"rows": 300, "result_bytes": 9000}}))

    async def use(client: Client) -> None:
        result = await client.call_tool("run", {"steps": STEPS})
        assert len(text(result).encode()) <= 9000
        found = result.structured_content
        assert found["row_count"] == 500
        assert found["left_out"] == {"rows": 500 - len(found["rows"])}
        wrong = await client.call_tool("run", {"steps": [{"tool": "sort", "args": {"by": "c", "descending": True}}]})
        assert wrong.is_error
        assert "устун" in text(wrong) or "столбца «c»" in text(wrong)

    served(use, path, "--settings", bounds, "--lang", "ru")


def test_standard_output_is_the_protocol_alone(table: Path) -> None:
    asked = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    done = subprocess.run(
        [*TEZ, "mcp", str(table)],
        input=json.dumps(asked) + "\nno json\n",
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == exit_codes.ANSWERED, done.stderr
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in done.stdout.splitlines())
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "tez"


def test_without_the_extra_the_error_says_what_to_install(table: Path) -> None:
    code = "import sys; sys.modules['mcp_types'] = None; from engine.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "mcp", str(table), "--lang", "en"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == exit_codes.USAGE, done.stderr
    assert "pip install 'tez-analyst[mcp]'" in done.stderr
    assert done.stdout == ""
