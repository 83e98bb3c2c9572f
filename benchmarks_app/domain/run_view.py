"""One run as the rules of comparison see it; whoever holds rows builds it from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks_app.contract import Counts, Fact, Load, Measurement, Samples, Tokens
from benchmarks_app.domain.levels import RunClass, RunStatus


@dataclass(frozen=True, slots=True)
class RunView:
    """A run without its files and rows.

    ``facts`` hold what is known of the run after declaring and resolving; a name that is absent
    is unknown. ``has_samples`` says that samples can be loaded, without loading them. ``mocked``
    marks runs whose server was a stand-in.
    """

    uid: str
    label: str
    tool: str
    run_class: RunClass
    status: RunStatus
    facts: Mapping[str, Fact] = field(default_factory=dict)
    load: Load = field(default_factory=Load)
    counts: Counts = field(default_factory=Counts)
    tokens: Tokens = field(default_factory=Tokens)
    measurements: tuple[Measurement, ...] = ()
    has_samples: bool = False
    mocked: bool = False

    def fact(self, name: str) -> str | int | float | bool | None:
        """The value of a fact; ``None`` where it is unknown."""
        found = self.facts.get(name)
        return None if found is None else found.value

    def measured(self, metric: str) -> Measurement | None:
        """The first measurement of a metric, ``None`` where the run has none."""
        return next((one for one in self.measurements if one.metric == metric), None)


@dataclass(frozen=True, slots=True)
class SampledRun:
    """A run with its samples loaded; ``samples`` is ``None`` where the tool wrote none."""

    view: RunView
    samples: Samples | None = None
