"""Registered and deprecated quantization methods, and the activation types they accept."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.code_facts import CodeFacts, fact_locator, plain, read_facts
from ingest.sources.collecting import Collector
from ingest.sources.vllm_code.naming import FRAMEWORK, method_facets
from matrix.domain.coordinates import Condition
from matrix.domain.levels import ConditionKind, EvidenceKind

_KEYS = ("quantization_methods", "quant_method_config")
_DTYPE = re.compile(r"torch\.(\w+)")
_DTYPE_NAMES = {"half": "float16"}


def read_methods(page: Page, vocabulary: Vocabulary) -> Reading:
    """What the release registers: one statement a method, without hardware."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    for name in facts.words("quantization_methods"):
        _state(collector, "quantization_methods", name, StatementStatus.SUPPORTED)
    for name in facts.words("deprecated_quantization_methods"):
        _state(collector, "deprecated_quantization_methods", name, StatementStatus.DEPRECATED)
    _read_activation_types(collector, facts)
    return collector.reading("quantization-methods")


def _state(collector: Collector, key: str, name: str, status: StatementStatus) -> None:
    at = fact_locator(key)
    draft = replace(collector.draft(at, name), value=name)
    area = "method" if status is StatementStatus.SUPPORTED else "deprecated-method"
    done = collector.state(
        f"{area}/{name.lower()}", method_facets(collector, name, at), status, draft
    )
    if status is StatementStatus.DEPRECATED:
        collector.findings[-1] = replace(done, note="listed as a deprecated method")


def _read_activation_types(collector: Collector, facts: CodeFacts) -> None:
    """The activation types of each method, as values.

    They are no claims: "AWQ needs float16" restricts how a model is loaded, and a model whose
    own type is bfloat16 is converted. The condition is kept as data.
    """
    for name, config in facts.table("quant_method_config").items():
        if not isinstance(config, dict):
            continue
        stated = config.get("act_dtypes")
        if stated is None:
            continue
        at = fact_locator("quant_method_config", name, "act_dtypes")
        types = [_DTYPE_NAMES.get(t, t) for t in _DTYPE.findall(plain(stated))]
        conditions = tuple(
            Condition(kind=ConditionKind.DTYPE, name="dtype", op="=", value=t) for t in types
        )
        draft = replace(
            collector.draft(at, plain(stated)[:80]),
            names={"quantization": name},
            conditions=conditions if len(types) == 1 else (),
            note=f"activations: {', '.join(types)}" if types else "",
        )
        collector.value(
            FindingKind.VALUE,
            f"activation-dtypes/{name.lower()}",
            StatementStatus.VALUE,
            draft,
            value=plain(stated),
        )
