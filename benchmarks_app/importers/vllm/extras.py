"""What people and sweeps add to a result of ``vllm bench serve``: metadata and server settings."""

from typing import TypeGuard

from benchmarks_app.contract import Fact
from benchmarks_app.reading.fields import Fields, is_number
from matrix.domain.redaction import mask_text

# Keys of the tool itself that hold texts, so that no metadata is made of them.
_OWN_TEXTS = frozenset({
    "backend", "burstiness", "completed", "date", "duration", "endpoint_type", "errors", "failed",
    "generated_texts", "label", "model_id", "num_prompts", "request_rate", "tokenizer_id",
    "max_concurrency", "ramp_up_strategy", "rps_change_events", "total_input_tokens",
    "total_output_tokens", "request_throughput", "request_goodput", "request_goodput:",
    "output_throughput", "input_throughput", "total_token_throughput", "rtfx",
})  # fmt: skip
_LONGEST = 2000


def extra_facts(fields: Fields) -> dict[str, Fact]:
    """``user_meta.<key>`` of ``--metadata key=value``, ``server_param.<key>`` of a sweep.

    The tool writes metadata as texts between its own keys; a sweep adds its settings after
    ``run_number``. A number elsewhere is a field that is not known yet and stays in the rest.
    To be asked last, because what others took is no addition.
    """
    facts: dict[str, Fact] = {}
    label = fields.text("label")
    if label:
        facts["user_meta.label"] = Fact(mask_text(label).text, pointer=fields.place("label"))
    names = list(fields.value)
    run_number = fields.integer("run_number")
    if run_number is not None:
        facts["sweep.run_number"] = Fact(run_number, pointer=fields.place("run_number"))
    swept = "run_number" in fields
    after = _in_tool_order(names) and swept
    behind = set(names[names.index("run_number") + 1 :]) if after else set()
    rest = fields.rest()
    for name in [name for name in names if fields.place(name) in rest and _is_added(name)]:
        value = fields.peek(name)
        if not _is_plain(value) or len(str(value)) > _LONGEST:
            continue
        of_sweep = name in behind if after else swept and not isinstance(value, str)
        if of_sweep or isinstance(value, str):
            kind = "server_param" if of_sweep else "user_meta"
            fact = _fact(fields, name, value)
            if fact is None:
                fields.withhold(name)
                continue
            fields.take(name)
            facts[f"{kind}.{name}"] = fact
    return facts


def _is_added(name: str) -> bool:
    return name not in _OWN_TEXTS and not name.endswith("_ms")


def _is_plain(value: object) -> TypeGuard[str | int | float]:
    return isinstance(value, (str, bool)) or is_number(value)


def _in_tool_order(names: list[str]) -> bool:
    """Whether the keys stand as the tool writes them; some store them sorted."""
    return names[:1] == ["date"]


def _fact(fields: Fields, name: str, value: str | float) -> Fact | None:
    """The fact without secrets, or ``None`` where the whole value is one."""
    if not isinstance(value, str):
        return Fact(value, pointer=fields.place(name))
    shown = mask_text(f"{name}={value}").text
    if not shown.startswith(f"{name}=") or shown == f"{name}=‹secret›":
        return None
    return Fact(shown[len(name) + 1 :], pointer=fields.place(name))
