"""Which facts make a run reproducible, which of them are known, and the grade that follows.

**Source**: the table ``ITEMS`` is the rule; docs/reproducibility.md is written from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from benchmarks_app.contract import Fact, Load, RunReading
from benchmarks_app.domain.levels import OBSERVED_ORIGINS, LoadMode

# What an uploader writes for a fact that nobody can tell any more.
NOT_CAPTURED = "not captured"


class Known(StrEnum):
    """How an item of the checklist stands."""

    OBSERVED = "observed"  # a file or a tool says it
    DECLARED = "declared"  # a person says it
    NOT_CAPTURED = "not-captured"  # a person says that nobody knows it
    NOT_APPLICABLE = "not-applicable"  # the run has no such thing
    MISSING = "missing"  # nobody said anything


class Grade(StrEnum):
    """How reproducible a run is."""

    A = "A"  # another person can repeat it to the last flag
    B = "B"  # the same software on the same hardware under the same load
    C = "C"  # it is known what was measured on what
    D = "D"  # less than that


@dataclass(frozen=True, slots=True)
class Item:
    """One item: it is known when any of ``facts`` or ``load`` is.

    ``needed_for`` is the lowest grade that asks for it; every better grade does so too. ``modes``
    are the load modes that have such a thing, empty for all. ``open_prefix`` names facts by what
    they begin with (environment variables).
    """

    name: str
    needed_for: Grade
    facts: tuple[str, ...] = ()
    load: tuple[str, ...] = ()
    open_prefix: str = ""
    command: bool = False
    modes: tuple[LoadMode, ...] = ()


_SERVED = (LoadMode.CLOSED_LOOP, LoadMode.OPEN_LOOP, LoadMode.BURST, LoadMode.REPLAY)
_ARRIVALS = (
    "request_rate", "request_rate_unbounded", "max_concurrency", "batch_size", "n_prompt", "n_gen",
)  # fmt: skip

ITEMS: tuple[Item, ...] = (
    Item("model.id", Grade.C, ("model.id", "model.file")),
    Item("quantization.weights", Grade.C, ("quantization.weights", "model.desc")),
    Item("framework.name", Grade.C, ("framework.name",)),
    Item("framework.version", Grade.C,
         ("framework.version", "framework.commit", "framework.build_number")),
    Item("accelerator.name", Grade.C, ("accelerator.name",)),
    Item("accelerator.count", Grade.C, ("accelerator.count",)),
    Item("load.mode", Grade.C, load=("mode",)),
    Item("load.arrival", Grade.C, load=_ARRIVALS),
    Item("model.revision", Grade.B, ("model.revision",)),
    Item("framework.exact", Grade.B, ("framework.commit", "container.digest")),
    Item("accelerator.driver", Grade.B, ("accelerator.driver",)),
    Item("tool.name", Grade.B, ("tool.name",)),
    Item("load.input_length", Grade.B, load=("isl_target", "isl_mean", "n_prompt")),
    Item("load.output_length", Grade.B, load=("osl_target", "osl_mean", "n_gen")),
    Item("load.amount", Grade.B, load=("num_prompts", "duration_target_s"), modes=_SERVED),
    Item("run.date", Grade.B,
         ("run.started_at", "run.finished_at", "run.started_at_local", "run.finished_at_local")),
    Item("container.image", Grade.A, ("container.image",)),
    Item("container.digest", Grade.A, ("container.digest",)),
    Item("accelerator.runtime", Grade.A, ("accelerator.runtime",)),
    Item("host.os", Grade.A, ("host.os", "host.kernel")),
    Item("tool.version", Grade.A, ("tool.version", "framework.build_number")),
    Item("tokenizer.id", Grade.A, ("tokenizer.id",), modes=_SERVED),
    Item("load.dataset", Grade.A, ("load.dataset",), modes=_SERVED),
    Item("load.seed", Grade.A, ("load.seed",), modes=_SERVED),
    Item("load.warmup", Grade.A, load=("warmup",), modes=_SERVED),
    Item("run.timezone", Grade.A, ("run.timezone", "run.started_at", "run.finished_at")),
    Item("framework.arguments", Grade.A, ("framework.arguments",), open_prefix="server_param."),
    Item("environment.variables", Grade.A, ("environment.variables",), open_prefix="env."),
    Item("client.command", Grade.A, ("client.command",), command=True),
)  # fmt: skip
_BY_NAME: Mapping[str, Item] = {item.name: item for item in ITEMS}

# A processor alone has no driver and is known by its own name.
_ACCELERATOR_ITEMS = frozenset(
    {"accelerator.name", "accelerator.count", "accelerator.driver", "accelerator.runtime"}
)
_PROCESSOR_BACKENDS = frozenset({"cpu", "blas", "accelerate", "openblas", "mkl"})


@dataclass(frozen=True, slots=True)
class Checked:
    """One item of a run's checklist; ``value`` is what is known, ``None`` where nothing is."""

    item: Item
    known: Known
    value: str | int | float | bool | None = None


