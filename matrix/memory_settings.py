"""Settings of an engine that change its memory, read from words."""

import re
from collections.abc import Callable, Mapping, Sequence

from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

_ON = frozenset({"1", "on", "true", "yes"})
_OFF = frozenset({"0", "off", "false", "no"})
_SHARE = re.compile(r"(?:0?\.[0-9]{1,4}|1(?:\.0{1,4})?)")
_WHOLE = re.compile(r"[0-9]{1,7}")


def _flag(name: str, text: str) -> bool:
    if text.lower() in _ON:
        return True
    if text.lower() in _OFF:
        return False
    raise InvalidValue(name=name, value=text, accepted=Phrase("on or off"))


def _share(name: str, text: str) -> float:
    if _SHARE.fullmatch(text) and float(text) > 0:
        return float(text)
    raise InvalidValue(
        name=name, value=text, accepted=Phrase("a share above 0 and up to 1, such as 0.9")
    )


def _tokens(name: str, text: str) -> int:
    if _WHOLE.fullmatch(text) and int(text) > 0:
        return int(text)
    raise InvalidValue(name=name, value=text, accepted=Phrase("a whole number from 1 to 9999999"))


_READERS: Mapping[str, Callable[[str, str], object]] = {
    "ubatch_tokens": _tokens,
    "block_tokens": _tokens,
    "outputs": _tokens,
    "flash_attention": _flag,
    "kv_unified": _flag,
    "swa_full": _flag,
    "memory_share": _share,
}


def read_options(words: Mapping[str, str], names: Sequence[str]) -> dict[str, object]:
    """The settings by name. **Raises**: InvalidValue."""
    return {name: _READERS[name](name, words[name]) for name in names if name in words}
