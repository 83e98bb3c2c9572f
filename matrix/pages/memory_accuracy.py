"""The page that holds predictions beside measurements: tables, rows outside, a plot, peers."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from matrix.domain.memory.truth_compare import TOLERANCES
from matrix.domain.memory.truth_peers import PeerLine
from matrix.domain.memory.truth_sums import Summary, median_of
from matrix.memory_accuracy import CLASSES, Accuracy, ClassLine, Measured
from matrix.pages.memory_words import exact_text, size_text
from matrix.pages.translated import in_words

MOST_OUTSIDE = 200
# A point more says nothing more where thousands lie on one line.
MOST_POINTS = 1200

CLASS_WORDS: Mapping[str, Promise] = {
    "dense": _("llama.cpp, dense with grouped heads (Llama, Qwen, Mistral)"),
    "sliding": _("llama.cpp, sliding windows (Gemma 2 and 3)"),
    "experts": _("llama.cpp, mixture of experts (Mixtral, Qwen3, gpt-oss, GLM-4.5, Llama 4)"),
    "latent": _("llama.cpp, latent attention (DeepSeek, Kimi, GLM-4.7)"),
    "state": _("llama.cpp, recurrent and mixed (Mamba 2, Falcon-H1, LFM2, Qwen3-Next)"),
    "phi3": _("llama.cpp, Phi-3 and Phi-4"),
    "public-file": _("GGUF files that others published"),
    "public-log": _("llama.cpp loads that others published"),
    "serving": _("Start-up logs of serving engines that others published"),
    "other": _("Others"),
}
QUANTITY_WORDS: Mapping[str, Promise] = {
    "weights": _("weights"),
    "kv": _("KV cache and states"),
    "compute": _("compute buffers"),
    "total": _("total"),
}
REASON_WORDS: Mapping[str, Promise] = {
    "other-mix": _("the file holds another mix of types than llama-quantize makes under this name"),
    "allocator-holes": _("the allocator left holes in the buffer; within the stated range"),
    "beyond-range": _("the buffer is beyond the stated range"),
    "split-graph": _("the graph is cut between devices, or between device and host"),
    "other-backend": _("a back end whose own buffers no rule here covers"),
    "older-format": _("an older file or version that keeps the cache in another layout"),
    "engine-extra": _("the engine keeps more on the device than the checkpoint's tensors"),
    "engine-pages": _("the engine lays out pages for layers of several kinds in its own way"),
    "engine-rounding": _("the log states keys and values apart, each rounded, or whole blocks"),
    "number-not-stated": _("its row lacks a number, so every layer counts as the widest"),
    "structure-not-counted": _("parts of the architecture's own code that its numbers do not tell"),
}
PEER_WORDS: Mapping[str, Promise] = {
    "weights_bf16": _("weights in 16 bits"),
    "kv_8192": _("KV cache of 8,192 tokens in 16 bits"),
    "gguf_weights": _("tensors of a GGUF file"),
    "gguf_kv_4096": _("KV cache of 4,096 tokens, GGUF file"),
}


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """Errors of one quantity, as texts; ``is_good`` says whether the target is met."""

    name: str | Promise
    quantity: str | Promise
    rows: int
    exact: int
    median: str
    p95: str
    worst_under: str
    unknown: int


@dataclass(frozen=True, slots=True)
class OutsideRow:
    """One figure outside its tolerance."""

    name: str
    label: str
    quantity: str | Promise
    error: str
    predicted: str
    predicted_exact: str
    measured: str
    measured_exact: str
    reason: str | Promise
    is_warned: bool
    source: str


@dataclass(frozen=True, slots=True)
class PeerRow:
    """Another estimator's errors, and ours on the same items."""

    peer: str
    what: str | Promise
    rows: int
    no_answer: int
    median: str
    worst: str
    own_rows: int
    own_median: str
    own_worst: str


@dataclass(frozen=True, slots=True)
class AccuracyPage:
    """Everything the page shows."""

    rows: int
    figures: int
    refusals: int
    refusals_foreseen: int
    overall: Sequence[SummaryRow]
    classes: Sequence[SummaryRow]
    outside: Sequence[OutsideRow]
    outside_count: int
    unknown: Sequence[tuple[str, int]]
    peers: Sequence[PeerRow]
    plot: Mapping[str, Any]
    models: Sequence[tuple[str, int, str, str]]


def build_accuracy_page(accuracy: Accuracy) -> AccuracyPage:
    """The page of what was worked out."""
    outside = accuracy.outside
    return AccuracyPage(
        rows=accuracy.rows,
        figures=len(accuracy.figures),
        refusals=accuracy.refusals[0],
        refusals_foreseen=accuracy.refusals[1],
        overall=[_summary_row("", one, 0) for one in accuracy.overall],
        classes=[_class_row(line) for line in accuracy.lines],
        outside=[_outside_row(figure) for figure in outside[:MOST_OUTSIDE]],
        outside_count=len(outside),
        unknown=[
            (in_words(why), count)
            for why, count in sorted(accuracy.unknown.items(), key=lambda one: (-one[1], one[0]))
        ],
        peers=[_peer_row(line) for line in accuracy.peers],
        plot=_plot(accuracy.figures),
        models=_models(accuracy.figures),
    )


