"""A receiver on loopback that keeps what it is sent and answers what it is told."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Received:
    """One message as it arrived; header names in lower case."""

    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """The receiver; ``statuses`` are its answers in order, the last one for ever."""

    statuses: Sequence[int] = (204,)
    received: list[Received] = field(default_factory=list)

    def __post_init__(self) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.received.append(Received(headers, self.rfile.read(length)))
                position = min(len(outer.received), len(outer.statuses)) - 1
                self.send_response(outer.statuses[position])
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stops it."""
        self._server.shutdown()
        self._server.server_close()
