"""vLLM-Ascend's nightly file: one job with its server and several AISBench tasks.

**Source**: the job keeps only the overall figures of AISBench, durations in milliseconds.
"""

from collections.abc import Mapping

from benchmarks_app.contract import (
    Fact,
    FileReading,
    FileRole,
    Load,
    Measurement,
    Notice,
    RunReading,
    Tokens,
)
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.aisbench_values import read_quantity
from benchmarks_app.importers.taking import measure, non_finite_notices, take_texts
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.private import is_private, part_private
from matrix.domain.redaction import mask_text

_RATES = {
    "Request_Throughput": ("request_throughput", "req/s"),
    "Request Throughput": ("request_throughput", "req/s"),
    "Output_Token_Throughput(OTT)": ("output_token_throughput", "token/s"),
    "Output Token Throughput": ("output_token_throughput", "token/s"),
    "Input_Token_Throughput(ITT)": ("input_token_throughput", "token/s"),
    "Input Token Throughput": ("input_token_throughput", "token/s"),
    "Total_Token_Throughput(TTT)": ("total_token_throughput", "token/s"),
    "Total Token Throughput": ("total_token_throughput", "token/s"),
}
_DURATIONS = ("Benchmark_Duration(BD)", "Benchmark Duration")


def is_nightly(value: Mapping[str, object]) -> bool:
    """Whether an object is a nightly job with tasks."""
    tasks = value.get("tasks")
    if not {"model_name", "hardware", "vllm_version"} <= set(value) or not isinstance(tasks, list):
        return False
    return all(isinstance(task, dict) and "metrics" in task for task in tasks)


def read_nightly(value: object, found: str, tool: str) -> FileReading:
    """One run for each task that measured speed; tasks of accuracy stay unmapped."""
    job = Fields(value)
    shared = _job_facts(job)
    runs: list[RunReading] = []
    for task in job.children("tasks"):
        measured = Fields(task.peek("metrics"), task.place("metrics"))
        if any(name in measured for name in (*_RATES, *_DURATIONS)):
            runs.append(_read_task(task, shared, len(runs)))
    mapped = {run.pointer for run in runs}
    rest = {
        place: inner
        for place, inner in job.rest().items()
        if not any(place.startswith(f"{pointer}.") for pointer in mapped)
    }
    kept, withheld = part_private(rest)
    if not runs:
        return FileReading(
            found, tool, FileRole.REJECTED, unmapped=kept, withheld=withheld,
            reason="No task of the job measured speed; send a job with performance cases.",
        )  # fmt: skip
    return FileReading(
        found, tool, FileRole.RUNS, runs=tuple(runs), notices=non_finite_notices(job),
        unmapped=kept, withheld=withheld,
    )  # fmt: skip


def _job_facts(job: Fields) -> dict[str, Fact]:
    facts = {
        "tool.name": Fact("AISBench"),
        "framework.name": Fact("vllm", pointer="$.vllm_version"),
    }
    facts |= take_texts(
        job,
        {
            "model.id": "model_name",
            "accelerator.name": "hardware",
            "dtype": "dtype",
            "framework.version": "vllm_version",
        },
    )
    plugin = job.text("vllm_ascend_version")
    if plugin is not None:
        facts["framework.backend"] = Fact(f"vllm-ascend {plugin}", pointer="$.vllm_ascend_version")
    dtype = facts.get("dtype")
    if dtype is not None and str(dtype.value).lower().startswith("w"):
        # "w8a8" names the weights' quantization, which the job writes into the same field.
        facts["quantization.weights"] = facts.pop("dtype")
    environment = job.child("environment")
    for name, inner in environment.value.items():
        if isinstance(inner, (str, int, float)) and not is_private(name, inner):
            environment.take(name)
            shown = mask_text(inner).text if isinstance(inner, str) else inner
            facts[f"env.{name}"] = Fact(shown, pointer=environment.place(name))
    commands = _commands(job.peek("serve_cmd"))
    if commands:
        job.take("serve_cmd")
        shown = mask_text("\n".join(commands)).text
        facts["framework.arguments"] = Fact(shown, pointer="$.serve_cmd")
    return facts


def _commands(value: object, label: str = "") -> list[str]:
    """The servers' command lines, each behind the name of its node where it has one."""
    if isinstance(value, str) and value.strip():
        return [f"{label}: {value.strip()}" if label else value.strip()]
    if isinstance(value, dict):
        return [line for name, inner in value.items() for line in _commands(inner, str(name))]
    return []


def _read_task(task: Fields, shared: Mapping[str, Fact], index: int) -> RunReading:
    figures, offered = task.child("metrics"), task.child("test_input")
    metrics: list[Measurement] = []
    for name, (metric, unit) in _RATES.items():
        rate = read_quantity(figures.peek(name), unit)
        if rate is not None:
            figures.take(name)
            metrics += measure(
                metric, {"value": rate}, pointer=figures.place(name), definition="successful"
            )
    duration: float | None = None
    for name in _DURATIONS:
        value = read_quantity(figures.peek(name), "ms")
        if value is not None:
            figures.take(name)
            duration = value / 1000
    facts = dict(shared)
    name_of_task = task.text("name")
    if name_of_task is not None:
        facts["load.dataset"] = Fact(mask_text(name_of_task).text, pointer=task.place("name"))
    load = _load(offered)
    kept, withheld = part_private(task.rest())
    return RunReading(
        index=index, status=RunStatus.OK, pointer=task.pointer, facts=facts, load=load,
        tokens=Tokens(duration_s=duration or None), metrics=tuple(metrics),
        notices=(Notice("no_date"), Notice("no_request_count")), unmapped=kept, withheld=withheld,
    )  # fmt: skip


def _load(offered: Fields) -> Load:
    """The load; AISBench's batch size is the number of requests in flight, and a rate of 0 sends
    as fast as that allows."""
    rate = offered.number("request_rate")
    return Load(
        mode=LoadMode.CLOSED_LOOP,
        request_rate=rate or None,
        request_rate_unbounded=True if rate == 0 else None,
        max_concurrency=offered.integer("batch_size"),
        num_prompts=offered.integer("num_prompts"),
        osl_target=offered.number("max_out_len"),
    )
