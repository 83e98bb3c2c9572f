"""Masks what must not be shown of pasted terminal text: secrets, people, machines, addresses.

The words around a value decide what it is, so versions of four numbers stay while addresses go. A
mask names the kind of what it hides; masking a masked text changes nothing.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Hidden(StrEnum):
    """What a mask hides."""

    SECRET = "secret"
    USER = "user"
    HOST = "host"
    ADDRESS = "address"
    MAIL = "mail"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without what must not be shown, and how often what was hidden."""

    text: str
    hidden: Mapping[Hidden, int]


def _mask(kind: Hidden) -> str:
    return f"‹{kind.value}›"


_NOT_MASKED = r"(?![\"']?‹)"
# Names of variables and options whose value is a secret. A run of letters is looked at once, from
# its start: a text of nothing but such words would else be searched from each of them anew.
_SECRET_NAME = (
    r"(?<![A-Za-z0-9_.-])(?=[A-Za-z0-9_.-]*?(?:token|secret|passw(?:or)?d|passwd|api[_-]?key|"
    r"apikey|access[_-]?key|private[_-]?key|credential|auth[_-]?key|session[_-]?key))"
    r"[A-Za-z0-9_.-]++"
)
# Names that only sound so: limits and counts of model tokens, paths of tokenizers.
_NO_SECRET = re.compile(
    r"(?i)token(?:s|izer|ize|ization|iz)|(?:max|num|min|total|prompt|output|input|eos|bos|pad|"
    r"per|batched)[_-]?(?:\w+[_-])?token|token[_-]?(?:id|count|len|length|limit|mask|type)"
)
_KNOWN_SECRETS = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{16,}|sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|"
    r"github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|"
    r"AKIA[A-Z0-9]{12,}|ASIA[A-Z0-9]{12,}|AIza[A-Za-z0-9_-]{30,}|nvapi-[A-Za-z0-9_-]{16,}|"
    r"rp_[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{20,}|dckr_pat_[A-Za-z0-9_-]{16,}|"
    r"eyJ[A-Za-z0-9_-]{8,2000}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*)"
)
_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
_BEARER = re.compile(
    rf"(?i)\b(authorization\s*:\s*\w+|bearer|basic)\s+{_NOT_MASKED}[\w.~+/=-]{{8,}}"
)
_NAMED_SECRET = re.compile(
    rf"(?i)(?P<name>{_SECRET_NAME})(?P<sign>[\"']?\s*[=:]\s*|\s+)"
    rf"(?P<value>{_NOT_MASKED}\"[^\"\n]+\"|{_NOT_MASKED}'[^'\n]+'|{_NOT_MASKED}[^\s\"',;]+)"
)
_IN_ADDRESS = re.compile(r"(?P<scheme>(?<=[A-Za-z0-9+.-])://)[^\s/@:‹]+(?::[^\s/@]*)?@")
_MAIL = re.compile(r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b")
_PROMPT = re.compile(
    r"\b(?P<user>[a-z_][a-z0-9_-]{0,31})@(?!sha\d)(?P<host>[A-Za-z0-9][\w.-]*)(?=[:\s~#$\]])"
)
_HOME = re.compile(
    r"(?P<root>/home/|/Users/|/data/home/|(?:/run)?/media/|[A-Za-z]:\\Users\\)(?P<user>[^\s/\\:\"'‹]+)"
)
_USER_NAMED = re.compile(
    r"(?P<name>\b(?:USER|USERNAME|LOGNAME|SUDO_USER|User ?name|Login)\b\s*[=:]\s*)"
    r"(?P<value>[^\s\"',;‹]+)"
)
_HOST_NAMED = re.compile(
    r"(?i)(?P<name>\b(?:host ?name|node ?name|server[_ ]name|static hostname|fqdn|"
    r"master[_-]addr|HOST)\b\s*[=:]\s*)(?P<value>[^\s\"',;‹]+)"
)
_HOST_PRIVATE = re.compile(
    r"\b[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){0,8}"
    r"\.(?:internal|local|lan|corp|intra|intranet|home)\b"
)
_UNAME = re.compile(r"(?m)^(?P<name>Linux )(?P<value>[A-Za-z0-9][\w.-]*)(?= \d+\.\d+)")
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
# Four numbers with dots are a version where the word before says so.
_VERSION_BEFORE = re.compile(
    r"(?i)(?:version|release|driver|ver|v|==|>=|<=|~=|@|-|_|cu\d*)[\s:=\"'|]*$"
)
_IP4 = re.compile(rf"(?<![\w.]){_OCTET}(?:\.{_OCTET}){{3}}(?![\w.]*\w)(?::\d{{1,5}})?")
_OPEN_ADDRESSES = ("127.", "0.0.0.0", "255.255.")
_IP6 = re.compile(
    r"(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:){4,7}(?::|[0-9A-Fa-f]{1,4})(?:/\d+)?(?![\w:])"
    r"|(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){1,6}:(?:[0-9A-Fa-f]{1,4}:?){1,6}(?![\w:])"
)
_MAC = re.compile(r"(?<![\w:-])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![\w:-])")
_DEVICE = re.compile(
    r"\b(?:GPU|MIG)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|(?P<name>(?i:\bserial(?: number| no\.?)?|board id|vbios uuid)\s*[=:]\s*)(?P<value>[^\s‹]+)"
)


def mask_text(text: str) -> Masked:
    """The text with masks for secrets, users, hosts, addresses, mails and single devices."""
    hidden: Counter[Hidden] = Counter()

    def hide(
        pattern: re.Pattern[str], kind: Hidden, keep: Callable[[re.Match[str]], str | None]
    ) -> None:
        nonlocal text

        def replaced(found: re.Match[str]) -> str:
            kept = keep(found)
            if kept is None:
                return found[0]
            hidden[kind] += 1
            return f"{kept}{_mask(kind)}"

        text = pattern.sub(replaced, text)

    hide(_KEY_BLOCK, Hidden.SECRET, lambda found: "")
    hide(_KNOWN_SECRETS, Hidden.SECRET, lambda found: "")
    hide(_BEARER, Hidden.SECRET, lambda found: f"{found[1]} ")
    hide(_NAMED_SECRET, Hidden.SECRET, _before_secret)
    text = _IN_ADDRESS.sub(_counted(hidden, Hidden.SECRET, r"\g<scheme>{}@"), text)
    hide(_MAIL, Hidden.MAIL, lambda found: "")
    text = _PROMPT.sub(_counted(hidden, Hidden.USER, f"{{}}@{_mask(Hidden.HOST)}"), text)
    hide(_HOME, Hidden.USER, lambda found: found["root"])
    hide(_USER_NAMED, Hidden.USER, lambda found: found["name"])
    hide(_HOST_NAMED, Hidden.HOST, _before_host)
    hide(_UNAME, Hidden.HOST, lambda found: found["name"])
    hide(_HOST_PRIVATE, Hidden.HOST, lambda found: "")
    hide(_MAC, Hidden.ADDRESS, lambda found: "")
    hide(_IP4, Hidden.ADDRESS, _before_address)
    hide(_IP6, Hidden.ADDRESS, _before_long_address)
    hide(_DEVICE, Hidden.DEVICE, lambda found: found["name"] or "")
    return Masked(text, dict(hidden))


def _counted(
    hidden: Counter[Hidden], kind: Hidden, template: str
) -> Callable[[re.Match[str]], str]:
    """A replacement that keeps parts of what was found around the mask, and counts."""

    def replaced(found: re.Match[str]) -> str:
        hidden[kind] += 1
        return found.expand(template.format(_mask(kind)))

    return replaced


def _before_secret(found: re.Match[str]) -> str | None:
    """What stands before a secret's value; ``None`` where the name or value is no secret."""
    name, sign, value = found["name"], found["sign"], found["value"]
    if _NO_SECRET.search(name):
        return None
    plain_sign = not sign.strip("\"' ")
    if plain_sign and not name.startswith("-"):
        # A word and a word: prose, unless the name is an option.
        return None
    if value.strip("\"'").lower() in {"none", "null", "true", "false", "auto", "", "***"}:
        return None
    return f"{name}{sign}"


def _before_host(found: re.Match[str]) -> str | None:
    value = found["value"]
    if value in {"localhost", "None", "null"} or value.startswith(_OPEN_ADDRESSES):
        return None
    return found["name"]


def _before_address(found: re.Match[str]) -> str | None:
    if found[0].startswith(_OPEN_ADDRESSES):
        return None
    before = found.string[max(0, found.start() - 24) : found.start()]
    return None if _VERSION_BEFORE.search(before) else ""


def _before_long_address(found: re.Match[str]) -> str | None:
    """``None`` for a few short letters around colons, which are names of program parts."""
    groups = [group for group in found[0].partition("/")[0].split(":") if group]
    return "" if len(groups) >= 4 or any(len(group) >= 3 for group in groups) else None
