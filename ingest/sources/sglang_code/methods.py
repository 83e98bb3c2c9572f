"""SGLang's quantization methods: registered ones, where some are registered, what the CPU takes."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ingest.contract import Page, Reading, StatementStatus, UnknownWord, Vocabulary
from ingest.sources.code_facts import CodeFacts, Json, fact_locator, plain, read_facts
from ingest.sources.collecting import Collector, Facet, facet_of
from ingest.sources.gates import floor_of, state_floor_value, state_gate
from ingest.sources.sglang.words import method as page_method
from ingest.sources.sglang_code.conditions import hardware_of
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, EvidenceKind, Limit

FRAMEWORK = "sglang"
_KEYS = ("quantization_methods", "conditional_methods", "cpu_quantization_methods")
_BORROWED = "vllm"
_NEEDS_VLLM = Condition(kind=ConditionKind.PACKAGE, name=_BORROWED)
# The list is consulted where the CPU has matrix extensions; without them the general one holds.
_CPU_NODE = "cpu-x86-amx"
# Names whose class is that of another name: what they refuse, the other refuses as well.
_SHORTHAND: Mapping[str, str] = {"modelopt": "modelopt-fp8"}


def method(name: str, at: Locator, collector: Collector) -> Facet:
    """The quantization of a method; the code's "modelopt" is the class of its FP8 format."""
    if name in _SHORTHAND:
        return facet_of(Axis.QUANTIZATION, name, _SHORTHAND[name])
    return page_method(name, at, collector)


def read_methods(page: Page, vocabulary: Vocabulary) -> Reading:
    """One statement a registered method, without hardware; a borrowed one needs its package."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    for name, told in facts.table("quantization_methods").items():
        at = fact_locator("quantization_methods", name)
        draft = replace(collector.draft(at, name), value=name)
        if isinstance(told, dict) and told.get("needs") == _BORROWED:
            draft = replace(
                draft,
                conditions=(_NEEDS_VLLM,),
                note="uses vLLM's operators, so vLLM must be installed",
            )
        facet = method(name, at, collector)
        collector.state(f"method/{name.lower()}", [facet], StatementStatus.SUPPORTED, draft)
    return collector.reading("quantization-methods")


def read_gates(page: Page, vocabulary: Vocabulary) -> Reading:
    """The floors of the methods' classes: what lies below is refused, what passes shows nothing."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.CAPABILITY_GATE)
    for name, told in facts.table("quantization_methods").items():
        stated: Json = told.get("min_capability") if isinstance(told, dict) else None
        if stated is None:
            continue
        at = fact_locator("quantization_methods", name, "min_capability")
        state_floor_value(collector, at, f"min-capability/{name.lower()}", name, stated)
        floor = floor_of(stated)
        if floor is not None:
            facet = method(name, at, collector)
            state_gate(collector, at, f"gate/{name.lower()}", [facet], floor=floor, stated=stated)
    return collector.reading()


def read_platforms(page: Page, vocabulary: Vocabulary) -> Reading:
    """Where single methods are registered at all, and the list of the CPU; both are gates."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.CAPABILITY_GATE)
    for position, told in enumerate(facts.items("conditional_methods")):
        if isinstance(told, dict):
            _state_conditional(collector, told, position)
    _read_cpu(collector, facts)
    return collector.reading()


def _state_conditional(collector: Collector, told: Mapping[str, Json], position: int) -> None:
    """A method that is registered on some hardware only; elsewhere its name may mean another."""
    name, condition = plain(told.get("method")), plain(told.get("condition"))
    at = fact_locator("conditional_methods", str(position))
    slugs = hardware_of(condition)
    if slugs is None:
        collector.unknown.append(UnknownWord(axis="platform", word=condition, locator=at))
    draft = replace(collector.draft(at, condition[:80]), value=name)
    where = Facet(axis=Axis.HARDWARE, word=condition, slugs=slugs or frozenset())
    facets = [method(name, at, collector), where]
    collector.state(f"registered-on/{name.lower()}", facets, StatementStatus.SUPPORTED, draft)


def _read_cpu(collector: Collector, facts: CodeFacts) -> None:
    allowed = facts.words("cpu_quantization_methods")
    at = fact_locator("cpu_quantization_methods")
    if not allowed:
        return
    cpu = facet_of(Axis.HARDWARE, "CPU with AMX", _CPU_NODE)
    reached = {method(name, at, collector).slugs for name in allowed}
    for name in allowed:
        draft = replace(collector.draft(at, name), value=name)
        facets = [method(name, at, collector), cpu]
        collector.state(f"cpu-list/{name.lower()}", facets, StatementStatus.SUPPORTED, draft)
    for name in _left_out(facts.table("quantization_methods"), allowed):
        facet = method(name, at, collector)
        if facet.slugs in reached:
            continue
        draft = replace(
            collector.draft(at, name),
            value=name,
            limit=Limit.FRAMEWORK,
            note="a registered method that the list for CPUs leaves out",
        )
        collector.state(
            f"cpu-list/{name.lower()}", [facet, cpu], StatementStatus.UNSUPPORTED, draft
        )


def _left_out(registered: Iterable[str], allowed: tuple[str, ...]) -> list[str]:
    return [name for name in registered if name not in allowed and name not in _SHORTHAND]
