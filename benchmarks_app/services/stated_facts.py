"""Puts together what files, tools and people state of a run; what was observed wins.

Where a person says something else than a file or a tool, both are kept and a notice says so. What
was stated before as not captured gives way to whatever is known.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks_app.contract import Fact, Notice
from benchmarks_app.domain.levels import OBSERVED_ORIGINS, Origin
from benchmarks_app.domain.provenance import NOT_CAPTURED
from benchmarks_app.services.masking import mask_fact, storable_text

Value = str | int | float | bool
DIFFERS = "declared_differs"
# Longer texts are no statement of one thing; the bytes keep them whole.
LONGEST_FACT = 16_000


@dataclass(frozen=True, slots=True)
class StatedFacts:
    """Facts by name, and under ``beside`` what a person declared where it differs from them."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    beside: Mapping[str, Value] = field(default_factory=dict)

    def without_declared(self, names: Iterable[str]) -> "StatedFacts":
        """The same without what people declared of some facts."""
        gone = frozenset(names)
        return StatedFacts(
            {
                n: f
                for n, f in self.facts.items()
                if n not in gone or f.origin is not Origin.UPLOADER
            },
            {n: v for n, v in self.beside.items() if n not in gone},
        )

    def notices(self) -> tuple[Notice, ...]:
        """One notice for each fact of which two different values are stated."""
        return tuple(Notice(DIFFERS, name) for name in self.beside)


def masked_facts(facts: Mapping[str, Fact]) -> dict[str, Fact]:
    """The facts as they may be stored: texts without people, machines, paths and secrets."""
    found = {}
    for name, fact in facts.items():
        value = fact.value
        if isinstance(value, str):
            text = mask_fact(name, storable_text(value[:LONGEST_FACT])).strip()
            if not text:
                continue
            value = text
        found[name] = Fact(value, fact.origin, storable_text(fact.pointer)[:200])
    return found


def state_facts(
    known: StatedFacts, *, pasted: Mapping[str, Fact], declared: Mapping[str, Value]
) -> StatedFacts:
    """What is known, with what a tool's output and a person say in addition."""
    facts = dict(known.facts)
    beside = dict(known.beside)
    for name, fact in pasted.items():
        _add_pasted(facts, beside, name, fact)
    for name, value in declared.items():
        _add_declared(facts, beside, name, value)
    return StatedFacts(facts, beside)


def _add_pasted(facts: dict[str, Fact], beside: dict[str, Value], name: str, fact: Fact) -> None:
    """A tool's output gives way to the file alone."""
    mine = facts.get(name)
    if mine is None or mine.origin is Origin.PASTED:
        facts[name] = fact
    elif mine.origin not in OBSERVED_ORIGINS:
        facts[name] = fact
        if _differ(mine.value, fact.value):
            beside[name] = mine.value
    elif _differ(mine.value, fact.value):
        beside.setdefault(name, fact.value)


def _add_declared(
    facts: dict[str, Fact], beside: dict[str, Value], name: str, value: Value
) -> None:
    """A person's word gives way to whatever was observed, but for names chosen by persons too."""
    mine = facts.get(name)
    if mine is None or mine.origin is Origin.UPLOADER or _is_word(mine.value):
        facts[name] = Fact(value, Origin.UPLOADER)
        beside.pop(name, None)
    elif _is_word(value):
        return
    elif mine.origin is Origin.FILENAME:
        facts[name] = Fact(value, Origin.UPLOADER)
        if _differ(mine.value, value):
            beside[name] = mine.value
    elif _differ(mine.value, value):
        beside[name] = value
    else:
        beside.pop(name, None)


def _differ(one: Value, other: Value) -> bool:
    if _is_word(one) or _is_word(other):
        return False
    return str(one).strip().casefold() != str(other).strip().casefold()


def _is_word(value: Value) -> bool:
    return isinstance(value, str) and value.strip().casefold() == NOT_CAPTURED


def facts_to_plain(stated: StatedFacts) -> dict[str, dict[str, object]]:
    """The facts as a run keeps them."""
    plain: dict[str, dict[str, object]] = {}
    for name, fact in stated.facts.items():
        plain[name] = {"value": fact.value, "origin": fact.origin.value, "pointer": fact.pointer}
        if name in stated.beside:
            plain[name]["declared"] = stated.beside[name]
    return plain


def facts_from_plain(plain: Mapping[str, Mapping[str, object]]) -> StatedFacts:
    """The facts of a run's row."""
    facts: dict[str, Fact] = {}
    beside: dict[str, Value] = {}
    for name, one in plain.items():
        value = one.get("value")
        if isinstance(value, (str, int, float, bool)):
            facts[name] = Fact(value, Origin(str(one["origin"])), str(one.get("pointer", "")))
        declared = one.get("declared")
        if isinstance(declared, (str, int, float, bool)):
            beside[name] = declared
    return StatedFacts(facts, beside)
