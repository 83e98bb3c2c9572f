"""Shows parts of a run that was read as plain values, to be compared whole."""

from typing import Any

from benchmarks_app.contract import RunReading


def values(run: RunReading) -> dict[str, dict[str, float]]:
    """The statistics by the definition that they follow."""
    return {one.definition: dict(one.stats) for one in run.metrics}


def facts(run: RunReading) -> dict[str, Any]:
    """The facts' values by name."""
    return {name: fact.value for name, fact in run.facts.items()}


def codes(run: RunReading) -> list[str]:
    """The notices as the tools' reports write them: ``code`` or ``code:detail``."""
    return [f"{one.code}:{one.detail}" if one.detail else one.code for one in run.notices]
