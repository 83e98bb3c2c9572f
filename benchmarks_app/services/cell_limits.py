"""The limits within which a run speaks: devices, length, concurrency; in a scope and in words."""

from benchmarks_app.domain.levels import RunOutcome
from benchmarks_app.models import Run
from benchmarks_app.services.stated_facts import facts_from_plain
from matrix.domain.claims import NOTE_LIMIT_CHARACTERS
from matrix.domain.coordinates import NumberRange
from matrix.domain.levels import NumberAxis

# Settings by which servers are told how much context to hold, most telling first.
_LENGTH_SETTINGS = (
    "server_param.max_model_len", "server_param.max-model-len", "server_param.context_length",
    "server_param.context-length", "server_param.n_ctx", "server_param.max_seq_len",
)  # fmt: skip
_LAYOUT = (
    ("parallelism.tp", NumberAxis.TENSOR_PARALLEL),
    ("parallelism.pp", NumberAxis.PIPELINE_PARALLEL),
    ("parallelism.ep", NumberAxis.EXPERT_PARALLEL),
    ("parallelism.dp", NumberAxis.DATA_PARALLEL),
)


def context_of(run: Run) -> int | None:
    """Tokens of one sequence that the run held or was to hold; ``None`` where nothing says it."""
    facts = facts_from_plain(run.facts).facts
    for name in _LENGTH_SETTINGS:
        if name in facts:
            text = str(facts[name].value).strip()
            if text.isdigit() and int(text) > 0:
                return int(text)
    load = run.load
    micro = [load.get(name) for name in ("n_depth", "n_prompt", "n_gen")]
    if any(isinstance(one, int) and one > 0 for one in micro):
        return sum(one for one in micro if isinstance(one, int) and one > 0)
    if run.input_tokens and run.output_tokens:
        return int(run.input_tokens + run.output_tokens)
    return None


def scope_numbers(run: Run) -> dict[NumberAxis, NumberRange]:
    """Ranges of numbers in the claim's scope.

    A run speaks for its number of devices. What did not fit says nothing of shorter contexts.
    """
    numbers: dict[NumberAxis, NumberRange] = {}
    if run.hardware_count:
        numbers[NumberAxis.HARDWARE_COUNT] = NumberRange(run.hardware_count, run.hardware_count)
    if run.outcome != RunOutcome.COMPLETED.value:
        context = context_of(run)
        if context is not None:
            numbers[NumberAxis.CONTEXT_TOKENS] = NumberRange(minimum=context)
        facts = facts_from_plain(run.facts).facts
        for name, axis in _LAYOUT:
            value = facts[name].value if name in facts else None
            if isinstance(value, int) and not isinstance(value, bool) and value > 1:
                numbers[axis] = NumberRange(value, value)
    return numbers


def note_of(run: Run) -> str:
    """The limits in words, for readers of the claim."""
    parts = []
    if run.outcome_detail:
        parts.append(run.outcome_detail[:80])
    if run.hardware_count:
        parts.append(f"{run.hardware_count} device{'s' if run.hardware_count != 1 else ''}")
    context = context_of(run)
    if context is not None:
        parts.append(f"{context} tokens a sequence")
    if run.max_concurrency:
        parts.append(f"concurrency {run.max_concurrency}")
    total, done = run.requests.get("total"), run.requests.get("completed")
    if total is not None and done is not None and total != done:
        parts.append(f"{done} of {total} requests completed")
    if run.load_mode == "microbench":
        parts.append("kernels alone, no server")
    if run.measured_on is None:
        parts.append("day of measurement not captured")
    return ", ".join(parts)[:NOTE_LIMIT_CHARACTERS]
