"""Reads what GuideLLM's reports say of the model, the data and the offered load."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchmarks_app.contract import Fact, Load, Notice
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.importers.model_identity import model_facts, tokenizer_fact
from benchmarks_app.reading.fields import Fields, is_number
from matrix.domain.redaction import mask_text

TOOL = "guidellm"
_HIDDEN = (
    "target", "backend_target", "api_key", "headers", "authorization", "organization", "project",
    "validate_backend", "extras", "extra_query", "extra_body", "verify_cert",
)  # fmt: skip
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Settings:
    """What the settings of a whole report say of each of its runs."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    load: Load = field(default_factory=Load)
    notices: tuple[Notice, ...] = ()


def withhold_backend(backend: Fields) -> None:
    """Withholds addresses, keys and headers of a backend's settings."""
    backend.withhold(*_HIDDEN)
    for name in ("backend_info", "backend_kwargs"):
        if isinstance(backend.peek(name), dict):
            backend.child(name).withhold(*_HIDDEN)


def read_model(fields: Fields, name: str) -> tuple[dict[str, Fact], tuple[Notice, ...]]:
    """The model where one is named; an empty name is the server's default and unknown."""
    stated = fields.text(name)
    return model_facts(stated, fields.place(name)) if stated else ({}, ())


def read_arguments(args: Fields) -> Settings:
    """The arguments of 0.4 to 0.6; the model moved into the backend's in 0.6."""
    args.withhold(*_HIDDEN)
    kwargs = args.child("backend_kwargs")
    kwargs.withhold(*_HIDDEN)
    facts, notices = read_model(args, "model")
    if not facts:
        facts, notices = read_model(kwargs, "model")
    facts |= _named(args, {"client.backend": "backend"})
    facts |= read_tokenizer(args, "processor")
    facts |= _seed(args, "random_seed")
    data = read_data(args, "data")
    load = replace(
        data.load,
        num_prompts=_count(args, "max_requests"),
        duration_target_s=args.number("max_seconds"),
        warmup=_warmup(args, "warmup"),
    )
    return Settings({**facts, **data.facts}, load, notices)


def read_specification(spec: Fields) -> Settings:
    """The specification of 0.7 and later."""
    backend = spec.child("backend")
    withhold_backend(backend)
    facts, notices = read_model(backend, "model")
    facts |= _named(backend, {"client.backend": "kind"})
    streaming = backend.flag("stream")
    if streaming is not None:
        facts["load.streaming"] = Fact(streaming, pointer=backend.place("stream"))
    facts |= read_tokenizer(spec.child("tokenizer"), "model")
    facts |= _seed(spec.child("seed"), "value")
    data = _specified_data(spec)
    load = data.load
    for limit in spec.children("constraints"):
        kind = limit.peek("kind")
        if kind == "max_requests":
            load = replace(load, num_prompts=_count(limit, "count"))
        elif kind in ("max_seconds", "max_duration"):
            name = "seconds" if "seconds" in limit else "duration"
            load = replace(load, duration_target_s=limit.number(name))
    return Settings({**facts, **data.facts}, load, notices)


def read_data(fields: Fields, name: str) -> Settings:
    """The data a run was fed with: made-up prompts of a length, or the name of a dataset.

    Anything else may be prompts and is withheld.
    """
    value = fields.peek(name)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    pointer = fields.place(name)
    lengths = parse_synthetic(value)
    if lengths:
        fields.take(name)
        return Settings(
            {"load.dataset": Fact("synthetic", pointer=pointer)},
            Load(
                isl_target=_float(lengths.get("prompt_tokens")),
                osl_target=_float(lengths.get("output_tokens")),
                extra=_extra(lengths),
            ),
        )
    if not isinstance(value, str) or not value.strip():
        return Settings()
    if len(value) > _LONGEST_NAME or re.search(r"[\s{\[]", value.strip()):
        fields.withhold(name)
        return Settings()
    fields.take(name)
    return Settings({"load.dataset": Fact(mask_text(value.strip()).text, pointer=pointer)})


def parse_synthetic(value: object) -> dict[str, object]:
    """The settings of made-up prompts, from JSON or "name=value,…"; empty for anything else."""
    if isinstance(value, dict):
        found = {str(key): one for key, one in value.items()}
    elif isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return {}
        found = parsed if isinstance(parsed, dict) else {}
    elif isinstance(value, str) and "=" in value:
        pairs = (part.partition("=") for part in value.split(","))
        found = {key.strip(): _whole(text) for key, _sign, text in pairs}
    else:
        return {}
    return found if "prompt_tokens" in found or "output_tokens" in found else {}


def _whole(text: str) -> object:
    return int(text) if text.strip().isdecimal() and len(text) < 16 else text.strip()


def _float(value: object) -> float | None:
    return float(value) if is_number(value) else None


