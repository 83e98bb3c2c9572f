"""Readers of environment variables that name the variable and the accepted form when they fail.

Nothing here knows Django, so that a wrong variable is reported before Django starts.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")
# A name, not a number: addresses are what names are checked against.
_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"((?:{_LABEL}\.)*[a-z][a-z0-9-]{{0,62}})(?::([0-9]{{1,5}}))?")


class SettingError(ValueError):
    """Says which variable is wrong, the value seen and the form that is accepted."""

    code = "setting-not-usable"

    def __init__(self, *, name: str, seen: str, accepted: str) -> None:
        self.name = name
        self.seen = seen
        self.accepted = accepted
        super().__init__(f"{name} is {seen}; accepted: {accepted}.")


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """A PostgreSQL server and database as one URL names them; empty text where it says nothing."""

    name: str
    user: str
    password: str
    host: str
    port: str
    options: tuple[tuple[str, str], ...]


def read_text(name: str, default: str = "", *, environ: Mapping[str, str] = os.environ) -> str:
    """Returns the variable without outer blanks, the default where it is unset or blank."""
    return environ.get(name, "").strip() or default


def read_flag(name: str, default: bool, *, environ: Mapping[str, str] = os.environ) -> bool:
    """Returns a yes/no variable.

    **Raises** SettingError for any other word.
    """
    word = read_text(name, environ=environ).lower()
    if not word:
        return default
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise SettingError(name=name, seen=repr(word), accepted=", ".join(_TRUE + _FALSE))


def read_integer(
    name: str,
    default: int,
    *,
    minimum: int = 0,
    maximum: int = 2**31 - 1,
    environ: Mapping[str, str] = os.environ,
) -> int:
    """Returns a whole number within the bounds, both included.

    **Raises** SettingError for anything else.
    """
    text = read_text(name, environ=environ)
    if not text:
        return default
    accepted = f"a whole number from {minimum} to {maximum}"
    try:
        number = int(text)
    except ValueError:
        raise SettingError(name=name, seen=repr(text), accepted=accepted) from None
    if not minimum <= number <= maximum:
        raise SettingError(name=name, seen=repr(text), accepted=accepted)
    return number


def read_word(
    name: str,
    default: str,
    *,
    accepted: tuple[str, ...],
    environ: Mapping[str, str] = os.environ,
) -> str:
    """Returns one of the accepted words.

    **Raises** SettingError for any other word.
    """
    word = read_text(name, default, environ=environ).lower()
    if word not in accepted:
        raise SettingError(name=name, seen=repr(word), accepted=", ".join(accepted))
    return word


def read_words(
    name: str, default: tuple[str, ...] = (), *, environ: Mapping[str, str] = os.environ
) -> tuple[str, ...]:
    """Returns the words of a list separated by commas, blanks or both, in their order."""
    text = read_text(name, environ=environ)
    return tuple(text.replace(",", " ").split()) if text else default


def read_header_text(
    name: str, *, secret: bool = False, environ: Mapping[str, str] = os.environ
) -> str:
    """Returns a text that may stand in an HTTP header; a secret one may come from a file.

    **Raises** SettingError for anything but printable ASCII. A secret is never in the message.
    """
    text = read_secret(name, environ=environ) if secret else read_text(name, environ=environ)
    if text.isascii() and (text.isprintable() or not text):
        return text
    seen = "not of that form" if secret else ascii(text)
    raise SettingError(name=name, seen=seen, accepted="printable ASCII on one line")


def read_hosts(
    name: str, *, environ: Mapping[str, str] = os.environ
) -> tuple[tuple[str, int], ...]:
    """Returns the hosts of a list of ``host`` and ``host:port``, with 443 where no port stands.

    **Raises** SettingError for a word of another form.
    """
    hosts = []
    for word in read_words(name, environ=environ):
        match = _HOST.fullmatch(word.lower())
        port = int(match[2] or 443) if match else 0
        if not match or not 0 < port < 65_536:
            raise SettingError(
                name=name,
                seen=repr(word),
                accepted="host names such as docs.example or d.example:8443",
            )
        hosts.append((match[1], port))
    return tuple(hosts)


def read_file_path(name: str, *, environ: Mapping[str, str] = os.environ) -> str:
    """Returns the path of a file that is there, empty text where the variable is unset.

    **Raises** SettingError where nothing readable lies.
    """
    path = read_text(name, environ=environ)
    if path and not os.access(path, os.R_OK):
        raise SettingError(name=name, seen=repr(path), accepted="the path of a readable file")
    return path


def read_secret(name: str, *, environ: Mapping[str, str] = os.environ) -> str:
    """Returns a secret from NAME or from the file that NAME_FILE names; empty if neither is set.

    **Raises** SettingError when both are set, or the file cannot be read or is empty. The value
    itself is never part of the message.
    """
    value = read_text(name, environ=environ)
    path = read_text(f"{name}_FILE", environ=environ)
    if not path:
        return value
    if value:
        raise SettingError(
            name=name, seen=f"set beside {name}_FILE", accepted="one of the two, not both"
        )
    accepted = "the path of a readable file that holds the secret"
    try:
        secret = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise SettingError(name=f"{name}_FILE", seen=repr(path), accepted=accepted) from None
    if not secret:
        raise SettingError(name=f"{name}_FILE", seen=f"{path!r} (empty)", accepted=accepted)
    return secret


def read_database_url(
    name: str, *, environ: Mapping[str, str] = os.environ
) -> DatabaseAddress | None:
    """Returns the address that a postgres:// URL names, None where the variable is unset.

    **Raises** SettingError for another scheme, a missing database name or a port that is no number.
    The password is never part of the message.
    """
    text = read_secret(name, environ=environ)
    if not text:
        return None
    accepted = "postgres://USER:PASSWORD@HOST:PORT/DATABASE, options after '?'"
    parts = urlsplit(text)
    if parts.scheme not in ("postgres", "postgresql"):
        raise SettingError(name=name, seen=f"of scheme {parts.scheme!r}", accepted=accepted)
    database = unquote(parts.path.removeprefix("/"))
    if not database or "/" in database:
        raise SettingError(name=name, seen=f"with database name {database!r}", accepted=accepted)
    try:
        port = parts.port
    except ValueError:
        raise SettingError(
            name=name, seen="with a port that is no number", accepted=accepted
        ) from None
    options = tuple(parse_qsl(parts.query, keep_blank_values=True))
    # libpq takes a socket folder as ?host=/folder, because a URL's own host cannot hold a slash.
    hosts = [value for key, value in options if key == "host"]
    return DatabaseAddress(
        name=database,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        host=hosts[-1] if hosts else unquote(parts.hostname or ""),
        port="" if port is None else str(port),
        options=tuple((key, value) for key, value in options if key != "host"),
    )
