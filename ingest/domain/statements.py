"""What a page's status becomes as a claim: level, tier and a note where the data rules need one."""

from dataclasses import dataclass

from ingest.contract import Finding, FindingKind, StatementStatus
from matrix.domain.coordinates import Condition
from matrix.domain.levels import ConditionKind, Execution, SupportLevel, Tier


@dataclass(frozen=True, slots=True)
class Stance:
    """The claim-side reading of a status."""

    level: SupportLevel
    tier: Tier | None = None
    note: str = ""
    open_ended: bool = False


_YES, _PART, _NO = SupportLevel.SUPPORTED, SupportLevel.PARTIAL, SupportLevel.UNSUPPORTED

# Statuses that are absent here state nothing about support and never become a claim: blank,
# unknown, untested, "inherits", "mixed" (its parts are findings of their own), values, legends.
STANCES: dict[StatementStatus, Stance] = {
    StatementStatus.SUPPORTED: Stance(_YES),
    StatementStatus.VALIDATED: Stance(_YES),
    StatementStatus.EXPERIMENTAL: Stance(_YES, tier=Tier.EXPERIMENTAL),
    StatementStatus.DEPRECATED: Stance(_YES, tier=Tier.DEPRECATED),
    StatementStatus.VIA_TRANSFORMERS: Stance(
        _YES, note="runs through the Transformers modelling backend only"
    ),
    StatementStatus.VIA_PLUGIN: Stance(_YES, tier=Tier.UNOFFICIAL),
    StatementStatus.NO_ACCELERATION: Stance(
        _YES, note="runs without acceleration on this hardware"
    ),
    StatementStatus.PARTIAL: Stance(_PART, note="partial by the page's own legend"),
    StatementStatus.KNOWN_ISSUES: Stance(_PART, note="the page names known issues"),
    StatementStatus.WORK_IN_PROGRESS: Stance(
        _PART, tier=Tier.EXPERIMENTAL, note="work in progress by the page's own words"
    ),
    StatementStatus.UNSUPPORTED: Stance(_NO),
    StatementStatus.DOES_NOT_FIT: Stance(_NO, note="the page says that it does not fit"),
    StatementStatus.REMOVED: Stance(_NO, open_ended=True),
    StatementStatus.PLANNED: Stance(_NO, tier=Tier.PLANNED, note="planned, not there yet"),
    StatementStatus.DELAYED: Stance(_NO, tier=Tier.PLANNED, note="delayed, not there yet"),
}


def stance_of(finding: Finding) -> Stance | None:
    """The stance of a finding, or ``None`` when it makes no claim."""
    if finding.kind is not FindingKind.COMPATIBILITY or finding.scope is None:
        return None
    scope = finding.scope
    if not scope.nodes and not scope.features and not scope.numbers:
        return None
    return STANCES.get(finding.status)


def conditions_of(finding: Finding) -> tuple[Condition, ...]:
    """The finding's conditions; support by a plug-in is a condition of its own."""
    if finding.status is not StatementStatus.VIA_PLUGIN:
        return finding.conditions
    if any(c.kind is ConditionKind.PLUGIN for c in finding.conditions):
        return finding.conditions
    link = finding.links[0] if finding.links else ""
    plugin = Condition(kind=ConditionKind.PLUGIN, name=finding.value or "plug-in", link=link)
    return (*finding.conditions, plugin)


def execution_of(finding: Finding) -> Execution:
    """The finding's execution; "no acceleration" is a fall-back to plain CPU code."""
    if finding.status is StatementStatus.NO_ACCELERATION:
        return Execution.CPU_FALLBACK
    return finding.execution
