"""Floors in code: what a minimum compute capability refuses, and what it lets pass."""

from collections.abc import Sequence
from dataclasses import replace

from ingest.contract import FindingKind, StatementStatus
from ingest.sources.capabilities import NVIDIA, nvidia_below
from ingest.sources.code_facts import Json, plain
from ingest.sources.collecting import Collector, Facet
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, EvidenceKind, Limit


def floor_of(stated: Json) -> float | None:
    """The floor as a compute capability, or ``None`` where no device is refused.

    A list is a floor with an emulation below it, so the lowest number is what is refused.
    """
    numbers = stated if isinstance(stated, list) else [stated]
    whole = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool)]
    if not whole or min(whole) < 10:
        return None
    return min(whole) / 10


def state_floor_value(
    collector: Collector, at: Locator, statement: str, name: str, stated: Json
) -> None:
    """Adds what the code states as a value, whatever it is."""
    draft = replace(
        collector.draft(at, plain(stated)[:80]),
        names={"quantization": name},
        evidence=EvidenceKind.CAPABILITY_GATE,
    )
    collector.value(FindingKind.VALUE, statement, StatementStatus.VALUE, draft, value=plain(stated))


def state_gate(
    collector: Collector,
    at: Locator,
    area: str,
    facets: Sequence[Facet],
    *,
    floor: float,
    stated: Json,
    note: str = "",
) -> None:
    """Adds two statements of one gate: refused below the floor, let pass from it on."""
    below = nvidia_below(floor)
    draft = replace(
        collector.draft(at, plain(stated)[:80]),
        value=plain(stated),
        evidence=EvidenceKind.CAPABILITY_GATE,
    )
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
