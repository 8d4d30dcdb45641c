"""A server on the loopback that answers as a test wants: well, badly, or not at all."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODELS = {"data": [{"id": "tiny", "owned_by": "someone"}]}
Answer = Callable[["Handler"], None]


def chat(text: object, reason: str = "stop") -> dict[str, Any]:
    """Return a response of chat completions."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
    return {"choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 7}}


class Handler(BaseHTTPRequestHandler):
    """Hands each request to what the test wants."""

    server: "Server"

    def do_GET(self) -> None:
        """Answer with the models."""
        self.server.seen.append((self.path, dict(self.headers), None))
        self.send(*self.server.models)

    def do_POST(self) -> None:
        """Answer as the test wants; the last answer again when there are no more."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if callable(answer):
            answer(self)
        elif isinstance(answer, tuple):
            self.send(*answer)
        else:
            self.send(200, chat(answer))

    def send(self, status: int, body: object, **headers: str) -> None:
        """Send a response; what is no bytes goes as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """The server: `answers` to chat completions, `models` as status and body, `seen` requests."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that have gone."""


@contextmanager
def hostile(*answers: Any, models: tuple[int, Any] = (200, MODELS)) -> Iterator[Server]:
    """Run a server that gives these answers while the block runs; `server.address` is where."""
    server = Server(("127.0.0.1", 0), Handler)
    server.answers, server.models, server.seen = list(answers), models, []  # type: ignore[attr-defined]
    server.address = f"http://127.0.0.1:{server.server_address[1]}/v1"  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
