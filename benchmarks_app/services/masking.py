"""Masks what results say of people and machines: paths, hosts and all that pasted text hides."""

import math
import re
from functools import lru_cache

from benchmarks_app.domain.facts import OPEN_PREFIXES
from matrix.domain.redaction import mask_text

PATH_MASK = "‹path›"
_HOST_MASK = "‹host›"
_USER_MASK = "‹secret›@"
# The last part says what it is; of a model cache, all from the model's folder on.
_CACHED = r"(?:models|datasets)--[^\s\"',;|]+"
_PATH = re.compile(
    rf"(?<![\w:/.›~-])(?:/[\w.@+%~ ()‹›-]{{0,100}}?){{0,20}}?/(?P<cached>{_CACHED})"
    r"|(?<![\w:/.›~<-])/(?!v\d+(?:/|\b)|api/|dev/)(?:[\w.@+%~‹›-]+/)+(?P<tail>[\w.@+%~‹›-]*)"
    r"|\b[A-Za-z]:\\(?:[^\\\s\"']+\\)+(?P<windows>[^\\\s\"']*)"
)
_IN_URL = re.compile(
    r"(?P<scheme>(?<=[A-Za-z0-9+.-])://)(?P<user>[^\s/@]*@)?"
    r"(?P<host>\[[0-9a-fA-F:]+\]|[\w.-]+)(?P<port>:\d+)?"
)
_HOST_OPTION = re.compile(
    r"(?P<name>--?(?:host|server|hostname|server-host|ip|node|master-addr)[= ]\s*)"
    r"(?P<value>[A-Za-z0-9][\w.-]*)"
)
# Hosts that everybody knows tell nothing of a machine.
_PUBLIC = (
    ".huggingface.co", ".hf.co", ".hf-mirror.com", ".modelscope.cn", ".github.com",
    ".githubusercontent.com", ".docker.io", ".nvcr.io", ".ghcr.io", ".quay.io",
    ".openai.com", ".anthropic.com", ".googleapis.com", ".localhost",
)  # fmt: skip
_LOOPBACK = re.compile(r"^(?:127\.|0\.0\.0\.0$|\[::1?\]$|localhost$)")
# Short words, numbers and versions of three parts, which no mask is for.
_WORD = r"[A-Za-z0-9][A-Za-z0-9+-]{0,14}"
_HARMLESS = re.compile(rf"(?:{_WORD}|\d{{1,9}}(?:\.\d{{1,9}}){{1,2}})?(?: {_WORD})?")
_VERSIONS = ("version", ".driver", ".runtime", ".kernel")
_LONGEST_CACHED = 2_000
# Controls but tab and line ends; marks, embeddings, overrides and isolates of a direction.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def mask(text: str) -> str:
    """The text with masks; masking it again changes nothing."""
    if _HARMLESS.fullmatch(text):
        return text
    return _mask_short(text) if len(text) <= _LONGEST_CACHED else _mask(text)


@lru_cache(maxsize=8_192)
def _mask_short(text: str) -> str:
    return _mask(text)


def _mask(text: str) -> str:
    text = _PATH.sub(_masked_path, text)
    text = _IN_URL.sub(_masked_url, text)
    text = _HOST_OPTION.sub(_masked_option, text)
    return mask_text(text).text


def mask_fact(name: str, value: str) -> str:
    """A fact's value with masks; what people named themselves may be a secret by its name.

    ``env.HF_TOKEN`` hides all of its value.
    """
    if name.endswith(_VERSIONS):
        # Four numbers with dots are an address, unless something says that they are a version.
        return mask(f"version {value}").removeprefix("version ")
    if not name.startswith(OPEN_PREFIXES):
        return mask(value)
    key = name.partition(".")[2]
    return mask(f"{key}={value}").partition("=")[2]


def _masked_path(found: re.Match[str]) -> str:
    tail = found["cached"] or found["tail"] or found["windows"] or ""
    return f"{PATH_MASK}/{tail}" if tail else PATH_MASK


def _masked_url(found: re.Match[str]) -> str:
    host = found["host"]
    is_open = _LOOPBACK.match(host) or f".{host}".endswith(_PUBLIC)
    # Before the host stand a name and a password, whosever the host is.
    user = _USER_MASK if found["user"] else ""
    return f"{found['scheme']}{user}{host if is_open else _HOST_MASK}{found['port'] or ''}"


def _masked_option(found: re.Match[str]) -> str:
    if _LOOPBACK.match(found["value"]):
        return found[0]
    return f"{found['name']}{_HOST_MASK}"


def storable(value: object) -> object:
    """A JSON value that the database takes: no NUL, no lone surrogate, no NaN or Infinity.

    What JSON cannot say is kept as the word that the file wrote.
    """
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, dict):
        return {storable_text(str(key)): storable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(inner) for inner in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return storable_text(str(value))


def storable_text(text: str) -> str:
    """A text that the database takes and that pages and tables show as it is.

    Control characters, and marks that turn the direction of what follows, are kept as visible
    names: unseen they would make one name look like another.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(_name_unseen, text).encode("utf-8", "replace").decode("utf-8")


def _name_unseen(found: re.Match[str]) -> str:
    code = ord(found[0])
    # The pictures of control characters stand in their order.
    return chr(0x2400 + code) if code < 0x20 else f"‹U+{code:04X}›"
