"""Reads the words of "can I run it?" into one question over all frameworks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from matrix.asking import (
    MissingParameter,
    Question,
    QuestionReader,
    RepeatedParameter,
    UnknownParameter,
    cell_words,
)
from matrix.asking.names import AS_OF, FEATURE, FRAMEWORK, KNOWN_AT, OVER, SETTING, VERSION
from matrix.asking.reading import MOST_REPEATED, Words, check_text
from matrix.checking.hub_names import read_pasted_model
from matrix.domain.coordinates import Cell
from matrix.domain.errors import InvalidValue
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.measured import Slo
from matrix.domain.phrases import Phrase
from matrix.memory_asking import resolve_scheme
from matrix.memory_shapes import GivenModel, model_of_config

MODEL, QUANTIZATION, HARDWARE = "model", "quantization", "hardware"
CONTEXT, CONCURRENCY = "context_tokens", "concurrency"
SHARE = "share"
_LATENCIES = ("ttft_ms", "tpot_ms", "e2el_ms")
_CELL_PART = (
    MODEL,
    QUANTIZATION,
    HARDWARE,
    "count",
    "tensor_parallel",
    "pipeline_parallel",
    "backend",
    "kv_dtype",
    FEATURE,
    SETTING,
)
CHECK_PARAMETERS: tuple[str, ...] = (
    *_CELL_PART,
    CONTEXT,
    CONCURRENCY,
    *_LATENCIES,
    SHARE,
    FRAMEWORK,
    VERSION,
    AS_OF,
    KNOWN_AT,
)
CHECK_REPEATABLE = frozenset({FEATURE, SETTING, FRAMEWORK})
DEFAULT_CONTEXT_TOKENS = 4096
LARGEST_CONTEXT_TOKENS = 100_000_000
LARGEST_CONCURRENCY = 1_000_000
LARGEST_COUNT = 100_000
LARGEST_LATENCY_MS = 86_400_000.0

_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)
_THOUSANDS = re.compile(r"([0-9]{1,6})k", re.ASCII | re.IGNORECASE)
_REAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class CheckQuestion:
    """One question asked of every framework.

    ``cell`` has no framework and no version. ``frameworks`` is empty for all of them, ``version``
    is given with exactly one. ``implied_scheme`` is what the checkpoint is stored in where no
    scheme was named. ``shape`` is that of a pasted ``config.json``, ``None`` otherwise.
    **Units**: ``context_tokens`` and ``concurrency`` are ``None`` where they were not given.
    **Dates**: as of ``Question``.
    """

    cell: Cell
    as_of: date
    known_at: date | None = None
    frameworks: tuple[str, ...] = ()
    version: str | None = None
    context_tokens: int | None = None
    concurrency: int | None = None
    slo: Slo | None = None
    implied_scheme: str = ""
    config: Mapping[str, object] | None = None

    @property
    def scheme(self) -> str:
        """The asked scheme, else that of the checkpoint; empty where none is known."""
        return self.cell.nodes.get(Axis.QUANTIZATION, "") or self.implied_scheme

    @property
    def count(self) -> int:
        """The number of devices, one where it was not given."""
        return int(self.cell.numbers.get(NumberAxis.HARDWARE_COUNT, 1))

    def of(self, framework: str) -> Question:
        """The same question to one framework."""
        cell = replace(self.cell, framework=framework, version=self.version)
        return Question(cell=cell, as_of=self.as_of, known_at=self.known_at)


def read_check(
    reader: QuestionReader, words: Words, *, config: Mapping[str, object] | None = None
) -> CheckQuestion:
    """The question of the words, and of a pasted ``config.json`` in place of a model's name.

    A blank value asks nothing.
    **Raises**: what ``QuestionReader.read`` raises; ``InvalidValue`` for a scheme that the
    checkpoint is not stored in; ``MissingParameter`` where nothing is asked at all;
    ``MemoryInputError`` for a config of no known kind or a width without a scheme.
    """
    given = _given(words)
    stored = _take_config(reader, given, config) if config is not None else ""
    pasted = read_pasted_model(given[MODEL][0]) if MODEL in given else None
    if pasted is not None:
        given[MODEL] = [pasted.word]
        if pasted.scheme:
            given.setdefault(QUANTIZATION, [pasted.scheme])
    if QUANTIZATION in given:
        given[QUANTIZATION] = [resolve_scheme(given[QUANTIZATION][0], reader)]
    _read_thousands(given)
    cell_part = {name: given[name] for name in (*_CELL_PART, CONTEXT, AS_OF, KNOWN_AT)
                 if name in given}  # fmt: skip
    question = reader.read({**cell_part, OVER: [FRAMEWORK]})
    cell = question.cell
    if not cell.nodes and not cell.features:
        raise MissingParameter(
            name=MODEL, accepted=Phrase("a model, or one of quantization, hardware and feature")
        )
    _check_ranges(cell)
    frameworks, version = _read_frameworks(reader, given, as_of=question.as_of)
    return CheckQuestion(
        cell=cell,
        as_of=question.as_of,
        known_at=question.known_at,
        frameworks=frameworks,
        version=version,
        context_tokens=_whole(cell.numbers.get(NumberAxis.CONTEXT_TOKENS)),
        concurrency=_read_concurrency(given),
        slo=_read_slo(given),
        implied_scheme=_implied_scheme(reader, cell) or stored,
        config=config,
    )


def check_pairs(question: CheckQuestion, *, pin_day: bool = True) -> list[tuple[str, str]]:
    """The parameters that ask this question again: canonical slugs, in one order."""
    pairs = cell_words(question.cell)
    for name, value in ((CONCURRENCY, question.concurrency),):
        if value is not None:
            pairs.append((name, str(value)))
    slo = question.slo
    if slo is not None:
        stated = {name: getattr(slo, name) for name in _LATENCIES}
        pairs += [(name, f"{value:.15g}") for name, value in stated.items() if value is not None]
        pairs.append((SHARE, f"{slo.share:.15g}"))
    pairs += [(FRAMEWORK, slug) for slug in question.frameworks]
    if question.version:
        pairs.append((VERSION, question.version))
    if pin_day:
        pairs.append((AS_OF, question.as_of.isoformat()))
    if question.known_at is not None:
        pairs.append((KNOWN_AT, question.known_at.isoformat()))
    return pairs


# -- words --------------------------------------------------------------------------------------


def _given(words: Words) -> dict[str, list[str]]:
    """The words that are not blank, each parameter known and given as often as it may be."""
    given: dict[str, list[str]] = {}
    for name, values in words.items():
        if name not in CHECK_PARAMETERS:
            raise UnknownParameter(name=name, accepted=CHECK_PARAMETERS)
        if len(values) > 1 and name not in CHECK_REPEATABLE:
            raise RepeatedParameter(name=name, values=values)
        if name == MODEL:
            # An address is longer than a name; its length is checked where it is read.
            kept = [str(value).strip() for value in values]
        else:
            kept = [check_text(name, value) for value in values]
        if stated := [value for value in kept if value]:
            given[name] = stated
    return given


def _take_config(
    reader: QuestionReader, given: dict[str, list[str]], config: Mapping[str, object]
) -> str:
    """Names the architecture class of a config as the model, and the scheme that it is stored in
    where none was asked for; returns that scheme.

    **Raises**: ``InvalidValue`` beside a model's name; ``UnknownName`` for a class that the
    catalogue does not know.
    """
    if MODEL in given:
        raise InvalidValue(
            name="config",
            value=f"given beside model {given[MODEL][0]}",
            accepted=Phrase("one of the two"),
        )
    read: GivenModel = model_of_config(config, reader.catalogue)
    given[MODEL] = [reader.resolve(MODEL, _class_of(config, read))]
    if read.scheme and QUANTIZATION not in given:
        given[QUANTIZATION] = [read.scheme]
        return read.scheme
    return ""


def _class_of(config: Mapping[str, object], read: GivenModel) -> str:
    """The class that a config states. What is known of a kind of model says nothing of another
    class of that kind, such as a draft or a reward model: such a one is asked about as itself.

    **Raises**: ``InvalidValue`` where the config states no kind of model.
    """
    inner = config.get("text_config")
    stated = [
        word
        for part in (config, inner if isinstance(inner, Mapping) else {})
        for word in _words(part.get("architectures"))
    ]
    if stated and read.shape.architecture not in stated:
        return stated[0]
    if not read.shape.architecture:
        raise InvalidValue(
            name="config",
            value=", ".join(str(name)[:40] for name in list(config)[:6]),
            accepted=Phrase("a config.json that names its model under architectures or model_type"),
        )
    return read.shape.architecture


def _words(value: object) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _read_thousands(given: dict[str, list[str]]) -> None:
    """People write 8k for 8,192 tokens."""
    match = _THOUSANDS.fullmatch(given.get(CONTEXT, [""])[0])
    if match:
        given[CONTEXT] = [str(int(match[1]) * 1024)]


def _check_ranges(cell: Cell) -> None:
    count = cell.numbers.get(NumberAxis.HARDWARE_COUNT)
    if count is not None and count > LARGEST_COUNT:
        raise InvalidValue(
            name="count",
            value=int(count),
            accepted=Phrase(
                "a whole number from 1 to {largest_count}", largest_count=LARGEST_COUNT
            ),
        )
    layout = 1.0
    for axis in (NumberAxis.TENSOR_PARALLEL, NumberAxis.PIPELINE_PARALLEL):
        layout *= cell.numbers.get(axis, 1)
    if layout > 1 and count is not None and count % layout:
        raise InvalidValue(
            name="count",
            value=int(count),
            accepted=Phrase(
                "a multiple of tensor_parallel × pipeline_parallel = {layout}", layout=int(layout)
            ),
        )


def _read_frameworks(
    reader: QuestionReader, given: Mapping[str, Sequence[str]], *, as_of: date
) -> tuple[tuple[str, ...], str | None]:
    words = given.get(FRAMEWORK, ())
    if len(words) > MOST_REPEATED:
        raise InvalidValue(
            name=FRAMEWORK,
            value=f"{len(words)} values",
            accepted=Phrase("at most {most_repeated}", most_repeated=MOST_REPEATED),
        )
    slugs = tuple(dict.fromkeys(reader.resolve(FRAMEWORK, word) for word in words))
    version = given.get(VERSION, [""])[0]
    if not version or version == "latest":
        return slugs, None
    if len(slugs) != 1:
        raise InvalidValue(
            name=VERSION,
            value=version,
            accepted=Phrase("a version together with exactly one framework"),
        )
    reader.catalogue.histories[slugs[0]].asked_rank(version, as_of=as_of)
    return slugs, version


def _implied_scheme(reader: QuestionReader, cell: Cell) -> str:
    """What the checkpoint is stored in, where no scheme was asked for.

    **Raises**: ``InvalidValue`` for another scheme than that of the checkpoint.
    """
    model, asked = cell.nodes.get(Axis.MODEL), cell.nodes.get(Axis.QUANTIZATION)
    stored = reader.catalogue.surroundings.model_quantization.get(model or "", "")
    if not stored or asked is None:
        return stored
    tree = reader.catalogue.trees.tree(Axis.QUANTIZATION)
    if asked in tree.up(stored) or stored in tree.up(asked):
        return ""
    node = reader.catalogue.area("model")[str(model)]
    base = node.facts.get("base")
    other = f", or the checkpoint {base} for another scheme" if base else ""
    raise InvalidValue(
        name=QUANTIZATION,
        value=asked,
        accepted=Phrase(
            "nothing or {stored}, in which {name} is stored{other}",
            stored=stored,
            name=node.name,
            other=other,
        ),
    )


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _read_concurrency(given: Mapping[str, Sequence[str]]) -> int | None:
    text = given.get(CONCURRENCY, [""])[0]
    if not text:
        return None
    if _WHOLE.fullmatch(text) and 1 <= int(text) <= LARGEST_CONCURRENCY:
        return int(text)
    raise InvalidValue(
        name=CONCURRENCY,
        value=text,
        accepted=Phrase(
            "a whole number from 1 to {largest_concurrency}",
            largest_concurrency=LARGEST_CONCURRENCY,
        ),
    )


def _read_slo(given: Mapping[str, Sequence[str]]) -> Slo | None:
    latencies = {name: _real(name, given[name][0]) for name in _LATENCIES if name in given}
    share_text = given.get(SHARE, [""])[0]
    if not latencies:
        if share_text:
            raise MissingParameter(
                name=_LATENCIES[0], accepted=Phrase("a latency that the share is of")
            )
        return None
    share = 0.95
    if share_text:
        share = float(share_text) if _REAL.fullmatch(share_text) else 0.0
        if not 0 < share <= 1:
            raise InvalidValue(
                name=SHARE,
                value=share_text,
                accepted=Phrase("a number above 0 and up to 1, such as 0.95"),
            )
    return Slo(
        ttft_ms=latencies.get("ttft_ms"),
        tpot_ms=latencies.get("tpot_ms"),
        e2el_ms=latencies.get("e2el_ms"),
        share=share,
        concurrency=_read_concurrency(given),
    )


def _real(name: str, text: str) -> float:
    value = float(text) if _REAL.fullmatch(text) else 0.0
    if not 0 < value <= LARGEST_LATENCY_MS:
        raise InvalidValue(
            name=name,
            value=text,
            accepted=Phrase(
                "milliseconds above 0 and up to {largest_latency_ms:.0f}",
                largest_latency_ms=LARGEST_LATENCY_MS,
            ),
        )
    return value