def share_text(share: float) -> str:
    """A share in per cent: two digits below one per cent, none where nothing is off."""
    if share == 0:
        return "0 %"
    percent = 100 * share
    if abs(percent) < 0.01:
        return _now("below 0.01 %")
    return f"{percent:.2f} %" if abs(percent) < 10 else f"{percent:.0f} %"


def _class_row(line: ClassLine) -> SummaryRow:
    return _summary_row(CLASS_WORDS[line.class_], line.summary, line.unknown)


def _summary_row(name: str | Promise, summary: Summary, unknown: int) -> SummaryRow:
    has_rows = summary.rows > 0
    return SummaryRow(
        name=name,
        quantity=QUANTITY_WORDS[summary.quantity],
        rows=summary.rows,
        exact=summary.exact,
        median=share_text(summary.median) if has_rows else "–",
        p95=share_text(summary.p95) if has_rows else "–",
        worst_under=share_text(summary.worst_under) if has_rows else "–",
        unknown=unknown,
    )


def _outside_row(figure: Measured) -> OutsideRow:
    one = figure.comparison
    sign = "+" if one.error > 0 else "−"
    return OutsideRow(
        name=figure.model,
        label=figure.label,
        quantity=QUANTITY_WORDS[one.quantity],
        error=f"{sign}{share_text(abs(one.error))}",
        predicted=size_text(one.predicted_bytes),
        predicted_exact=exact_text(one.predicted_bytes),
        measured=size_text(one.measured_bytes),
        measured_exact=exact_text(one.measured_bytes),
        reason=REASON_WORDS.get(one.reason, one.reason),
        is_warned=one.is_warned,
        source=figure.source,
    )


def _peer_row(line: PeerLine) -> PeerRow:
    return PeerRow(
        peer=line.peer,
        what=PEER_WORDS.get(line.what, line.what),
        rows=line.rows,
        no_answer=line.no_answer,
        median=share_text(line.median),
        worst=share_text(line.worst),
        own_rows=line.own_rows,
        own_median=share_text(line.own_median),
        own_worst=share_text(line.own_worst),
    )


def _models(figures: Sequence[Measured]) -> list[tuple[str, int, str, str]]:
    """The same as the plot by model: totals compared, their median and their worst error."""
    errors: dict[str, list[float]] = defaultdict(list)
    for figure in figures:
        if figure.comparison.quantity == "total":
            errors[figure.model].append(figure.comparison.error)
    return [
        (model, len(own), share_text(median_of(own)), share_text(max(map(abs, own))))
        for model, own in sorted(errors.items())
    ]


def _plot(figures: Sequence[Measured]) -> Mapping[str, Any]:
    """Totals predicted over totals measured on logarithmic axes, one mark for each class."""
    totals = [figure for figure in figures if figure.comparison.quantity == "total"]
    step = max(1, len(totals) // MOST_POINTS)
    totals = totals[::step]
    traces: list[dict[str, Any]] = []
    for slot, class_ in enumerate(CLASSES):
        own = [figure for figure in totals if figure.class_ == class_]
        if own:
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": str(CLASS_WORDS[class_]),
                    "x": [round(one.comparison.measured_bytes / 2**20, 1) for one in own],
                    "y": [round(one.comparison.predicted_bytes / 2**20, 1) for one in own],
                    "text": [one.model for one in own],
                    "meta": {"slot": slot},
                    "hovertemplate": "%{text}: %{x:.4g} → %{y:.4g} MiB<extra></extra>",
                }
            )
    ends = [size for trace in traces for size in (min(trace["x"]), max(trace["x"]))]
    if ends:
        line = [min(ends), max(ends)]
        traces.append(
            {
                "type": "scatter", "mode": "lines", "name": _now("predicted = measured"),
                "x": line, "y": line, "meta": {"slot": 7}, "hoverinfo": "skip",
                "line": {"width": 1},
            }
        )  # fmt: skip
    layout = {
        "xaxis": {"type": "log", "title": {"text": _now("measured [MiB]")}},
        "yaxis": {"type": "log", "title": {"text": _now("predicted [MiB]")}},
    }
    return {"data": traces, "layout": layout}


def tolerance_rows() -> list[tuple[str | Promise, str]]:
    """From which error on a row counts as outside, by quantity."""
    return [(QUANTITY_WORDS[name], share_text(share)) for name, share in TOLERANCES.items()]
