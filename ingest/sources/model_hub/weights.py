"""The hub's own answer about a model: revision, and how large its weights are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest.sources.json_answers import moment_at, object_of, optional_text, text_at
from ingest.sources.model_hub.config import Fact

# **Units**: bits of one stored element.
_BITS: Mapping[str, int] = {
    "F64": 64, "I64": 64, "U64": 64, "F32": 32, "I32": 32, "U32": 32, "F16": 16, "BF16": 16,
    "I16": 16, "U16": 16, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "I8": 8, "U8": 8, "BOOL": 8,
    "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip
# Elements that are parameters one by one; in the others several may be packed.
_PLAIN = frozenset({"F64", "F32", "F16", "BF16"})


@dataclass(frozen=True, slots=True)
class HubModel:
    """What the hub says about one model.

    **Shapes**: ``name`` may be another one than was asked for: the model was renamed.
    **Units**: ``facts`` may hold ``safetensors_bytes``, the size of the stored weights, and
    ``parameters_total`` where every stored element is a parameter.
    """

    name: str
    revision: str
    changed_at: datetime | None
    facts: Mapping[str, Fact] = field(default_factory=dict)


def read_model(value: Any, *, url: str) -> HubModel:
    """The revision of a model and what its weights are.

    Weights are counted as stored elements: packed ones hold several parameters each, so bytes are
    always right and numbers of parameters only for plain floating point without quantization.
    **Raises**: ``UnexpectedPage``.
    """
    answer = object_of(value, url=url, what="a model")
    config = answer.get("config")
    quantized = isinstance(config, dict) and bool(config.get("quantization_config"))
    return HubModel(
        name=text_at(answer, "id", "modelId", url=url),
        revision=optional_text(answer, "sha"),
        changed_at=moment_at(answer, "lastModified", url=url),
        facts=_weight_facts(answer.get("safetensors"), quantized=quantized),
    )


def _weight_facts(stated: object, *, quantized: bool) -> dict[str, Fact]:
    counts = stated.get("parameters") if isinstance(stated, dict) else None
    if not isinstance(counts, dict) or not counts:
        return {}
    numbers = {str(kind): n for kind, n in counts.items() if isinstance(n, int) and n >= 0}
    if len(numbers) != len(counts) or not sum(numbers.values()):
        return {}
    facts: dict[str, Fact] = {}
    if set(numbers) <= set(_BITS):
        facts["safetensors_bytes"] = sum(n * _BITS[kind] for kind, n in numbers.items()) // 8
    if set(numbers) <= _PLAIN and not quantized:
        facts["parameters_total"] = sum(numbers.values())
    return facts
