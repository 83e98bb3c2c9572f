"""Minimum compute capabilities of methods and schemes: what a release refuses to load."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnknownWord,
    Vocabulary,
)
from ingest.sources.capabilities import NVIDIA, nvidia_below
from ingest.sources.code_facts import CodeFacts, Json, fact_locator, plain, read_facts
from ingest.sources.collecting import Collector, Facet
from ingest.sources.vllm_code.naming import (
    FRAMEWORK,
    method_facets,
    method_named,
    scheme_facets,
)
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, EvidenceKind, Limit

_KEYS = ("quant_method_config", "scheme_min_capability")
_REFERENCE = re.compile(r"^(\w+)\.get_min_capability\(\)$")


def read_gates(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every stated minimum, and for a number what lies below it and what passes."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.CAPABILITY_GATE)
    for name, config in facts.table("quant_method_config").items():
        if isinstance(config, dict) and config.get("min_capability") is not None:
            _read_method(collector, name, config)
    for name, stated in facts.table("scheme_min_capability").items():
        _read_scheme(collector, facts, name, stated)
    return collector.reading()


def _read_method(collector: Collector, name: str, config: dict[str, Json]) -> None:
    at = fact_locator("quant_method_config", name, "min_capability")
    stated = config["min_capability"]
    _state_value(collector, at, f"min-capability/{name.lower()}", name, stated)
    floor = _floor(stated)
    if floor is None or method_named(name).bound_to:
        return
    config_class = config.get("config_class")
    facets = method_facets(
        collector, name, at, config_class=config_class if isinstance(config_class, str) else ""
    )
    _state_gate(collector, at, f"gate/{name.lower()}", facets, floor=floor, stated=stated)


def _read_scheme(collector: Collector, facts: CodeFacts, name: str, stated: Json) -> None:
    at = fact_locator("scheme_min_capability", name)
    _state_value(collector, at, f"min-capability/{name.lower()}", name, stated)
    meaning = scheme_facets(name)
    if meaning is None:
        collector.unknown.append(UnknownWord(axis="quantization", word=name, locator=at))
        return
    facets, note = meaning
    floor = _floor(_resolve(facts, stated))
    if facets and floor is not None:
        _state_gate(
            collector, at, f"gate/{name.lower()}", facets, floor=floor, stated=stated, note=note
        )


def _resolve(facts: CodeFacts, stated: Json) -> Json:
    """The value that a scheme takes from another scheme, else its own."""
    if isinstance(stated, str) and (match := _REFERENCE.match(stated)):
        return facts.at("scheme_min_capability", match[1])
    return stated


def _floor(stated: Json) -> float | None:
    """The floor as a compute capability, or ``None`` where no device is refused.

    A list is a floor with an emulation below it, so the lowest number is what is refused.
    """
    numbers = stated if isinstance(stated, list) else [stated]
    whole = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool)]
    if not whole or min(whole) < 10:
        return None
    return min(whole) / 10


def _state_value(
    collector: Collector, at: Locator, statement: str, name: str, stated: Json
) -> None:
    draft = replace(
        collector.draft(at, plain(stated)[:80]),
        names={"quantization": name},
        evidence=EvidenceKind.CAPABILITY_GATE,
    )
    collector.value(FindingKind.VALUE, statement, StatementStatus.VALUE, draft, value=plain(stated))


def _state_gate(
    collector: Collector,
    at: Locator,
    area: str,
    facets: Sequence[Facet],
    *,
    floor: float,
    stated: Json,
    note: str = "",
) -> None:
    """Two statements of one gate: refused below the floor, let pass from it on."""
    below = nvidia_below(floor)
    draft = replace(collector.draft(at, plain(stated)[:80]), value=plain(stated))
    told = f"below the code's floor of compute capability {floor:g}"
    refused = Facet(axis=Axis.HARDWARE, word=f"compute capability < {floor:g}", slugs=below)
    passing = Facet(
        axis=Axis.HARDWARE,
        word=f"compute capability ≥ {floor:g}",
        slugs=frozenset({NVIDIA}),
        exclude=below,
        key="nvidia",
    )
    collector.state(
        area + "/refused",
        [*facets, replace(refused, key="below")],
        StatementStatus.UNSUPPORTED,
        replace(draft, limit=Limit.HARDWARE, note=f"{told}; {note}" if note else told),
    )
    collector.state(area + "/passed", [*facets, passing], StatementStatus.SUPPORTED, draft)
