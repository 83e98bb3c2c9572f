"""Cells of the supported-model tables: flags, input modalities, example checkpoints."""

import re
from dataclasses import dataclass

from ingest.contract import StatementStatus
from ingest.sources.statuses import StatusTable

FLAG_FEATURES: dict[str, str] = {
    "lora": "lora",
    "pp": "pipeline-parallel",
    "v1": "engine-v1",
}

# The page's own legend: supported, planned, available with known issues. A blank has no entry in
# it and therefore states nothing.
FLAG_SYMBOLS = StatusTable(
    words={
        "✅": StatementStatus.SUPPORTED,
        "🚧": StatementStatus.PLANNED,
        "⚠": StatementStatus.PARTIAL,
        "❌": StatementStatus.UNSUPPORTED,
    }
)

_MODALITIES: dict[str, str] = {
    "i": "multimodal-image",
    "image": "multimodal-image",
    "v": "multimodal-video",
    "video": "multimodal-video",
    "a": "multimodal-audio",
    "audio": "multimodal-audio",
}
_SUPERSCRIPT = re.compile(r"<sup>\s*([^<]{1,12}?)\s*</sup>|\\?\s?:sup:`([^`]{1,12})`")
_MODALITY = re.compile(r"([A-Za-z]+)\s*(?:\{([^}]*)\})?")


@dataclass(frozen=True, slots=True)
class Modality:
    """One input modality of a row.

    **Shapes**: ``extras`` keeps the page's marks: ``E`` pre-computed embeddings may be given,
    ``+`` several items per prompt, ``*`` some variants only.
    """

    word: str
    feature: str
    extras: str = ""
    some_variants: bool = False


def modalities_in(raw: str) -> tuple[Modality, ...]:
    """The modalities beside text of a cell such as ``T + I<sup>E+</sup> + (V<sup>+</sup>)``."""
    marked = _SUPERSCRIPT.sub(lambda m: "{" + (m.group(1) or m.group(2)) + "}", raw)
    found = []
    for match in _MODALITY.finditer(marked.replace("\\", "")):
        word, extras = match.group(1), match.group(2) or ""
        feature = _MODALITIES.get(word.lower())
        if feature is None:
            continue
        before = marked[: match.start()].rstrip()
        found.append(
            Modality(
                word=word,
                feature=feature,
                extras=extras,
                some_variants="*" in extras or before.endswith("("),
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Example:
    """One example checkpoint; ``noted`` where the page refers to a note."""

    name: str
    noted: bool = False


_NO_CHECKPOINTS = frozenset({"N/A", "n/a", "refs/pr"})
# A missing comma leaves "etc." on the last name of some cells.
_GLUED = re.compile(r"(?:etc)?\.*$")
_CHECKPOINT = re.compile(r"([\w.\-]+/[\w.\-]+)(\s*\(see note\))?")


def checkpoints_in(text: str) -> tuple[Example, ...]:
    """The checkpoints named in a cell; ``etc.``, ``TBA`` and wildcards are none."""
    return tuple(
        Example(name=_GLUED.sub("", match.group(1)), noted=bool(match.group(2)))
        for match in _CHECKPOINT.finditer(text)
        if text[match.end() : match.end() + 1] != "*"
        and not match.group(1).endswith("-")
        and match.group(1) not in _NO_CHECKPOINTS
    )
