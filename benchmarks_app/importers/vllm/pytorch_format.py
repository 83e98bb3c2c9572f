"""Reads vLLM's results in the PyTorch benchmark format: one record a metric, many a run.

The records of one run repeat its arguments and its throughput; each adds one value. What the
arguments say of the load is read, the rest stays unmapped once.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from benchmarks_app.contract import Fact, FileReading, FileRole, Load, Notice, RunReading
from benchmarks_app.importers.model_identity import model_facts
from benchmarks_app.importers.vllm.offline import read_latency, read_startup, read_throughput
from benchmarks_app.importers.vllm.serve import read_serve_run
from benchmarks_app.reading.fields import Fields, is_number

_FORMAT = "pytorch_benchmark.vllm"
# Hosts, headers and what may hold keys or prompts.
_WITHHELD = ("host", "port", "base_url", "header", "headers", "extra_body", "api_key")
_RANDOM = "random"
# The place of the object that is joined from the records, until its fields get their own.
_JOINED = "$joined"


@dataclass(slots=True)
class _Group:
    """The records of one run; ``values`` are named by metric, as in a result file."""

    first: int
    record: Mapping[str, object]
    values: dict[str, object] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    unmapped: dict[str, object] = field(default_factory=dict)

    def place(self, pointer: str) -> str:
        """Where in the file a field of the joined object stands."""
        name = pointer.removeprefix(f"{_JOINED}.")
        return self.places.get(name, f"$[{self.first}].metric.extra_info.{name}")


def is_pytorch_format(value: object) -> bool:
    """Whether a list holds records that vLLM wrote."""
    if not isinstance(value, list) or not value:
        return False
    return all(_benchmark_of(record) is not None for record in value)


def _benchmark_of(record: object) -> Mapping[str, object] | None:
    if not isinstance(record, dict) or not isinstance(record.get("metric"), dict):
        return None
    benchmark = record.get("benchmark")
    if not isinstance(benchmark, dict) or "model" not in record:
        return None
    name = benchmark.get("name")
    return benchmark if isinstance(name, str) and "vllm" in name.lower() else None


def read_pytorch(values: list[object], tool: str) -> FileReading:
    """One run for the records that share arguments and extra information."""
    groups: list[_Group] = []
    latest: dict[str, _Group] = {}
    for number, record in enumerate(values):
        if not isinstance(record, dict):
            continue
        metric = Fields(record.get("metric"))
        shared = [record.get("benchmark"), record.get("model"), metric.peek("extra_info")]
        key = json.dumps(shared, sort_keys=True, default=str)
        name = str(metric.peek("name"))
        group = latest.get(key)
        if group is None or name in group.values:
            group = latest[key] = _Group(number, record)
            groups.append(group)
        group.values[name] = metric.peek("benchmark_values")
        group.unmapped.update(_leftovers(record, number))
        group.places[name] = f"$[{number}].metric.benchmark_values"
    runs = tuple(_read_group(group, index) for index, group in enumerate(groups))
    return FileReading(format=_FORMAT, tool=tool, role=FileRole.RUNS, runs=runs)


def _leftovers(record: dict[str, object], number: int) -> dict[str, object]:
    """What a record says beside its metric, its arguments and its model."""
    fields = Fields(record, f"$[{number}]")
    fields.ignore("benchmark", "model")
    metric = fields.child("metric")
    metric.ignore("name", "benchmark_values")
    if isinstance(metric.peek("extra_info"), dict):
        metric.ignore("extra_info")
    return fields.rest()


def _read_group(group: _Group, index: int) -> RunReading:
    record = Fields(group.record, f"$[{group.first}]")
    benchmark, model = record.child("benchmark"), record.child("model")
    extra = record.child("metric").peek("extra_info")
    record.ignore("metric")
    payload = dict(extra) if isinstance(extra, dict) else {}
    payload.update({name: _single(values) for name, values in group.values.items()})
    run = _read_payload(payload, index, _JOINED)
    facts = {
        name: replace(fact, pointer=group.place(fact.pointer)) for name, fact in run.facts.items()
    }
    facts["tool.name"] = Fact(benchmark.text("name") or "vLLM benchmark")
    if model.peek("name") == payload.get("model_id"):
        model.ignore("name")
    elif "model.id" not in facts and (model_name := model.text("name")):
        facts.update(model_facts(model_name, model.place("name"))[0])
    arguments = benchmark.child("extra_info").child("args")
    about_load, load = _read_arguments(arguments, run.load)
    facts.update(about_load)
    notices = [one for one in run.notices if one.code != "no_model" or "model.id" not in facts]
    if len(group.values) > 1:
        notices.append(Notice("one_run_spread_over_records", str(len(group.values))))
    metrics = (replace(one, pointer=group.place(one.pointer)) for one in run.metrics)
    unmapped = group.unmapped | {group.place(place): value for place, value in run.unmapped.items()}
    return replace(
        run,
        pointer=f"$[{group.first}]",
        facts=facts,
        load=load,
        metrics=tuple(metrics),
        notices=tuple(notices),
        unmapped={**unmapped, **record.rest()},
        withheld=(*map(group.place, run.withheld), *record.withheld()),
    )


def _read_payload(payload: dict[str, object], index: int, pointer: str) -> RunReading:
    if "elapsed_time" in payload:
        return read_throughput(payload, index=index, pointer=pointer)
    if "avg_latency" in payload:
        payload["latencies"] = payload.pop("latency", None)
        if is_number(payload["latencies"]):
            payload["latencies"] = [payload["latencies"]]
        return read_latency(payload, index=index, pointer=pointer)
    if any(name.endswith("_startup_time") for name in payload):
        return read_startup(payload, index=index, pointer=pointer)
    return read_serve_run(payload, index=index, pointer=pointer)


def _single(values: object) -> object:
    """The only value of a list; several stay a list."""
    return values[0] if isinstance(values, list) and len(values) == 1 else values


def _read_arguments(fields: Fields, load: Load) -> tuple[dict[str, Fact], Load]:
    """Dataset, seed, streaming and lengths; fields of the result itself are not asked again."""
    fields.withhold(*_WITHHELD)
    facts: dict[str, Fact] = {}
    dataset = fields.text("dataset_name")
    if dataset:
        facts["load.dataset"] = Fact(dataset, pointer=fields.place("dataset_name"))
    seed = fields.integer("seed")
    if seed is not None:
        facts["load.seed"] = Fact(seed, pointer=fields.place("seed"))
    silent = fields.flag("no_stream")
    if silent is not None:
        facts["load.streaming"] = Fact(not silent, pointer=fields.place("no_stream"))
    warmups = fields.integer("num_warmups")
    changes: dict[str, float | str | None] = {}
    if dataset == _RANDOM:
        changes = {
            "isl_target": fields.number("random_input_len"),
            "osl_target": fields.number("random_output_len"),
            "range_ratio": fields.number("random_range_ratio"),
        }
    if load.mode is not None and "batch_size" in fields:
        changes["isl_target"] = fields.number("input_len")
        changes["osl_target"] = fields.number("output_len")
    return facts, replace(
        load,
        **changes,  # type: ignore[arg-type]
        batch_size=fields.integer("batch_size"),
        ignore_eos=fields.flag("ignore_eos"),
        slo=fields.text("goodput"),
        warmup=None if warmups is None else str(warmups),
    )
