"""What the releases say about the cost of operating a framework."""

from datetime import date

from matrix.domain.engineering_cost import ReleasePace, pace_of
from matrix.index import current_knowledge


def release_pace(framework: str, *, as_of: date) -> ReleasePace:
    """How often a framework released in the year before a date. **Queries**: 0 or 1."""
    history = current_knowledge().catalogue.histories.get(framework)
    return pace_of(framework, history.releases if history else (), as_of=as_of)
