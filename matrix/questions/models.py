"""Model words of a question: a checkpoint, a family, or words that only describe."""

import re
from dataclasses import dataclass

from matrix.domain.aliases import NameTable
from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import Axis
from matrix.questions.words import find_name, is_noise, scan_names, split_brackets, word_set

_SPLIT = re.compile(r"\s*[,;]\s*|\s+[/+&]\s+|\s+(?:and|or|vs)\s+")
_PIECES = re.compile(r"[-_\s]+")
_SIZE = re.compile(r"^\d+(?:\.\d+)?[bmt]$", re.IGNORECASE)
# Endings that leave the architecture as it is: sizes, tunings, dates, formats. Words such as
# "VL", "MoE" or "A3B" change it, and so do version numbers ("V3_2" is not "V3"): a name is never
# shortened past them.
_HARMLESS = re.compile(
    r"^(?:\d+(?:\.\d+)?[bmt]|instruct|chat|base|it|hf|preview|latest|v0\.\d+|\d{4,8}"
    r"|awq|gptq|gguf|bnb|fp8|fp4|nvfp4|mxfp4|mxfp8|int4|int8|\d+bit|bit|w\d+a\d+|quark|dynamic"
    r"|weight|qat|iq?\d\w*|q\d|k|s|m|l|xl|xxs|xs|qlora|gs\d+|\d+k|\d+e)$",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"^(?:awq|gptq|gguf|bnb|fp8|fp4|nvfp4|mxfp4|mxfp8|int4|int8|quark)$", re.IGNORECASE
)
_NOISE = word_set(
    "architecture arch family class dense limited small large big quantized quantised "
    "gguf awq gptq fp8 nvfp4 bnb qlora lora draft llm llms text checkpoint checkpoints"
)
# A name that means more nodes than this is a product line, not a model.
_MOST_MODELS = 6
_KINDS = {"moe": "moe", "vlm": "multimodal", "vision": "multimodal"}


@dataclass(frozen=True, slots=True)
class AskedModels:
    """What a question says of the model; several nodes are alternatives asked one by one."""

    nodes: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    schemes_in_name: tuple[str, ...] = ()
    restrictions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_models(text: str | None, catalogue: Catalogue) -> AskedModels:
    """The models that free text names; a checkpoint that is not known stands for its family."""
    if not text or is_noise(text):
        return AskedModels()
    table = catalogue.vocabulary.table(Axis.MODEL.value)
    features: dict[str, None] = {}
    nodes: dict[str, None] = {}
    restrictions: list[str] = []
    notes: list[str] = []
    whole = find_name(text.strip(), table)
    outside, _ = split_brackets(_without_formats(text))
    for part in [text] if whole else [p for p in _SPLIT.split(outside) if p]:
        slugs, family = find_model(part, table)
        if len(slugs) > _MOST_MODELS:
            restrictions.append(f"model {part!r}, which may be any of {len(slugs)}")
            continue
        if family:
            notes.append(f"{part!r} is answered for {family!r}")
        nodes.update(dict.fromkeys(slugs))
        if not slugs:
            restrictions += _describe(part, catalogue, features)
    return AskedModels(
        nodes=tuple(nodes),
        features=tuple(features),
        schemes_in_name=_schemes_in(text, catalogue),
        restrictions=tuple(restrictions),
        notes=tuple(notes),
    )


def _without_formats(text: str) -> str:
    """The text without words that only name formats: "Qwen1.5-MoE GPTQ/AWQ" asks for the model."""
    words = text.split()
    kept = [word for word in words if not all(map(_FORMAT.match, word.split("/")))]
    return " ".join(kept or words)


def find_model(text: str, table: NameTable) -> tuple[tuple[str, ...], str]:
    """The nodes a model name means, and the shorter known name where it had to be shortened."""
    text = text.strip()
    for attempt in (text, text.rsplit("/", 1)[-1]):
        if named := find_name(attempt, table):
            return named.slugs, "" if named.certain else f"one of {', '.join(named.slugs)}"
    pieces = [p for p in _PIECES.split(text.rsplit("/", 1)[-1]) if p]
    for kept in range(len(pieces) - 1, 0, -1):
        dropped = pieces[kept:]
        if not all(_HARMLESS.match(piece) for piece in dropped):
            return (), ""
        if _is_bare_size(pieces[:kept]):
            continue
        named = find_name("-".join(pieces[:kept]), table)
        if named:
            return named.slugs, named.word
    return (), ""


def _is_bare_size(pieces: list[str]) -> bool:
    return all(_SIZE.match(piece) for piece in pieces)


def _describe(part: str, catalogue: Catalogue, features: dict[str, None]) -> list[str]:
    """Words that describe a kind of model; what no feature takes narrows the question."""
    scan = scan_names(part, catalogue.vocabulary.table("feature"), noise=_NOISE)
    features.update(dict.fromkeys(scan.slugs))
    left = []
    for word in scan.left:
        kind = _KINDS.get(word.lower())
        if kind:
            features[kind] = None
        elif not _HARMLESS.match(word):
            left.append(word)
    return [f"model {' '.join(left)!r}"] if left else []


def _schemes_in(text: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Schemes that stand as words in the name ("…-AWQ", "…-bnb-4bit")."""
    table = catalogue.vocabulary.table(Axis.QUANTIZATION.value)
    pieces = [p for p in re.split(r"[-_/\s()]+", text) if p]
    found = [find_name(piece, table) for piece in pieces if len(piece) > 2]
    kept = [n.slugs[0] for n in found if n and n.certain and not n.word.isdigit()]
    return tuple(dict.fromkeys(kept))