def _extra(lengths: Mapping[str, object]) -> dict[str, str | int | float | bool]:
    """Spread and limits of made-up lengths, under the tool's names."""
    names = ("prompt_tokens", "output_tokens", "source")
    return {
        f"data.{key}": value
        for key, value in lengths.items()
        if key not in names and isinstance(value, (str, int, float))
    }


def _specified_data(spec: Fields) -> Settings:
    sources = spec.children("data")
    if len(sources) != 1:
        return Settings()
    data = sources[0]
    pointer = data.place("kind")
    if data.peek("kind") == "synthetic_text":
        data.take("kind")
        load = Load(
            isl_target=data.number("prompt_tokens"), osl_target=data.number("output_tokens")
        )
        return Settings({"load.dataset": Fact("synthetic", pointer=pointer)}, load)
    data.withhold("data")
    for name in ("source", "path"):
        stated = data.text(name)
        if stated:
            fact = Fact(mask_text(stated).text, pointer=data.place(name))
            return Settings({"load.dataset": fact})
    return Settings()


def read_tokenizer(fields: Fields, name: str) -> dict[str, Fact]:
    """The tokenizer that made up or counted the prompts."""
    stated = fields.text(name)
    return {"tokenizer.id": tokenizer_fact(stated, fields.place(name))} if stated else {}


def _named(fields: Fields, names: Mapping[str, str]) -> dict[str, Fact]:
    stated = ((fact, name, fields.text(name)) for fact, name in names.items())
    return {fact: Fact(text, pointer=fields.place(name)) for fact, name, text in stated if text}


def _seed(fields: Fields, name: str) -> dict[str, Fact]:
    seed = fields.integer(name)
    return {} if seed is None else {"load.seed": Fact(seed, pointer=fields.place(name))}


def _count(fields: Fields, name: str) -> int | None:
    """A whole number, also one that stands alone in a list."""
    value = fields.peek(name)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], int):
        fields.take(name)
        return int(value[0])
    return fields.integer(name)


def _warmup(fields: Fields, name: str) -> str | None:
    value = fields.peek(name)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        fields.take(name)
        return f"{value:g}" if value else None
    return fields.text(name)


def read_strategy(strategy: Fields, load: Load, profile: object = None) -> Load:
    """The load with what the strategy of one run says.

    Since 0.8 a strategy states the tool's own limit where its profile sets none; nobody asked for
    that one, so it stays in the rest.
    """
    kind = strategy.text("type_")
    if kind == "synchronous":
        return replace(load, mode=LoadMode.CLOSED_LOOP, max_concurrency=1)
    if kind == "concurrent":
        streams = strategy.integer("streams")
        if strategy.peek("max_concurrency") == streams:
            strategy.ignore("max_concurrency")
        return replace(load, mode=LoadMode.CLOSED_LOOP, max_concurrency=streams)
    is_asked = not isinstance(profile, dict) or profile.get("max_concurrency", 0) is not None
    is_capped = is_asked or kind == "throughput"
    limit = strategy.integer("max_concurrency") if is_capped else None
    if kind == "throughput":
        return replace(
            load, mode=LoadMode.BURST, request_rate_unbounded=True, max_concurrency=limit
        )
    if kind in ("constant", "poisson"):
        rate = strategy.number("rate")
        return replace(load, mode=LoadMode.OPEN_LOOP, request_rate=rate, max_concurrency=limit)
    if kind == "trace":
        return replace(load, mode=LoadMode.REPLAY, max_concurrency=limit)
    return load


_NAMED_STRATEGY = re.compile(r"(?P<kind>[a-z]+)(?:@(?P<value>[\d.]+|unlimited))?")


def named_strategy(name: str, profile: Mapping[str, object], index: int | None) -> Fields:
    """A strategy out of its printed name ("concurrent@2"), or of its place in the profile."""
    found = _NAMED_STRATEGY.fullmatch(name.strip())
    if not found:
        return Fields(None)
    kind, value = found["kind"], found["value"]
    strategy: dict[str, object] = {"type_": kind}
    key = {"concurrent": "streams", "throughput": "max_concurrency"}.get(kind, "rate")
    number = _number(value) if value else _placed(profile, kind, key, index)
    if number is not None:
        strategy[key] = int(number) if key != "rate" and number.is_integer() else number
    return Fields(strategy)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _placed(profile: Mapping[str, object], kind: str, key: str, index: int | None) -> float | None:
    """The setting of one run among those that the profile went through."""
    done = profile.get("completed_strategies")
    if index is None or index < 0:
        return None
    if isinstance(done, list) and index < len(done) and isinstance(done[index], dict):
        if done[index].get("type_") == kind:
            return _float(done[index].get(key))
        return None
    settings: object = profile.get(key)
    if isinstance(settings, Sequence) and not isinstance(settings, str) and index < len(settings):
        return _float(settings[index])
    return None
