"""Reads the settings inside AIPerf's files: flat groups until 0.8, phases and datasets since."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks_app.contract import Fact, Load, Notice
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.importers.model_identity import model_facts, tokenizer_fact
from benchmarks_app.importers.taking import take_scalar
from benchmarks_app.reading.fields import Fields, is_number
from matrix.domain.redaction import mask_text

_SECRETS = ("url", "urls", "api_key", "headers", "header", "custom_headers")
_URL_HOST = re.compile(r"(?P<scheme>\bhttps?://)(?P<host>[^\s/'\":]+)")
_OPEN_HOSTS = ("localhost", "127.", "0.0.0.0")
_MODES: Mapping[str, LoadMode] = {
    "concurrency": LoadMode.CLOSED_LOOP,
    "concurrency_burst": LoadMode.CLOSED_LOOP,
    "constant": LoadMode.OPEN_LOOP,
    "poisson": LoadMode.OPEN_LOOP,
    "gamma": LoadMode.OPEN_LOOP,
    "request_rate": LoadMode.OPEN_LOOP,
    "fixed_schedule": LoadMode.REPLAY,
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What the settings say of the run."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    load: Load = field(default_factory=Load)
    notices: tuple[Notice, ...] = ()
    command: str = ""


def read_settings(config: Fields) -> Settings:
    """The settings; addresses, headers and keys are withheld, the rest stays."""
    endpoint, inputs = config.child("endpoint"), config.child("input")
    datasets = config.children("datasets")
    for one in (config, endpoint, inputs):
        one.withhold(*_SECRETS)
    facts, notices = _models(config, endpoint)
    facts |= _client(endpoint, config.child("tokenizer"))
    facts |= _dataset(inputs, datasets)
    scenario = config.text("scenario")
    if scenario:
        facts["scenario"] = Fact(scenario, pointer=config.place("scenario"))
    for name, source in (("load.seed", inputs), ("load.seed", config)):
        seed = take_scalar(source, "random_seed")
        if seed is not None and name not in facts:
            facts[name] = Fact(seed, pointer=source.place("random_seed"))
    if "phases" in config:
        load, more = _phased_load(config, endpoint, datasets)
        notices = (*notices, *more)
    else:
        load = _flat_load(config, inputs)
    return Settings(facts, load, notices, take_command(config))


def withhold_secrets(config: Fields) -> None:
    """Withholds addresses, headers and keys of settings of which nothing else is read."""
    for one in (config, config.child("endpoint"), config.child("input")):
        one.withhold(*_SECRETS, "cli_command")


def take_command(config: Fields) -> str:
    """The client's command line without keys, people and hosts."""
    stated = config.text("cli_command")
    if not stated:
        return ""
    return _URL_HOST.sub(_hide_host, mask_text(stated).text)


def _hide_host(found: re.Match[str]) -> str:
    host = found["host"]
    return found[0] if host.startswith((*_OPEN_HOSTS, "‹")) else f"{found['scheme']}‹host›"


def _models(config: Fields, endpoint: Fields) -> tuple[dict[str, Fact], tuple[Notice, ...]]:
    """The one model of the endpoint or of the list of models; several stay in the rest."""
    names = endpoint.peek("model_names")
    if isinstance(names, list) and len(names) == 1 and isinstance(names[0], str):
        endpoint.take("model_names")
        return _model(names[0], endpoint.place("model_names"))
    items = config.child("models").children("items")
    if len(items) == 1:
        name = items[0].text("name")
        return _model(name or "", items[0].place("name"))
    return {}, ()


def _model(name: str, pointer: str) -> tuple[dict[str, Fact], tuple[Notice, ...]]:
    return model_facts(name.strip(), pointer) if name.strip() else ({}, ())


def _client(endpoint: Fields, tokenizer: Fields) -> dict[str, Fact]:
    found: dict[str, Fact] = {}
    streaming = endpoint.flag("streaming")
    if streaming is not None:
        found["load.streaming"] = Fact(streaming, pointer=endpoint.place("streaming"))
    kind = endpoint.text("type")
    if kind:
        found["client.backend"] = Fact(kind, pointer=endpoint.place("type"))
    name = tokenizer.text("name")
    if name:
        found["tokenizer.id"] = tokenizer_fact(name, tokenizer.place("name"))
    return found


def _dataset(inputs: Fields, datasets: Sequence[Fields]) -> dict[str, Fact]:
    """The public dataset, or that the prompts are made up; names of own files stay in the rest."""
    public = inputs.text("public_dataset")
    if public:
        return {"load.dataset": Fact(public, pointer=inputs.place("public_dataset"))}
    if len(datasets) != 1:
        return {}
    for name in ("public_dataset", "dataset", "type"):
        stated = datasets[0].text(name)
        if stated:
            return {"load.dataset": Fact(stated, pointer=datasets[0].place(name))}
    return {}


