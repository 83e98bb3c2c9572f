"""Predicted against measured memory: errors by class of architecture, rows outside, peers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotReady
from dataclasses import dataclass
from threading import Lock

from matrix.domain.catalogue import Catalogue
from matrix.domain.memory.truth_compare import (
    QUANTITIES,
    TOLERANCES,
    Comparison,
    Outcome,
    compare_row,
    kind_of_row,
)
from matrix.domain.memory.truth_peers import PeerLine, compare_peers
from matrix.domain.memory.truth_sums import Summary, summarize
from matrix.domain.memory.values import ModelShape
from matrix.index import Knowledge
from matrix.memory_truth import KnownShapes, Row, measured_rows, peer_rows

# Classes of rows in the order in which they are shown; words for them stand in the pages.
CLASSES = (
    "dense", "sliding", "experts", "latent", "state", "phi3", "public-file", "public-log",
    "serving", "other",
)  # fmt: skip
_CLASS_OF_ARCH: Mapping[str, str] = {
    "llama": "dense", "qwen2": "dense", "qwen3": "dense", "gemma2": "sliding", "gemma3": "sliding",
    "phi3": "phi3", "qwen2moe": "experts", "qwen3moe": "experts", "gpt-oss": "experts",
    "glm4moe": "experts", "llama4": "experts", "deepseek2": "latent", "mamba2": "state",
    "falcon-h1": "state", "lfm2": "state", "qwen3next": "state",
}  # fmt: skip
_CLASS_OF_KIND: Mapping[str, str] = {
    "model_size": "public-file", "llamacpp_log": "public-log", "serving_log": "serving",
}  # fmt: skip
# An under-estimate beyond this share is a fault unless a warning goes with it.
UNWARNED_SHARE = 0.03


@dataclass(frozen=True, slots=True)
class ClassLine:
    """The errors of one quantity in one class, and how many figures were not estimated."""

    class_: str
    summary: Summary
    unknown: int


@dataclass(frozen=True, slots=True)
class Measured:
    """One compared figure with its row's class, model, words and source."""

    class_: str
    model: str
    label: str
    source: str
    comparison: Comparison

    @property
    def is_outside(self) -> bool:
        """Whether it is off by more than the tolerance of its quantity."""
        one = self.comparison
        return not one.is_exact and (
            abs(one.error) > TOLERANCES[one.quantity]
            or (one.quantity == "total" and one.error < -UNWARNED_SHARE)
        )


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Predictions of this release beside what was measured.

    **Shapes**: ``lines`` by class and quantity, ``overall`` by quantity; ``refusals`` are rows that
    the engine refused and how many of them were foreseen; ``unknown`` counts reasons.
    """

    rows: int
    lines: Sequence[ClassLine]
    overall: Sequence[Summary]
    figures: Sequence[Measured]
    refusals: tuple[int, int]
    unknown: Mapping[str, int]
    peers: Sequence[PeerLine]

    @property
    def outside(self) -> list[Measured]:
        """The figures outside their tolerance, worst first."""
        found = [figure for figure in self.figures if figure.is_outside]
        return sorted(found, key=lambda figure: -abs(figure.comparison.error))


def measure_accuracy(catalogue: Catalogue) -> Accuracy:
    """Predicts every shipped row anew and compares it. Takes seconds."""
    rows = measured_rows()
    shapes = KnownShapes(rows, catalogue)
    figures: list[Measured] = []
    unknown: Counter[str] = Counter()
    unknown_by_line: Counter[tuple[str, str]] = Counter()
    refused = foreseen = 0
    for row in rows:
        outcome = compare_row(row, name=_label(row), shape_of=shapes.of)
        class_ = class_of_row(row, shapes.of(_model(row)))
        figures += _figures(row, outcome, class_)
        refused += outcome.is_refusal
        foreseen += outcome.is_foreseen
        for quantity, why in outcome.unknown:
            unknown[why] += 1
            unknown_by_line[class_, quantity] += 1
    return Accuracy(
        rows=len(rows),
        lines=_lines(figures, unknown_by_line),
        overall=[summarize(q, (one.comparison for one in figures)) for q in QUANTITIES],
        figures=figures,
        refusals=(refused, foreseen),
        unknown=unknown,
        peers=compare_peers(peer_rows(), shape_of=shapes.of),
    )


def class_of_row(row: Row, shape: ModelShape | None) -> str:
    """The class of a row: public figures for themselves, loads by their architecture."""
    stated = _CLASS_OF_KIND.get(kind_of_row(row))
    if stated or shape is None:
        return stated or "other"
    found = _CLASS_OF_ARCH.get(shape.llamacpp_arch, "other")
    return "experts" if found == "dense" and shape.num_experts else found


def _figures(row: Row, outcome: Outcome, class_: str) -> Iterable[Measured]:
    for comparison in outcome.comparisons:
        yield Measured(
            class_=class_,
            model=_model(row),
            label=_label(row),
            source=str(row.get("source", "")),
            comparison=comparison,
        )


def _lines(figures: Sequence[Measured], unknown: Mapping[tuple[str, str], int]) -> list[ClassLine]:
    found = []
    for class_ in CLASSES:
        own = [figure.comparison for figure in figures if figure.class_ == class_]
        for quantity in QUANTITIES:
            summary = summarize(quantity, own)
            left = unknown.get((class_, quantity), 0)
            if summary.rows or left:
                found.append(ClassLine(class_=class_, summary=summary, unknown=left))
    return found


def _model(row: Row) -> str:
    return str(row.get("hf_id") or row.get("model") or "")


def _label(row: Row) -> str:
    """What tells a row from others of its model, in the engine's own words."""
    args = row.get("args")
    words = [str(row.get("quant") or row.get("ftype") or "")]
    if isinstance(args, list):
        words += [str(word) for word in args if word not in ("--no-alloc", "device")]
    elif row.get("engine") and row.get("engine") != "llama.cpp":
        words = [str(row["engine"]), *words]
    return " ".join(word for word in words if word)


class _Holder:
    """The accuracy of the present knowledge; worked out by one thread while readers wait a bit."""

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memory-accuracy")
        self._lock = Lock()
        self._asked: tuple[int, Future[Accuracy]] | None = None

    def get(self, knowledge: Knowledge, *, wait_s: float) -> Accuracy | None:
        with self._lock:
            if self._asked is None or self._asked[0] != knowledge.revision:
                future = self._worker.submit(measure_accuracy, knowledge.catalogue)
                self._asked = (knowledge.revision, future)
            future = self._asked[1]
        try:
            return future.result(timeout=wait_s)
        except NotReady:
            return None


_holder = _Holder()


def current_accuracy(knowledge: Knowledge, *, wait_s: float) -> Accuracy | None:
    """The accuracy at this revision; ``None`` while it is still being worked out."""
    return _holder.get(knowledge, wait_s=wait_s)
