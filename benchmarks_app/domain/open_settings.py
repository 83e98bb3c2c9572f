"""Settings of tools and servers that no closed list names, over several runs.

Two runs that differ in nothing but the number of threads are no repetition of each other, so that
every setting that a file states is looked at, whatever its name.
"""

from collections.abc import Sequence

from benchmarks_app.domain.comparability import (
    ComparedVariable,
    Role,
    Value,
    Variable,
    Verdict,
    judge,
)
from benchmarks_app.domain.run_view import RunView

# Fields of the load that no controlled variable holds.
LOAD_FIELDS = (
    "n_batch", "n_ubatch", "n_gpu_layers", "max_batch_size", "max_num_tokens", "duration_target_s",
    "slo",
)  # fmt: skip
# Facts whose names are open: what a server was told, what steered it, what its people noted.
FACT_PREFIXES = ("server_param.", "env.", "user_meta.")
FACT_NAMES = ("kv_offload", "kv_cache.type_v", "framework.build_options")
SETTING = "setting."
# Beyond this the table says less than the files beside it.
MOST_SETTINGS = 200


def compare_settings(runs: Sequence[RunView]) -> tuple[ComparedVariable, ...]:
    """Each open setting that any run states, with what is equal, different and unknown.

    Their names begin with ``setting.`` where a tool states them, else they are names of facts.
    """
    stated = [_settings_of(run) for run in runs]
    rows = []
    for name in sorted({name for one in stated for name in one}):
        values = tuple(one.get(name) for one in stated)
        rows.append(ComparedVariable(Variable(name, Role.EXPECTED), judge(values), values))
    # What differs is never cut off before what does not.
    rows.sort(key=lambda row: row.verdict is not Verdict.DIFFERENT)
    return tuple(rows[:MOST_SETTINGS])


def _settings_of(run: RunView) -> dict[str, Value]:
    found: dict[str, Value] = {f"{SETTING}{name}": one for name, one in run.load.extra.items()}
    for name in LOAD_FIELDS:
        value = getattr(run.load, name)
        if value is not None:
            found[f"{SETTING}{name}"] = value
    return {**{name: value for name, value in found.items() if value != ""}, **stated_facts(run)}


def stated_facts(run: RunView) -> dict[str, Value]:
    """The open settings that are facts of a run: of the server and of those who ran it."""
    return {
        name: fact.value
        for name, fact in run.facts.items()
        if (name.startswith(FACT_PREFIXES) or name in FACT_NAMES) and fact.value != ""
    }
