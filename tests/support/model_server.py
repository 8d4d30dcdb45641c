"""llama-cpp-python's own server as a process, begun by the file that the page of servers gives for it."""

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from transcripts import page

LONGEST = 60
OPTIONS = ["--n_ctx", "8192", "--n_batch", "128", "--n_threads", "2", "--model_alias", "tez-test"]


@contextmanager
def serving(model: Path, folder: Path) -> Iterator[str]:
    """Run a server with a model while the block runs; it gives the address. Files of the page go into the folder."""
    page("servers.md").put(folder)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, folder / "serve.py", "--model", model, "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([*command, *OPTIONS], stdout=log, stderr=log)
        try:
            ends = time.monotonic() + LONGEST
            while not listens(port):
                assert server.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < ends
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()
            server.wait()


def listens(port: int) -> bool:
    """Return whether the server at a port of this machine answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/v1/models")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
