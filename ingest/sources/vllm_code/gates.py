"""Minimum compute capabilities of methods and schemes: what a release refuses to load."""

import re

from ingest.contract import Page, Reading, UnknownWord, Vocabulary
from ingest.sources.code_facts import CodeFacts, Json, fact_locator, read_facts
from ingest.sources.collecting import Collector
from ingest.sources.gates import floor_of, state_floor_value, state_gate
from ingest.sources.vllm_code.naming import (
    FRAMEWORK,
    method_facets,
    method_named,
    scheme_facets,
)
from matrix.domain.levels import EvidenceKind

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
    state_floor_value(collector, at, f"min-capability/{name.lower()}", name, stated)
    floor = floor_of(stated)
    if floor is None or method_named(name).bound_to:
        return
    config_class = config.get("config_class")
    facets = method_facets(
        collector, name, at, config_class=config_class if isinstance(config_class, str) else ""
    )
    state_gate(collector, at, f"gate/{name.lower()}", facets, floor=floor, stated=stated)


def _read_scheme(collector: Collector, facts: CodeFacts, name: str, stated: Json) -> None:
    at = fact_locator("scheme_min_capability", name)
    state_floor_value(collector, at, f"min-capability/{name.lower()}", name, stated)
    meaning = scheme_facets(name)
    if meaning is None:
        collector.unknown.append(UnknownWord(axis="quantization", word=name, locator=at))
        return
    facets, note = meaning
    floor = floor_of(_resolve(facts, stated))
    if facets and floor is not None:
        state_gate(
            collector, at, f"gate/{name.lower()}", facets, floor=floor, stated=stated, note=note
        )


def _resolve(facts: CodeFacts, stated: Json) -> Json:
    """The value that a scheme takes from another scheme, else its own."""
    if isinstance(stated, str) and (match := _REFERENCE.match(stated)):
        return facts.at("scheme_min_capability", match[1])
    return stated