def _flat_load(config: Fields, inputs: Fields) -> Load:
    group = config.child("loadgen")
    prompt = inputs.child("prompt")
    rate = group.number("request_rate")
    per_user = group.number("user_centric_rate")
    concurrency = group.integer("concurrency")
    mode = None
    if inputs.flag("fixed_schedule"):
        mode = LoadMode.REPLAY
    elif rate is not None or per_user is not None:
        mode = LoadMode.OPEN_LOOP
    elif concurrency is not None:
        mode = LoadMode.CLOSED_LOOP
    warmup = group.integer("warmup_request_count")
    return Load(
        mode=mode,
        request_rate=rate if rate is not None else per_user,
        burstiness=group.number("arrival_smoothness"),
        max_concurrency=concurrency,
        num_prompts=group.integer("request_count"),
        isl_target=_length(prompt, "input_tokens"),
        osl_target=_length(prompt, "output_tokens"),
        duration_target_s=group.number("benchmark_duration"),
        warmup=f"{warmup} requests" if warmup else None,
        ignore_eos=_ignore_eos(inputs),
        slo=_slo(inputs, "goodput"),
    )


def _phased_load(
    config: Fields, endpoint: Fields, datasets: Sequence[Fields]
) -> tuple[Load, tuple[Notice, ...]]:
    """The load of the measured phase; of several with different loads nothing but their number."""
    phases = config.children("phases")
    warmups = [one for one in phases if _is_warmup(one)]
    measured = [one for one in phases if not _is_warmup(one)]
    prompts = datasets[0].child("prompts") if len(datasets) == 1 else Fields(None)
    shared = Load(
        isl_target=_length(prompts, "isl"),
        osl_target=_length(prompts, "osl"),
        warmup=_warmup(warmups),
        ignore_eos=_ignore_eos(endpoint),
        slo=_slo(config, "slos"),
    )
    if len(measured) != 1:
        many = (Notice("aggregate_over_stages", str(len(measured))),) if measured else ()
        return shared, many
    phase = measured[0]
    kind = phase.text("type") or ""
    return Load(
        mode=_MODES.get(kind) or (LoadMode.OPEN_LOOP if "rate" in phase else None),
        request_rate=phase.number("rate"),
        burstiness=phase.number("smoothness"),
        max_concurrency=phase.integer("concurrency"),
        num_prompts=phase.integer("requests"),
        isl_target=shared.isl_target,
        osl_target=shared.osl_target,
        duration_target_s=phase.number("duration"),
        warmup=shared.warmup,
        ignore_eos=shared.ignore_eos,
        slo=shared.slo,
    ), ()


def _is_warmup(phase: Fields) -> bool:
    return phase.peek("kind") == "warmup" or phase.peek("exclude_from_results") is True


def _warmup(phases: Sequence[Fields]) -> str | None:
    parts = []
    for phase in phases:
        requests, seconds = phase.integer("requests"), phase.number("duration")
        if requests is not None:
            parts.append(f"{requests} requests")
        elif seconds is not None:
            parts.append(f"{seconds:g} s")
    return ", ".join(parts) or None


def _length(prompts: Fields, name: str) -> float | None:
    """A length that stands as a number or as the mean of a distribution."""
    if isinstance(prompts.peek(name), dict):
        return prompts.child(name).number("mean")
    return prompts.number(name)


def _ignore_eos(fields: Fields) -> bool | None:
    """Whether answers run to their full length, out of the extra request fields."""
    parsed = fields.child("extra_inputs_parsed").flag("ignore_eos")
    if parsed is not None:
        return parsed
    extra = fields.peek("extra")
    if isinstance(extra, dict):
        return fields.child("extra").flag("ignore_eos")
    pairs = extra if isinstance(extra, list) else []
    for pair in pairs:
        if isinstance(pair, list) and len(pair) == 2 and pair[0] == "ignore_eos":
            return pair[1] if isinstance(pair[1], bool) else None
    return None


def _slo(fields: Fields, name: str) -> str | None:
    """The thresholds of goodput, as "metric:value"."""
    value = fields.peek(name)
    if isinstance(value, dict) and value:
        fields.take(name)
        plain = (f"{key}:{json.dumps(limit)}" for key, limit in sorted(value.items()))
        return " ".join(plain)
    return fields.text(name)


def is_warmup_alone(report: object) -> bool:
    """Whether a summary is that of the warm-up, which is named as that of the run.

    It states the settings of all phases, and as many requests as the warm-up was to send.
    """
    if not isinstance(report, dict) or "warmup_metrics" in report:
        return False
    fields = Fields(report)
    phases = fields.child("input_config").children("phases")
    asked = {_is_warmup(one): one.peek("requests") for one in phases}
    ended = [fields.child(name).peek("avg") for name in ("request_count", "error_request_count")]
    sent = sum(one for one in ended if is_number(one))
    warmup, measured = asked.get(True), asked.get(False)
    return len(phases) == 2 and is_number(warmup) and sent == warmup and sent != measured
