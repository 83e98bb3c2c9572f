"""What a run is about, in words: its subject, its load, its day, and its headline values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks_app.domain.levels import LoadMode, RunClass, RunOutcome, RunState, RunStatus
from benchmarks_app.domain.showing import shown_text
from benchmarks_app.models import Run
from benchmarks_app.pages.metric_words import (
    definition_word,
    metric_word,
    number_word,
    stat_word,
    unit_word,
    value_word,
)
from benchmarks_app.pages.words import (
    CLASS_SIGNS,
    GRADE_WORDS,
    LOAD_MODE_SHORT,
    OUTCOME_SIGNS,
    STATE_SIGNS,
    STATUS_SIGNS,
)
from benchmarks_app.queries.run_list import Headline
from matrix.domain.catalogue import Catalogue
from matrix.pages.links import node_name
from matrix.pages.words import Sign

# Facts that name a run's subject where the catalogue knows no node for it, the best first.
NAMING_FACTS: Mapping[str, tuple[str, ...]] = {
    "framework": ("framework.name",),
    "model": ("model.id", "model.file", "model.desc", "model.raw"),
    "quantization": ("quantization.weights",),
    "hardware": ("accelerator.name", "host.cpu"),
}
MOCKED = "mock_server"
LONGEST_NAME = 120
SHORT_METRICS: Mapping[str, str] = {
    "ttft": "TTFT",
    "tpot": "TPOT",
    "itl": "ITL",
    "e2el": "E2EL",
    "ttst": "TTST",
}
# In a list the unit stands behind the number, so that the name need not say "throughput".
LISTED_METRICS: Mapping[str, Promise] = {
    "output_token_throughput": gettext_lazy("output"),
    "output_token_throughput_per_gpu": gettext_lazy("output"),
    "total_token_throughput": gettext_lazy("input and output"),
    "total_token_throughput_per_gpu": gettext_lazy("input and output"),
    "token_throughput": gettext_lazy("tokens, which not stated"),
    "token_throughput_per_gpu": gettext_lazy("tokens, which not stated"),
    "request_throughput": gettext_lazy("requests"),
    "prefill_throughput": gettext_lazy("prefill"),
    "decode_throughput": gettext_lazy("decode"),
    "mixed_throughput": gettext_lazy("prompt and generation"),
    "prefill_latency": gettext_lazy("prefill"),
    "decode_latency": gettext_lazy("decode"),
    "batch_latency": gettext_lazy("batch"),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """A name of one axis; ``known`` tells whether a node of the catalogue stands behind it."""

    name: str
    known: bool


@dataclass(frozen=True, slots=True)
class Value:
    """A measured value as tables show it."""

    metric: str
    short: str
    name: str
    stat: str
    number: str
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run as lists show it."""

    uid: str
    label: str
    model: Subject
    hardware: Subject
    hardware_count: int | None
    framework: Subject
    framework_version: str
    quantization: Subject
    load: Sequence[str]
    values: Sequence[Value]
    status: Sign
    is_complete: bool
    outcome: Sign
    run_class: Sign
    state: Sign
    is_standing: bool
    mocked: bool
    grade: str
    grade_word: Promise | str
    measured_on: date | None
    published_on: date | None
    tool: str


def subject_of(run: Run, axis: str, catalogue: Catalogue) -> Subject:
    """The run's node on an axis by name; else what its file calls it; else an empty name."""
    slug = str(getattr(run, axis))
    if slug:
        return Subject(node_name(catalogue, axis, slug), known=True)
    stated = (run.facts.get(name, {}).get("value") for name in NAMING_FACTS[axis])
    name = next((str(value) for value in stated if value not in (None, "")), "")
    return Subject(shown_text(name, longest=LONGEST_NAME), known=False)


def version_of(run: Run) -> str:
    """The framework's version as resolved or stated; blank where nobody says it."""
    return run.framework_version or str(run.facts.get("framework.version", {}).get("value", ""))


def load_words(run: Run) -> list[str]:
    """The offered load in a few words; what is unknown is left out."""
    words = []
    if run.load_mode:
        words.append(str(LOAD_MODE_SHORT[LoadMode(run.load_mode)]))
    if run.max_concurrency is not None:
        words.append(_("concurrency %(n)d") % {"n": run.max_concurrency})
    if run.request_rate is not None:
        words.append(_("%(n)s req/s") % {"n": number_word(run.request_rate)})
    # A test of prompts alone or of generation alone has no arrow: nothing goes over into it.
    if run.load_mode == LoadMode.MICROBENCH and not run.output_tokens and run.input_tokens:
        words.append(_("%(n)s prompt tokens") % {"n": number_word(run.input_tokens)})
    elif run.load_mode == LoadMode.MICROBENCH and not run.input_tokens and run.output_tokens:
        words.append(_("%(n)s generated tokens") % {"n": number_word(run.output_tokens)})
    elif run.input_tokens is not None or run.output_tokens is not None:
        sides = [
            number_word(side) if side is not None else "?"
            for side in (run.input_tokens, run.output_tokens)
        ]
        words.append(_("%(input)s → %(output)s tokens") % {"input": sides[0], "output": sides[1]})
    return words


def value_of(headline: Headline) -> Value:
    """A headline value in words and shown units."""
    name = SHORT_METRICS.get(headline.metric) or metric_word(headline.metric)
    return Value(
        metric=headline.metric,
        short=str(LISTED_METRICS.get(headline.metric) or name),
        name=name,
        stat="" if headline.stat == "value" else stat_word(headline.stat),
        number=value_word(headline.metric, headline.value),
        unit=unit_word(headline.metric),
        meaning=f"{metric_word(headline.metric)}: {definition_word(headline.definition)}",
    )


def is_mocked(run: Run) -> bool:
    """Whether a stand-in answered in place of a model."""
    return any(notice.get("code") == MOCKED for notice in run.notices)


def run_line(run: Run, headlines: Sequence[Headline], catalogue: Catalogue) -> RunLine:
    """One run as lists show it."""
    return RunLine(
        uid=run.uid,
        label=run.label or run.uid,
        model=subject_of(run, "model", catalogue),
        hardware=subject_of(run, "hardware", catalogue),
        hardware_count=run.hardware_count,
        framework=subject_of(run, "framework", catalogue),
        framework_version=version_of(run),
        quantization=subject_of(run, "quantization", catalogue),
        load=load_words(run),
        values=[value_of(one) for one in headlines],
        status=STATUS_SIGNS[RunStatus(run.status)],
        is_complete=run.status == RunStatus.OK,
        outcome=OUTCOME_SIGNS[RunOutcome(run.outcome)],
        run_class=CLASS_SIGNS[RunClass(run.run_class)],
        state=STATE_SIGNS[RunState(run.state)],
        is_standing=run.state == RunState.PUBLISHED,
        mocked=is_mocked(run),
        grade=run.grade,
        grade_word=GRADE_WORDS.get(run.grade, ""),
        measured_on=run.measured_on or (run.measured_at.date() if run.measured_at else None),
        published_on=run.published_at.date() if run.published_at else None,
        tool=run.tool,
    )