@dataclass(frozen=True, slots=True)
class Reproducibility:
    """The grade and the whole checklist; ``lacking`` are the items that keep it from a better
    grade, the next one's first."""

    grade: Grade
    checklist: tuple[Checked, ...]
    lacking: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Items of which nobody said anything; they must at least be stated as not captured."""
        return tuple(one.item.name for one in self.checklist if one.known is Known.MISSING)


def grade_run(facts: Mapping[str, Fact], load: Load, *, command: str = "") -> Reproducibility:
    """The checklist and the grade of a run.

    A grade is reached when every item that it or a lower grade needs is known, observed or
    declared; what is stated as not captured is honest and still not known.
    """
    checklist = tuple(_check(item, facts, load, command=command) for item in ITEMS)
    unknown = [one for one in checklist if one.known in (Known.MISSING, Known.NOT_CAPTURED)]
    grade = Grade.A
    for candidate, below in ((Grade.A, Grade.B), (Grade.B, Grade.C), (Grade.C, Grade.D)):
        if any(one.item.needed_for is candidate for one in unknown):
            grade = below
    order = (Grade.C, Grade.B, Grade.A)
    lacking = sorted(unknown, key=lambda one: order.index(one.item.needed_for))
    return Reproducibility(grade, checklist, tuple(one.item.name for one in lacking))


def needed_for(name: str) -> Grade:
    """The lowest grade that asks for an item. **Raises**: ``KeyError`` for no item's name."""
    return _BY_NAME[name].needed_for


def _check(item: Item, facts: Mapping[str, Fact], load: Load, *, command: str) -> Checked:
    # An item's own name may be declared as well, if only to say that nobody captured it.
    names = [name for name in dict.fromkeys((*item.facts, item.name)) if name in facts]
    if item.open_prefix:
        names += sorted(name for name in facts if name.startswith(item.open_prefix))
    stated = [facts[name] for name in names]
    told = [fact for fact in stated if is_known(fact)]
    if told:
        observed = next((fact for fact in told if fact.origin in OBSERVED_ORIGINS), None)
        if observed is not None:
            return Checked(item, Known.OBSERVED, observed.value)
        return Checked(item, Known.DECLARED, told[0].value)
    for name in item.load:
        value = getattr(load, name)
        if value is not None:
            return Checked(item, Known.OBSERVED, value)
    if item.command and command:
        return Checked(item, Known.OBSERVED, command)
    if _has_no_such_thing(item, facts, load):
        return Checked(item, Known.NOT_APPLICABLE)
    if any(_says_not_captured(fact) for fact in stated):
        return Checked(item, Known.NOT_CAPTURED)
    return Checked(item, Known.MISSING)


def _is_blank(fact: Fact) -> bool:
    return isinstance(fact.value, str) and fact.value.strip() in ("", "-", ".", "?")


def _says_not_captured(fact: Fact) -> bool:
    return isinstance(fact.value, str) and fact.value.strip().casefold() == NOT_CAPTURED


def _has_no_such_thing(item: Item, facts: Mapping[str, Fact], load: Load) -> bool:
    if item.modes and load.mode is not None and load.mode not in item.modes:
        return True
    if item.name == "load.output_length" and load.n_prompt and load.n_gen == 0:
        return True
    if item.name == "load.input_length" and load.n_gen and load.n_prompt == 0:
        return True
    return item.name in _ACCELERATOR_ITEMS and runs_on_processor(facts)


def runs_on_processor(facts: Mapping[str, Fact]) -> bool:
    """Whether the run states a processor and that its backend uses no other device."""
    backends = [
        str(facts[name].value).casefold()
        for name in ("accelerator.backend", "framework.backend")
        if name in facts
    ]
    parts = {part.strip() for one in backends for part in one.replace("+", ",").split(",")} - {""}
    return "host.cpu" in facts and bool(parts) and parts <= _PROCESSOR_BACKENDS


# A fact that says the same under another name: a build number is llama.cpp's version, and its
# model description names the type of the weights.
_STANDS_FOR: Mapping[str, tuple[str, ...]] = {
    "framework.version": ("framework.build_number",),
    "quantization.weights": ("model.desc",),
}
_DATES = ("run.started_at", "run.finished_at")
_LOCAL_DATES = ("run.started_at_local", "run.finished_at_local")
_IN_ORDER = (
    "accelerator.name", "accelerator.count", "accelerator.driver", "framework.name",
    "framework.version", "framework.commit", "container.image", "container.digest",
    "quantization.weights", "model.id", "model.revision",
)  # fmt: skip


def missing_provenance(run: RunReading) -> list[str]:
    """The graded facts that a run does not state, by their names.

    ``run.timezone`` is among them where the date lacks a zone or is absent, ``run.started_at``
    where no date is stated at all.
    """
    missing = [
        name
        for name in _IN_ORDER
        if not any(_is_stated(run.facts, one) for one in (name, *_STANDS_FOR.get(name, ())))
    ]
    dated = any(_is_stated(run.facts, name) for name in _DATES)
    if not dated and not _is_stated(run.facts, "run.timezone"):
        missing.append("run.timezone")
    if not dated and not any(_is_stated(run.facts, name) for name in _LOCAL_DATES):
        missing.append("run.started_at")
    return missing


def _is_stated(facts: Mapping[str, Fact], name: str) -> bool:
    fact = facts.get(name)
    return fact is not None and is_known(fact)


def is_known(fact: Fact) -> bool:
    """Whether a stated fact says something: neither blank nor that nobody captured it."""
    return not _is_blank(fact) and not _says_not_captured(fact)
