"""Builds the JSON Schema of Runproof's own JSON from the vocabularies that the reader checks.

The shipped ``runproof_schema.json`` is this value; a test holds the two together.
"""

from collections.abc import Iterable, Mapping

from benchmarks_app.domain.facts import FACTS
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.domain.metrics import METRICS, PERCENTILE_METHODS
from benchmarks_app.importers.runproof.facts import TIMES, WHOLE_FACTS
from benchmarks_app.importers.runproof.parts import POOLED_COLUMNS, REQUEST_COLUMNS

Schema = dict[str, object]

_NUMBER: Schema = {"type": ["number", "null"]}
_COUNT: Schema = {"type": ["integer", "null"]}
_TEXT: Schema = {"type": ["string", "null"]}
_FLAG: Schema = {"type": ["boolean", "null"]}
_SCALAR: Schema = {"type": ["string", "number", "boolean", "null"]}
_COLUMN: Schema = {"type": ["array", "null"], "items": _NUMBER}
_STAT = r"^(value|mean|std|min|max|count|sum|p(100|[0-9]{1,2}(\.[0-9]+)?))$"
_LOAD_NUMBERS = (
    "request_rate", "burstiness", "isl_target", "isl_mean", "osl_target", "osl_mean",
    "range_ratio", "duration_target_s",
)  # fmt: skip
_LOAD_COUNTS = (
    "max_concurrency", "num_prompts", "batch_size", "n_prompt", "n_gen", "n_depth", "n_batch",
    "n_ubatch", "n_gpu_layers", "max_batch_size", "max_num_tokens",
)  # fmt: skip
_COUNTS = ("total", "completed", "failed", "incomplete")
_TOKENS = ("input_total", "output_total", "output_total_retokenized")


def build_schema() -> Schema:
    """The schema, in the 2020-12 dialect."""
    runs = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/run"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Runproof run, version 1",
        "description": "One measured run, or several under runs. null is unknown.",
        "type": "object",
        "required": ["format", "version"],
        "properties": {
            "format": {"const": "runproof.run"},
            "version": {"const": 1},
            "facts": {"$ref": "#/$defs/facts"},
        },
        "anyOf": [
            {"required": ["runs"], "properties": {"runs": runs}},
            {"not": {"required": ["runs"]}, "$ref": "#/$defs/run"},
        ],
        "$defs": {"run": _run(), "facts": _facts(), "metric": _metric()},
    }


def _object(properties: Mapping[str, object]) -> Schema:
    return {"type": ["object", "null"], "properties": dict(properties)}


def _each(names: Iterable[str], schema: Schema) -> Schema:
    return dict.fromkeys(names, schema)


def _choice(names: Iterable[str]) -> Schema:
    return {"enum": [*names, None]}


def _run() -> Schema:
    load = {
        "mode": _choice(mode.value for mode in LoadMode),
        **_each(_LOAD_NUMBERS, _NUMBER),
        **_each(_LOAD_COUNTS, _COUNT),
        **_each(("request_rate_unbounded", "ignore_eos"), _FLAG),
        **_each(("warmup", "slo"), _TEXT),
        "extra": {"type": ["object", "null"], "additionalProperties": _SCALAR},
    }
    samples = {
        "requests": {**_object(_each(REQUEST_COLUMNS, _COLUMN)), "additionalProperties": False},
        "pooled": {**_object(_each(POOLED_COLUMNS, _COLUMN)), "additionalProperties": False},
        "repeats": {**_object(_each(METRICS, _COLUMN)), "additionalProperties": False},
    }
    properties: Schema = {
        **_each(("identity", "command"), _TEXT),
        "status": _choice(status.value for status in RunStatus),
        "facts": {"$ref": "#/$defs/facts"},
        "load": _object(load),
        "requests": _object(_each(_COUNTS, _COUNT)),
        "tokens": _object({**_each(_TOKENS, _COUNT), "duration_s": _NUMBER}),
        "metrics": {"type": ["array", "null"], "items": {"$ref": "#/$defs/metric"}},
        "samples": _object(samples),
        "failures": {"type": ["object", "null"], "additionalProperties": _COUNT},
    }
    return {"type": "object", "properties": properties}


def _facts() -> Schema:
    return _object({name: _fact(name) for name in FACTS})


def _fact(name: str) -> Schema:
    if name in WHOLE_FACTS:
        return _COUNT
    if name in TIMES:
        words = "with a time zone" if TIMES[name] else "without a time zone"
        return {**_TEXT, "description": f"ISO 8601 {words}"}
    return _SCALAR


def _metric() -> Schema:
    """A metric with one of its own definitions and its own unit."""
    own = [
        {
            "if": {"properties": {"metric": {"const": name}}},
            "then": {
                "properties": {
                    "definition": {"enum": list(metric.definitions)},
                    "unit": _choice((metric.unit.value,)),
                }
            },
        }
        for name, metric in METRICS.items()
    ]
    return {
        "type": "object",
        "required": ["metric", "definition"],
        "properties": {
            "metric": {"enum": list(METRICS)},
            "definition": {"type": "string"},
            "unit": _TEXT,
            "basis": _TEXT,
            "percentile_method": _choice(PERCENTILE_METHODS),
            "stats": {
                "type": ["object", "null"],
                "patternProperties": {_STAT: _NUMBER},
                "additionalProperties": False,
            },
        },
        "allOf": own,
    }
