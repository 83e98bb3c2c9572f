"""What the sentence of a question asks beyond its fields: memory, packages, native execution."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import Axis
from matrix.domain.trees import Tree
from matrix.questions.models import find_model
from matrix.questions.words import Named, scan_names

_MEMORY = re.compile(
    r"\bfits?\b|\bfitting\b|\bVRAM\b|\bOOM\b|\bout of memory\b|\bexhausts?\b|\bmemory\b"
    r"|\bhow many (?:GB|GiB)\b",
    re.IGNORECASE,
)
_QUANTIZED = "quantization as such"
_NATIVE = re.compile(r"\bnative(?:ly)?\b", re.IGNORECASE)
# Each topic narrows a question to something that "it runs" does not answer; a catalogue feature
# of the group answers it when the question names one.
_TOPICS: tuple[tuple[str, re.Pattern[str], frozenset[str]], ...] = (
    (
        "the shipped package",
        re.compile(r"\bwheels?\b|\bpip\b|\binstall\w*|\bpackages?\b|\bprebuilt\b", re.IGNORECASE),
        frozenset({"binary-wheels"}),
    ),
    (
        "the container image",
        re.compile(r"\b(?:docker|container)\b|\bofficial image\b", re.IGNORECASE),
        frozenset({"docker-image"}),
    ),
    (
        "a driver or toolkit version",
        re.compile(r"\bdrivers?\b|\bCUDA\s*[<>]?\s*\d|\bROCm\s*\d|\bcu\d{3}\b|\btorch\b|\bpins?\b",
                   re.IGNORECASE),
        frozenset({"driver"}),
    ),
    (
        "a build from source",
        re.compile(r"\bcompil\w+|\bsource build\b|\bbuilds? (?:from|for)\b|\bbuilt with\b",
                   re.IGNORECASE),
        frozenset({"source-build", "debug-build", "default-arch-list"}),
    ),
    (
        _QUANTIZED,
        re.compile(r"\bquanti[sz]ed (?:models?|checkpoints?)\b", re.IGNORECASE),
        frozenset({"quantization"}),
    ),
    ("default settings", re.compile(r"\bdefaults?\b", re.IGNORECASE),
     frozenset({"default-arch-list"})),
    (
        "correct or stable results",
        re.compile(r"\bcorrect\w*|\baccura\w+|\bstable\b|\bgarbage\b|\bconforming\b|\bhonou?red\b",
                   re.IGNORECASE),
        frozenset(),
    ),
    (
        "speed",
        re.compile(r"\bfaster\b|\bslower\b|\bspeed\w*|\bthroughput\b|\bfully off-?load\w*",
                   re.IGNORECASE),
        frozenset(),
    ),
    (
        "validation by the project",
        re.compile(r"\bvalidat\w+|\bofficially\b|\brequired?\b|\bshould\b", re.IGNORECASE),
        frozenset(),
    ),
)  # fmt: skip
_MEMORY_KIND = "memory fit"
_PIN_KIND = "driver/CUDA pin"
# Features that a sentence mentions in passing: they say what is being looked at, not what is asked.
_IN_PASSING = frozenset(
    "streaming quantization gguf-loading context-length kv-cache-management openai-api dtype "
    "kv-cache-dtype loading memory serving packaging attention moe engine decoder-only".split()
)
_NEEDED_LETTERS = 3


@dataclass(frozen=True, slots=True)
class AskedWording:
    """What the sentence adds: restrictions that no axis takes, and whether it asks for native."""

    restrictions: tuple[str, ...] = ()
    native: bool = False
    memory: bool = False


def read_wording(
    sentence: str,
    *,
    kind: str,
    asked: dict[str, frozenset[str]],
    catalogue: Catalogue,
) -> AskedWording:
    """The restrictions in the sentence that the fields did not carry.

    **Shapes**: ``asked`` maps an area to the slugs that the fields already ask about.
    """
    features = asked.get("feature", frozenset())
    memory = bool(_MEMORY.search(sentence)) or kind == _MEMORY_KIND
    restrictions = ["whether the memory suffices"] if memory else []
    for topic, pattern, answering in _TOPICS:
        answered = not features.isdisjoint(answering)
        if topic == _QUANTIZED and asked.get("quantization"):
            continue
        if pattern.search(sentence) and not answered:
            restrictions.append(topic)
    if kind == _PIN_KIND and "driver" not in features:
        restrictions.append("a driver or toolkit version")
    for area in ("hardware", "backend", "quantization", "feature"):
        restrictions += [
            f"{area} {named.word!r}"
            for named in _named_elsewhere(sentence, area, asked.get(area, frozenset()), catalogue)
        ]
    if not asked.get("model"):
        restrictions += _models_elsewhere(sentence, catalogue)
    return AskedWording(
        restrictions=tuple(dict.fromkeys(restrictions)),
        native=bool(_NATIVE.search(sentence)),
        memory=memory,
    )


def _named_elsewhere(
    sentence: str, area: str, asked: frozenset[str], catalogue: Catalogue
) -> Iterable[Named]:
    tree = _tree(area, catalogue)
    near = {slug for known in asked for slug in (*tree.up(known), *tree.down(known))}
    for named in scan_names(sentence, catalogue.vocabulary.table(area)).named:
        if len(named.word) < _NEEDED_LETTERS or not named.certain:
            continue
        slugs = set(named.slugs) - (_IN_PASSING if area == "feature" else frozenset())
        if slugs and slugs.isdisjoint(near):
            yield named


def _tree(area: str, catalogue: Catalogue) -> Tree:
    return catalogue.trees.features if area == "feature" else catalogue.trees.tree(Axis(area))


def _models_elsewhere(sentence: str, catalogue: Catalogue) -> list[str]:
    table = catalogue.vocabulary.table(Axis.MODEL.value)
    words = [word.strip("?!.,;:()") for word in sentence.split()]
    known = [w for w in words if any(c.isdigit() for c in w) and find_model(w, table)[0]]
    return [f"model {word!r}" for word in known]
