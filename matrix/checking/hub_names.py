"""What people paste for a model: a hub's id, its address, or a file tag of a GGUF repository."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

LONGEST_PASTED = 500
# Hosts whose first two parts of the path are the id, after any of the leading words.
_HUBS = frozenset(
    {
        "huggingface.co",
        "www.huggingface.co",
        "hf.co",
        "hf-mirror.com",
        "modelscope.cn",
        "www.modelscope.cn",
        "modelscope.ai",
        "www.modelscope.ai",
        "modelers.cn",
        "www.modelers.cn",
    }
)
_LEADING = frozenset({"models", "model"})
_PART = re.compile(r"[\w.\-+]{1,120}", re.ASCII)
_GGUF_TAG = re.compile(r"(?P<name>[^:]+):(?P<tag>[A-Za-z0-9_]{1,24})")
_ADDRESS_LIKE = re.compile(r"^(https?://|[\w.-]+\.(co|cn|com|ai)/)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PastedModel:
    """The word to look a model up by, and the scheme that the pasted text names beside it."""

    word: str
    scheme: str = ""


def read_pasted_model(text: str) -> PastedModel:
    """The model that a pasted text names: a plain name stays as it is, an address loses its host.

    **Raises**: ``InvalidValue`` for an address of something else.
    """
    text = text.strip()
    if len(text) > LONGEST_PASTED:
        raise InvalidValue(
            name="model",
            value=f"{text[:20]}… ({len(text)} characters)",
            accepted=Phrase("at most {longest_pasted} characters", longest_pasted=LONGEST_PASTED),
        )
    if _ADDRESS_LIKE.match(text):
        return _from_address(text)
    tagged = _GGUF_TAG.fullmatch(text)
    if tagged and "gguf" in tagged["name"].lower():
        return PastedModel(tagged["name"], scheme=tagged["tag"])
    return PastedModel(text)


def _from_address(text: str) -> PastedModel:
    address = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").lower()
    except ValueError:
        host, parts = "", urlsplit("")
    path = [part for part in parts.path.split("/") if part]
    if path and path[0] in _LEADING:
        path = path[1:]
    if host not in _HUBS or len(path) < 2:
        raise InvalidValue(
            name="model",
            value=text[:100],
            accepted=Phrase(
                "a model's name, its hub id such as Qwen/Qwen3-32B-AWQ, or its page "
                "at huggingface.co, hf-mirror.com, modelscope.cn or modelers.cn"
            ),
        )
    owner, name = path[0], path[1]
    name, _, tag = name.partition(":")
    if not _PART.fullmatch(owner) or not _PART.fullmatch(name):
        raise InvalidValue(
            name="model", value=text[:100], accepted=Phrase("a hub id such as Qwen/Qwen3-32B-AWQ")
        )
    return PastedModel(f"{owner}/{name}", scheme=tag)
