"""Feature words of a question: catalogue features, settings, numbers, and what is left."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from matrix.domain.aliases import NameTable
from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import NumberAxis
from matrix.questions.hardware import read_layout
from matrix.questions.words import Named, find_name, scan_names, split_brackets, word_set

_SPLIT = re.compile(r"\s*[,;]\s*|\s+[+&]\s+|\s+(?:and|or|vs|with)\s+")
_FLAG = re.compile(r"(?<!\S)--?(?P<name>[A-Za-z][\w.-]*)(?:[=\s](?P<value>[\w.:-]+))?")
_ASSIGNED = re.compile(r"\b(?P<name>[A-Za-z_]\w*)=(?P<value>[\w.-]+)")
_CONTEXT = re.compile(
    r"\b(?:context|max[-_ ]?(?:model|seq|total|input|batch)[a-z]*(?:[-_ ][a-z]+)*|prefill|input"
    r"|tokens)"
    r"\D{0,12}?(?P<number>\d[\d,]*)(?P<kilo>k?)\b|\b(?P<first>\d+)(?P<first_kilo>k)\s+context\b",
    re.IGNORECASE,
)
# An activation type in a feature field is a setting, whatever else the words name.
_DTYPES = {
    "bfloat16": "bfloat16",
    "bf16": "bfloat16",
    "float16": "float16",
    "fp16": "float16",
    "half": "float16",
}
_DTYPE = re.compile(rf"\b({'|'.join(_DTYPES)})\b", re.IGNORECASE)
# An engine generation is written as a bare "V1" inside other names as well.
_ENGINE = re.compile(r"\bV[01]\b")
_NOISE = word_set(
    "config mode support enabled on off default defaults native path kernel kernels feature "
    "features layers layer models model quantized quantised prebuilt cpu gpu cuda backend import"
)
_KILO = 1024
_CACHE_TYPE = r"(?:fp8(?:_e[45]m[23])?|int8|int4|nvfp4|q[458]_[01]|bf16|f16)"
_CACHE = re.compile(
    rf"(?<!\w)(?P<before>{_CACHE_TYPE})[ -]kv[ -]?cache(?:[ -](?:d?type|quanti[sz]ation))?\b"
    rf"|-{{0,2}}\bkv[ _-]?cache(?:[ _-]d?type)?[ =:]+(?P<after>{_CACHE_TYPE})(?!\w)",
    re.IGNORECASE,
)


def split_cache_type(text: str) -> tuple[str, str]:
    """The type of the KV cache that feature words name ("FP8 KV cache"), and the rest of them."""
    match = _CACHE.search(text)
    if match is None:
        return "", text
    rest = " ".join(f"{text[: match.start()]} {text[match.end() :]}".split())
    return match.group("before") or match.group("after"), rest.strip(" ,;+")


@dataclass(frozen=True, slots=True)
class AskedFeatures:
    """What a question says of features and settings."""

    features: tuple[str, ...] = ()
    numbers: Mapping[NumberAxis, float] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    restrictions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_features(text: str | None, catalogue: Catalogue) -> AskedFeatures:
    """The features, settings and numbers that free text names; all are asked together."""
    if not text:
        return AskedFeatures()
    table = catalogue.vocabulary.table("feature")
    numbers = read_layout(text)
    settings: dict[str, str] = {}
    features: dict[str, None] = {}
    left: list[str] = []
    notes: list[str] = []
    whole = find_name(text.strip(), table)
    features.update(dict.fromkeys(read_engine(text, table)))
    for word in _DTYPE.findall(text):
        settings["dtype"] = _DTYPES[word.lower()]
    for part in [text] if whole else [p for p in _SPLIT.split(text) if p]:
        named, words = _read_part(part, table, numbers, settings)
        for item in named:
            features.update(dict.fromkeys(item.slugs if item.certain else ()))
            if not item.certain:
                left.append(item.word)
        left += words
    return AskedFeatures(
        features=tuple(features),
        numbers=numbers,
        settings=settings,
        restrictions=tuple(f"feature word {word!r}" for word in dict.fromkeys(left)),
        notes=tuple(notes),
    )


def read_engine(text: str, table: NameTable) -> tuple[str, ...]:
    """The engine generations that a text names."""
    return tuple(slug for word in _ENGINE.findall(text) for slug in table.find(word))


def _read_part(
    part: str, table: NameTable, numbers: dict[NumberAxis, float], settings: dict[str, str]
) -> tuple[list[Named], list[str]]:
    if named := find_name(part.strip(), table):
        return [named], []
    outside, inside = split_brackets(part)
    if inside and (named := find_name(outside, table)):
        refined = [n for words in inside if (n := find_name(words, table))]
        unknown = [w for w in inside if not find_name(w, table)]
        return refined or [named], unknown
    context = _CONTEXT.search(part)
    if context:
        digits = context.group("number") or context.group("first")
        kilo = context.group("kilo") or context.group("first_kilo")
        numbers[NumberAxis.CONTEXT_TOKENS] = float(digits.replace(",", "")) * (_KILO if kilo else 1)
        part = _CONTEXT.sub(" ", part)
    for pattern in (_FLAG, _ASSIGNED):
        for match in pattern.finditer(part):
            settings[match.group("name")] = match.group("value") or "1"
        part = pattern.sub(" ", part)
    part = re.sub(r"\b(?:TP|PP|EP|DP)\s?=?\d+(?:[x×](?:TP|PP|EP|DP)\d+)*", " ", part)
    scan = scan_names(part, table, noise=_NOISE)
    return list(scan.named), list(scan.left)
