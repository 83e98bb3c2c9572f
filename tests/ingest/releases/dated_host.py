"""A code host on loopback that answers as it would have at a moment: what is later is not there."""

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ingest.domain.feeds import Feed, FeedKind

PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class Published:
    """One release or, without a release, one tag."""

    tag: str
    at: datetime
    commit: str = ""
    prerelease: bool = False
    released: bool = True

    @property
    def sha(self) -> str:
        """The commit in full."""
        return hashlib.sha1(self.tag.encode(), usedforsecurity=False).hexdigest()


@dataclass
class DatedHost:
    """Repositories by name and what each published when; ``now`` is the host's clock.

    **Shapes**: ``about`` are further fields of a repository; ``readmes`` its README and the day of
    its newest commit; ``special`` may answer a path before anything else does.
    """

    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    published: dict[str, list[Published]] = field(default_factory=dict)
    about: dict[str, dict[str, Any]] = field(default_factory=dict)
    readmes: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    annotated: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    not_modified: int = 0
    special: Callable[[str, Any], tuple[int, Any] | None] = lambda path, headers: None
    url: str = ""

    def visible(self, repository: str) -> list[Published]:
        """What is published by now, newest first."""
        found = [p for p in self.published.get(repository, []) if p.at <= self.now]
        return sorted(found, key=lambda p: p.at, reverse=True)

    def answer(self, path: str, query: dict[str, list[str]]) -> tuple[int, Any, str]:
        """Status, value and Link header for a path of the interface."""
        _, owner, name, *rest = path.strip("/").split("/")
        repository = f"{owner}/{name}"
        seen = self.visible(repository)
        if not rest:
            return 200, self._repository(repository, seen), ""
        if rest == ["releases"]:
            items = [self._release(p) for p in seen if p.released]
            return self._paged(path, query, items)
        if rest == ["tags"]:
            items = [{"name": p.tag, "commit": {"sha": p.sha}} for p in seen]
            items.sort(key=lambda item: str(item["name"]), reverse=True)
            return self._paged(path, query, items)
        if rest[:3] == ["git", "ref", "tags"]:
            return self._reference(seen, "/".join(rest[3:]))
        if rest[:2] == ["git", "tags"]:
            found = next((p for p in seen if p.sha[::-1] == rest[2]), None)
            return self._tag_object(found)
        if rest[0] == "commits" and len(rest) == 2:
            found = next((p for p in seen if p.sha == rest[1]), None)
            return (200, _commit(found.sha, found.at), "") if found else (404, {}, "")
        return self._readme(repository, rest)

    def _repository(self, repository: str, seen: list[Published]) -> dict[str, Any]:
        pushed = seen[0].at.isoformat() if seen else None
        return {
            "full_name": repository, "archived": False, "default_branch": "main",
            "pushed_at": pushed, "html_url": f"https://code.example/{repository}",
            **self.about.get(repository, {}),
        }  # fmt: skip

    def _release(self, item: Published) -> dict[str, Any]:
        return {
            "tag_name": item.tag, "draft": False, "prerelease": item.prerelease,
            "created_at": (item.at - timedelta(days=1)).isoformat(),
            "published_at": item.at.isoformat().replace("+00:00", "Z"),
            "html_url": f"https://code.example/releases/{item.tag}",
        }  # fmt: skip

    def _paged(
        self, path: str, query: dict[str, list[str]], items: list[Any]
    ) -> tuple[int, Any, str]:
        page = int(query.get("page", ["1"])[0])
        start = (page - 1) * PER_PAGE
        more = len(items) > start + PER_PAGE
        address = f"{self.url}{path}?per_page={PER_PAGE}&page={page + 1}"
        return 200, items[start : start + PER_PAGE], f'<{address}>; rel="next"' if more else ""

    def _reference(self, seen: list[Published], tag: str) -> tuple[int, Any, str]:
        found = next((p for p in seen if p.tag == tag), None)
        if found is None:
            return 404, {}, ""
        target = (
            {"type": "tag", "sha": found.sha[::-1]}
            if tag in self.annotated
            else {"type": "commit", "sha": found.sha}
        )
        return 200, {"ref": f"refs/tags/{tag}", "object": target}, ""

    def _tag_object(self, found: Published | None) -> tuple[int, Any, str]:
        if found is None:
            return 404, {}, ""
        value = {
            "tag": found.tag, "tagger": {"date": found.at.isoformat()},
            "object": {"type": "commit", "sha": found.sha},
        }  # fmt: skip
        return 200, value, ""

    def _readme(self, repository: str, rest: list[str]) -> tuple[int, Any, str]:
        import base64

        if repository not in self.readmes:
            return 404, {}, ""
        text, at = self.readmes[repository]
        if rest == ["commits"]:
            return 200, [_commit("c" * 40, at)], ""
        content = base64.b64encode(text.encode()).decode()
        value = {"path": "README.md", "content": content, "encoding": "base64",
                 "html_url": f"https://code.example/{repository}/README.md"}  # fmt: skip
        return 200, value, ""


def _commit(sha: str, at: datetime) -> dict[str, Any]:
    return {"sha": sha, "commit": {"committer": {"date": at.isoformat()}}}


class RunningDatedHost:
    """A dated host that listens; closed by its owner."""

    def __init__(self, host: DatedHost) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                host.asked.append(self.path)
                special = host.special(self.path, self.headers)
                link = ""
                if special is not None:
                    status, value = special
                else:
                    status, value, link = host.answer(parts.path, parse_qs(parts.query))
                body = json.dumps(value).encode()
                etag = f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'
                same = status == 200 and self.headers.get("If-None-Match") == etag
                host.not_modified += same
                self.send_response(304 if same else status)
                self.send_header("ETag", etag)
                if link:
                    self.send_header("Link", link)
                if not same:
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if not same:
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


def host_feed(
    url: str, framework: str, repository: str, *, cadence: timedelta = timedelta(hours=1)
) -> Feed:
    """The feed of a code host at an address of this machine."""
    base = url + "/repos/{repository}"
    return Feed(
        name=f"{framework}-code-host",
        kind=FeedKind.CODE_HOST,
        framework=framework,
        repository=repository,
        cadence=cadence,
        media_types=("application/json",),
        endpoints=(base, base + "/releases?per_page=100", base + "/tags?per_page=100"),
    )
