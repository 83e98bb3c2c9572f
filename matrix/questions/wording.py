"""What the sentence of a question asks beyond its fields: memory, packages, native execution."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import Axis
from matrix.domain.trees import Tree
from matrix.questions.models import find_model
from matrix.questions.restrictions import Need, Restriction
from matrix.questions.words import Named, scan_names, word_set

_MEMORY = re.compile(
    r"\bfits?\b|\bfitting\b|\bVRAM\b|\bOOM\b|\bout of memory\b|\bexhausts?\b|\bmemory\b"
    r"|\bhow many (?:GB|GiB)\b",
    re.IGNORECASE,
)
_QUANTIZED = "quantization as such"
_ON_DEVICE = re.compile(
    r"\boff-?load\w*|\bcomputed on\b|\bon (?:the|an?) (?:[\w-]+ ){0,2}(?:GPU|NPU|XPU|TPU)\b",
    re.IGNORECASE,
)
_NATIVE = re.compile(r"\bnative(?:ly)?\b", re.IGNORECASE)


def _words(*words: str) -> re.Pattern[str]:
    """A pattern of any of the words, each a pattern of its own."""
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


# Each topic narrows a question to something that "it runs" does not answer: a catalogue feature of
# the topic answers it when the question names one, else a claim that says what the topic needs.
_TOPICS: tuple[tuple[str, re.Pattern[str], Need, frozenset[str]], ...] = (
    (
        "the shipped package",
        _words("wheels?", "pip", r"install\w*", "packages?", "prebuilt"),
        Need.TOPIC,
        frozenset({"binary-wheels"}),
    ),
    (
        "the container image",
        _words("docker", "containers?", "official image"),
        Need.TOPIC,
        frozenset({"docker-image"}),
    ),
    (
        "a driver or toolkit version",
        _words("drivers?", "pins?"),
        Need.TOPIC,
        frozenset({"driver"}),
    ),
    (
        "a build from source",
        _words(r"compil\w+", "source build", "builds? (?:from|for)", "built with"),
        Need.TOPIC,
        frozenset({"source-build", "debug-build", "default-arch-list"}),
    ),
    (
        _QUANTIZED,
        _words("quanti[sz]ed (?:models?|checkpoints?)"),
        Need.TOPIC,
        frozenset({"quantization"}),
    ),
    ("default settings", _words("defaults?"), Need.TOPIC, frozenset({"default-arch-list"})),
    (
        "correct or stable results",
        _words(r"correct\w*", r"accura\w+", "stable", r"reliabl\w+", "garbage",
               "conforming", "honou?red"),
        Need.RESULT,
        frozenset(),
    ),
    (
        "a failure or a removal",
        _words("drop(?:s|ped)?", r"refus\w+", r"fail\w*", r"crash\w*", "broken", r"exclud\w+",
               r"remov\w+", "missing", "lacks?", "why"),
        Need.TOPIC,
        frozenset(),
    ),
    (
        "an exclusion",
        _words("without", r"(?<!weight-)only", "not", "instead", "except"),
        Need.TOPIC,
        frozenset(),
    ),
    (
        "speed",
        _words("faster", "slower", r"speed\w*", "throughput", r"fully off-?load\w*"),
        Need.SPEED,
        frozenset(),
    ),
    (
        "validation by the project",
        _words(r"validat\w+", "officially", "require[sd]?", "need(?:s|ed)?", "should", "usable"),
        Need.TOPIC,
        frozenset(),
    ),
)  # fmt: skip
_PACKAGED = (
    ("binary-wheels", re.compile(r"\bwheels?\b", re.IGNORECASE)),
    ("docker-image", re.compile(r"\b(?:docker|container)s?\b", re.IGNORECASE)),
    ("default-arch-list", re.compile(r"\bdefault(?:\s+\w+){0,3}\s+builds?\b", re.IGNORECASE)),
)
_PACKAGE_VERSION = re.compile(
    r"\b(?P<name>TensorRT|cuDNN|transformers|FlashInfer|xformers|PyTorch|torch|Triton|Python"
    r"|JetPack|oneAPI|glibc|Mesa|NCCL|CUDA|ROCm|CANN)\s*[<>=≥≤]*\s*v?(?P<number>\d+(?:\.\d+)*)"
    r"|\bcu(?P<joined>\d{3})\b",
    re.IGNORECASE,
)
_MEMORY_KIND = "memory fit"
_PIN_KIND = "driver/CUDA pin"
# Features that a sentence mentions in passing: they say what is being looked at, not what is asked.
_IN_PASSING = word_set(
    "streaming quantization kv-cache gguf-loading context-length kv-cache-management openai-api "
    "dtype kv-cache-dtype kernels loading memory serving packaging attention moe engine "
    "decoder-only"
)
_NEEDED_LETTERS = 3
_WIDTH = re.compile(r"^(?:int[48]|[48][- ]?bit)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedWording:
    """What the sentence adds: restrictions that no axis takes, and where it is computed.

    **Shapes**: ``settings`` are the versions of other software that it names.
    """

    restrictions: tuple[Restriction, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    native: bool = False
    on_device: bool = False


def features_of_sentence(sentence: str) -> frozenset[str]:
    """The packaging that a sentence asks about; it is part of the question as much as a field."""
    return frozenset(slug for slug, pattern in _PACKAGED if pattern.search(sentence))


def read_wording(
    sentence: str,
    *,
    kind: str,
    asked: dict[str, frozenset[str]],
    stated: str,
    framework: str,
    catalogue: Catalogue,
) -> AskedWording:
    """The restrictions in the sentence that the fields did not carry.

    **Shapes**: ``asked`` maps an area to the slugs that the fields already ask about; ``stated``
    is the text of all fields, whose words were read already.
    """
    features = asked.get("feature", frozenset())
    memory = bool(_MEMORY.search(sentence)) or kind == _MEMORY_KIND
    found = [Restriction("whether the memory suffices", Need.MEMORY)] if memory else []
    for topic, pattern, need, answering in _TOPICS:
        answered = not features.isdisjoint(answering)
        if topic == _QUANTIZED and asked.get("quantization"):
            continue
        if pattern.search(sentence) and not answered:
            found.append(Restriction(topic, need))
    if kind == _PIN_KIND and "driver" not in features:
        found.append(Restriction("a driver or toolkit version", Need.TOPIC))
    for area in ("hardware", "backend", "quantization", "feature"):
        found += [
            Restriction(f"{area} {named.word!r}", Need.NAMED, area, frozenset(named.slugs))
            for named in named_elsewhere(sentence, area, asked.get(area, frozenset()), catalogue)
            if not _is_stated(named.word, stated)
        ]
    if not asked.get("model"):
        found += _models_elsewhere(sentence, catalogue, stated)
    return AskedWording(
        restrictions=tuple(dict.fromkeys(found)),
        settings=software_versions(sentence, framework=framework),
        on_device=bool(_ON_DEVICE.search(sentence)),
        native=bool(_NATIVE.search(sentence)),
    )


def _is_stated(name: str, stated: str) -> bool:
    """Whether the fields hold the name, or each of its words ("gpt-oss MXFP4") somewhere."""
    held = stated.lower()
    return all(word in held for word in name.lower().split())


def software_versions(text: str, *, framework: str = "") -> dict[str, str]:
    """Versions of toolkits and packages that a text names: {"cuda": "12.8", "torch": "2.9.1"}."""
    found = {}
    for match in _PACKAGE_VERSION.finditer(text):
        joined = match.group("joined")
        name = "cuda" if joined else match.group("name").lower()
        number = f"{joined[:-1]}.{joined[-1]}" if joined else match.group("number")
        if name != framework.lower().split(" ")[0]:
            found["torch" if name == "pytorch" else name] = number
    return found


def named_elsewhere(
    sentence: str, area: str, asked: frozenset[str], catalogue: Catalogue
) -> Iterable[Named]:
    """Names of an area in the sentence that are neither asked, nor above or below what is."""
    tree = _tree(area, catalogue)
    near = {slug for known in asked for slug in (*tree.up(known), *tree.down(known))}
    for named in scan_names(sentence, catalogue.vocabulary.table(area)).named:
        if len(named.word) < _NEEDED_LETTERS or not named.certain:
            continue
        slugs = set(named.slugs) - _IN_PASSING
        if slugs and slugs.isdisjoint(near) and not _is_their_width(named, area, asked, catalogue):
            yield named


def _is_their_width(named: Named, area: str, asked: frozenset[str], catalogue: Catalogue) -> bool:
    """Whether "INT4" only says how wide the weights of an asked scheme are."""
    if area != Axis.QUANTIZATION.value or not _WIDTH.match(named.word):
        return False
    nodes = catalogue.area(area)
    tree = catalogue.trees.tree(Axis.QUANTIZATION)
    wide = {
        nodes[up].facts.get("weight_bits")
        for slug in asked
        if slug in nodes
        for up in tree.up(slug)
    }
    return int(re.sub(r"\D", "", named.word)) in wide


def _tree(area: str, catalogue: Catalogue) -> Tree:
    return catalogue.trees.features if area == "feature" else catalogue.trees.tree(Axis(area))


def _models_elsewhere(sentence: str, catalogue: Catalogue, stated: str) -> list[Restriction]:
    table = catalogue.vocabulary.table(Axis.MODEL.value)
    words = [word.strip("?!.,;:()") for word in sentence.split()]
    found = []
    for word in words:
        # "E5" of "Xeon E5-2670" was read as part of the machine.
        new = any(c.isdigit() for c in word) and not _is_stated(word, stated)
        slugs = find_model(word, table)[0] if new else ()
        if slugs:
            text = f"model {word!r}"
            found.append(Restriction(text, Need.NAMED, Axis.MODEL.value, frozenset(slugs)))
    return found
