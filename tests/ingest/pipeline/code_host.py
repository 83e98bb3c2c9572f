"""A small code host on loopback: trees and files of references, with ETags, counting requests."""

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from ingest.domain.feeds import AcceptPolicy, Feed, FeedKind, LivePage

REPOSITORY = "example/engine"
Answer = tuple[int, bytes, str]


@dataclass
class CodeHost:
    """What the host holds and what it was asked; ``before`` may hold an answer back or replace it.

    **Shapes**: ``trees`` by reference and path; ``pages`` of a live site by path.
    """

    trees: dict[str, dict[str, str]] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    heads: dict[str, tuple[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    not_modified: int = 0
    before: Callable[[str], Answer | None] = lambda path: None
    url: str = ""

    def answer(self, path: str) -> Answer:
        """Status, body and media type for a path."""
        special = self.before(path)
        if special is not None:
            return special
        parts = path.strip("/").split("/")
        if parts[:3] == ["repos", *REPOSITORY.split("/")]:
            return self._interface(parts[3:])
        if parts[0] == "raw":
            text = self.trees.get(parts[3], {}).get("/".join(parts[4:]))
            return _page(text)
        return _page(self.pages.get(path), media_type="text/html")

    def _interface(self, parts: list[str]) -> Answer:
        if parts[:2] == ["git", "trees"] and parts[2] in self.trees:
            tree = [
                {"path": name, "type": "blob", "sha": blob_of(text)}
                for name, text in self.trees[parts[2]].items()
            ]
            return _json({"sha": parts[2], "tree": tree, "truncated": False})
        if parts[:1] == ["commits"] and parts[1] in self.heads:
            sha, moment = self.heads[parts[1]]
            return _json({"sha": sha, "commit": {"committer": {"date": moment}}})
        if not parts:
            return _json({"full_name": REPOSITORY, "archived": False})
        return 404, b"{}", "application/json"


def _page(text: str | None, media_type: str = "text/plain") -> Answer:
    return (404, b"no", media_type) if text is None else (200, text.encode(), media_type)


def _json(value: object) -> Answer:
    return 200, json.dumps(value).encode(), "application/json"


def blob_of(text: str) -> str:
    """The name that git gives to a text."""
    data = text.encode()
    return hashlib.sha1(f"blob {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()


class RunningHost:
    """A code host that listens; closed by its test."""

    def __init__(self, host: CodeHost) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = urlsplit(self.path).path
                host.asked.append(path)
                status, body, media_type = host.answer(path)
                etag = f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'
                if status == 200 and self.headers.get("If-None-Match") == etag:
                    host.not_modified += 1
                    self.send_response(304)
                    self.send_header("ETag", etag)
                    self.end_headers()
                    return
                self.send_response(status)
                self.send_header("Content-Type", media_type)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("ETag", etag)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                """Says nothing: the tests look at ``asked``."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        host.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        """Ends the server."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def tag_feed(url: str, **changes: Any) -> Feed:
    """A feed of documentation at the tags of the host's repository."""
    feed = Feed(
        name="vllm-test-tags",
        kind=FeedKind.DOCUMENTATION_AT_TAG,
        framework="vllm",
        sources=("vllm-docs",),
        repository=REPOSITORY,
        cadence=timedelta(hours=6),
        media_types=("text/plain", "text/html"),
        listing_url=url + "/repos/{repository}/git/trees/{ref}?recursive=1",
        page_url=url + "/raw/{repository}/{ref}/{path}",
        public_url="https://code.example/{repository}/blob/{ref}/{path}",
        label="{version}",
        policy=AcceptPolicy(share_held_above=0.5),
    )
    return replace(feed, **changes)


def site_feed(url: str, path: str, **changes: Any) -> Feed:
    """A feed of one page of a live site."""
    feed = Feed(
        name="vllm-test-site",
        kind=FeedKind.DOCUMENTATION_LIVE,
        framework="vllm",
        sources=("vllm-docs",),
        cadence=timedelta(hours=24),
        media_types=("text/html",),
        label="live-{day}-{digest}",
        pages=(LivePage(path=path, url=url + "/live"),),
        policy=AcceptPolicy(share_held_above=0.5),
    )
    return replace(feed, **changes)
