"""Web addresses, read so narrowly that no two readers can understand them differently."""

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from ingest.fetching.errors import FailureCode, FetchFailed

LONGEST_URL = 2_000
_DEFAULT_PORTS = {"http": 80, "https": 443}
_SHAPE = re.compile(
    r"(?P<scheme>https?)://(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<target>[/?][!-~]*)?"
)


@dataclass(frozen=True, slots=True)
class Location:
    """A web address in parts.

    **Shapes**: ``host`` in lower case and without brackets; ``target`` is path and query, at least
    ``/``, never a fragment.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host and port as the Host header wants them: the usual port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.authority}{self.target}"


def parse_location(url: str) -> Location:
    """Returns an address in parts.

    **Raises** FetchFailed: bad-url, credentials-in-url, scheme-not-allowed.
    """
    if len(url) > LONGEST_URL:
        problem = f"it has {len(url)} characters, more than {LONGEST_URL}"
        raise FetchFailed(FailureCode.BAD_URL, url=show_url(url[:200]), problem=problem)
    bare = url.partition("#")[0]
    scheme, separator, rest = bare.partition("://")
    if separator and scheme.lower() not in _DEFAULT_PORTS:
        raise FetchFailed(
            FailureCode.SCHEME_NOT_ALLOWED,
            url=show_url(url),
            host=re.split(r"[/?]", rest)[0][:200] or "any host",
            seen=scheme[:40],
            accepted="https",
        )
    if "@" in re.split(r"[/?\\]", rest)[0]:
        raise FetchFailed(FailureCode.CREDENTIALS_IN_URL, url=show_url(url))
    match = _SHAPE.fullmatch(scheme.lower() + separator + rest)
    if match is None or int(match["port"] or 1) not in range(1, 65_536):
        raise FetchFailed(FailureCode.BAD_URL, url=show_url(url), problem="it is not of that form")
    target = match["target"] or "/"
    return Location(
        scheme=match["scheme"],
        host=match["host"].strip("[]").lower(),
        port=int(match["port"] or _DEFAULT_PORTS[match["scheme"]]),
        target=target if target.startswith("/") else f"/{target}",
    )


def join_location(here: Location, header: str) -> str:
    """Returns the address that a Location header names, seen from ``here``, as ASCII text."""
    # Header bytes arrive as Latin-1; what is beyond ASCII there is UTF-8 in practice.
    raw = header.strip().encode("latin-1", "replace")
    printable = "".join(map(chr, range(0x21, 0x7F)))
    try:
        return urljoin(here.url, quote(raw, safe=printable))
    except ValueError:
        # Brackets that hold no IPv6 address; parse_location then says what is wrong.
        return quote(raw, safe=printable)


def show_url(url: str) -> str:
    """Returns an address fit for a message: on one line, short, without credentials."""
    printable = "".join(character if character.isprintable() else "�" for character in url)
    shown = re.sub(r"(?<=://)[^/?#\\]*@", "…@", printable)
    return shown if len(shown) <= 300 else f"{shown[:299]}…"
