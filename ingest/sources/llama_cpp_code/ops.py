"""Operator support per backend as aggregated in the facts; values at the level of operators.

What a backend does not compute runs on the CPU, so an operator's "no" is no "does not run". The
statements about quantizations are made by the reader of the operator files themselves; those
about cache types here, because only the complete files show all their tests.
"""

from collections.abc import Mapping
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnknownWord, Vocabulary
from ingest.sources.code_facts import CodeFacts, fact_locator, plain, read_facts
from ingest.sources.collecting import Collector, Facet
from ingest.sources.llama_cpp.words import FRAMEWORK, backend_and_hardware, backend_facet
from matrix.domain.coordinates import NodeSet, Scope
from matrix.domain.levels import Axis, EvidenceKind, Execution

STATUSES: Mapping[str, StatementStatus] = {
    "yes": StatementStatus.SUPPORTED,
    "partial": StatementStatus.PARTIAL,
    "no": StatementStatus.UNSUPPORTED,
}
_CACHE_KEY, _PLAIN_CACHE = "flash_attn_by_kv_type", "f16"
_AGGREGATES: Mapping[str, str] = {
    "mul_mat_by_type_a": "MUL_MAT",
    "flash_attn_by_kv_type": "FLASH_ATTN_EXT",
}


def read_ops(page: Page, vocabulary: Vocabulary) -> Reading:
    """One value an operator and backend, and one a matrix type and backend."""
    facts = read_facts(page, framework=FRAMEWORK, keys=("ops_csv",))
    # The files are refreshed by hand, so they speak as the documentation they belong to.
    collector = Collector(page, vocabulary, evidence=EvidenceKind.DOCUMENTATION)
    for name in facts.table("ops_csv"):
        at = fact_locator("ops_csv", name)
        backend = backend_facet(collector, name, at)
        for op, stated in facts.table("ops_csv", name, "ops").items():
            path = ("ops_csv", name, "ops", op)
            _state(
                collector,
                backend,
                path,
                f"op/{op.lower()}",
                stated=plain(stated),
                names={"op": op},
            )
        for key, op in _AGGREGATES.items():
            for kind in facts.table("ops_csv", name, key):
                _state_aggregate(collector, facts, backend, (name, key, kind), op)
        for kind in facts.table("ops_csv", name, _CACHE_KEY):
            _state_cache(collector, facts, backend, name, kind)
    return collector.reading()


def _state_aggregate(
    collector: Collector, facts: CodeFacts, backend: Facet, place: tuple[str, str, str], op: str
) -> None:
    name, key, kind = place
    path = ("ops_csv", name, key, kind, "status")
    count = f"{facts.at('ops_csv', name, key, kind, 'ok')} of"
    count += f" {facts.at('ops_csv', name, key, kind, 'n')} test shapes"
    _state(
        collector,
        backend,
        path,
        f"op-type/{op.lower()}/{kind.lower()}",
        stated=plain(facts.at(*path)),
        names={"op": op, "quantization": kind},
        note=count,
    )


def _state_cache(
    collector: Collector, facts: CodeFacts, backend: Facet, name: str, kind: str
) -> None:
    """What the attention tests say of one type of the KV cache.

    A type counts as supported where at least the share of shapes works that works with the plain
    16-bit cache: what is missing then is a matter of the shapes, not of the type.
    """
    at = fact_locator("ops_csv", name, _CACHE_KEY, kind)
    share = _share(facts, name, kind)
    if share is None or not backend.known:
        return
    slugs = collector.vocabulary.find("kv_dtype", f"kv-{kind.replace('_', '-')}")
    if not slugs:
        collector.miss("kv_dtype", kind, at)
    cache = Facet(axis=Axis.KV_DTYPE, word=kind, slugs=frozenset(slugs))
    facets = [cache, *backend_and_hardware(next(iter(backend.slugs)), backend.word)]
    draft = replace(collector.draft(at, f"{share:.0%}"), value=f"{share:.4f}")
    if share and share >= min(1.0, _share(facts, name, _PLAIN_CACHE) or 1.0):
        collector.state("cache-type", facets, StatementStatus.SUPPORTED, draft)
    elif share:
        note = "flash attention with this cache type for some shapes only"
        collector.state("cache-type", facets, StatementStatus.PARTIAL, replace(draft, note=note))
    else:
        note = "flash attention with this cache type is computed on the CPU"
        draft = replace(draft, note=note, execution=Execution.CPU_FALLBACK)
        collector.state("cache-type", facets, StatementStatus.PARTIAL, draft)


def _share(facts: CodeFacts, name: str, kind: str) -> float | None:
    ok = facts.at("ops_csv", name, _CACHE_KEY, kind, "ok")
    count = facts.at("ops_csv", name, _CACHE_KEY, kind, "n")
    if not isinstance(ok, int) or not isinstance(count, int) or not count:
        return None
    return ok / count


def _state(
    collector: Collector,
    backend: Facet,
    path: tuple[str, ...],
    statement: str,
    *,
    stated: str,
    names: Mapping[str, str],
    note: str = "",
) -> None:
    at = fact_locator(*path)
    status = STATUSES.get(stated)
    if status is None:
        collector.unknown.append(UnknownWord(axis="status", word=stated, locator=at))
        status = StatementStatus.NOT_STATED
    if status is StatementStatus.PARTIAL and not note:
        note = "some of the tested shapes and types"
    scope = None
    if backend.known:
        scope = Scope(nodes={Axis.BACKEND: NodeSet(include=backend.slugs)})
    draft = replace(
        collector.draft(at, stated),
        names={**names, "backend": backend.word},
        note=note,
        scope=scope,
    )
    collector.value(
        FindingKind.VALUE, f"{statement}/{backend.key_part}", status, draft, value=stated
    )
