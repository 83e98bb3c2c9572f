"""Comparisons of shipped runs that make a good first look, where those runs are there."""

from dataclasses import dataclass

from benchmarks_app.models import Run

FEWEST = 2


@dataclass(frozen=True, slots=True)
class FirstStep:
    """A comparison to begin with. **Shapes**: ``pairs`` are the words of its address."""

    key: str
    run_class: str
    tool: str
    pairs: tuple[tuple[str, str], ...]


FIRST_STEPS: tuple[FirstStep, ...] = (
    FirstStep(
        "client-loads",
        "demonstration",
        "guidellm",
        (("run_class", "demonstration"), ("tool", "guidellm"), ("vary", "load"), ("ttft_ms", "30")),
    ),
    FirstStep(
        "llama-threads",
        "demonstration",
        "llama_bench",
        (
            ("run_class", "demonstration"),
            ("tool", "llama_bench"),
            ("q", "llama-gqa-58m-Q4_K_M.gguf, AMD EPYC, tg16"),
        ),
    ),
    FirstStep(
        "printed-tables",
        "published",
        "runproof",
        (
            ("run_class", "published"),
            ("framework", "sglang"),
            ("model", "zai-org--glm-5.2"),
            ("vary", "load"),
        ),
    ),
)


def first_steps() -> list[FirstStep]:
    """The comparisons that have at least two runs. **Queries**: one for each, by an index."""
    return [one for one in FIRST_STEPS if _has_runs(one)]


def _has_runs(step: FirstStep) -> bool:
    rows = Run.objects.standing().filter(run_class=step.run_class, tool=step.tool)
    found = rows.order_by("-published_at", "-id").values_list("pk", flat=True)[:FEWEST]
    return len(found) == FEWEST
