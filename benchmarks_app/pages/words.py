"""Words and signs of the vocabularies of measured runs, as people read them."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.facts import FactGroup
from benchmarks_app.domain.levels import (
    LoadMode,
    Origin,
    RunClass,
    RunOutcome,
    RunState,
    RunStatus,
)
from benchmarks_app.domain.metrics import Direction
from matrix.pages.words import Sign

STATUS_SIGNS: Mapping[RunStatus, Sign] = {
    RunStatus.OK: Sign(
        "ok", "✓", _("complete"), _("ok"), _("Every request that was sent completed.")
    ),
    RunStatus.PARTIAL: Sign(
        "partial", "◔", _("partly failed"), _("partly"), _("Some of its requests failed.")
    ),
    RunStatus.FAILED: Sign(
        "failed", "✕", _("failed"), _("failed"), _("Nothing that was asked for completed.")
    ),
    RunStatus.INVALID: Sign(
        "invalid", "⊘", _("invalid"), _("invalid"), _("The tool’s own rules call it invalid.")
    ),
    RunStatus.CANCELLED: Sign(
        "cancelled", "■", _("cancelled"), _("cancelled"), _("Somebody or a time limit stopped it.")
    ),
    RunStatus.SUSPECT: Sign(
        "suspect", "!", _("contradicts itself"), _("suspect"), _("Its file contradicts itself.")
    ),
}

CLASS_SIGNS: Mapping[RunClass, Sign] = {
    RunClass.MEASURED: Sign(
        "measured",
        "◉",
        _("measured"),
        _("measured"),
        _("Uploaded here with the file that the tool wrote."),
    ),
    RunClass.PUBLISHED: Sign(
        "published",
        "¶",
        _("published table"),
        _("table"),
        _("A row of a table that a vendor or project printed; nobody sent the file behind it."),
    ),
    RunClass.DEMONSTRATION: Sign(
        "demonstration",
        "◌",
        _("demonstration"),
        _("demo"),
        _("A genuine file of a tool, shipped to show the pages: no statement about performance."),
    ),
}

OUTCOME_SIGNS: Mapping[RunOutcome, Sign] = {
    RunOutcome.COMPLETED: Sign(
        "completed",
        "✓",
        _("it ran"),
        _("ran"),
        _("The framework ran this model in this way on this hardware."),
    ),
    RunOutcome.DOES_NOT_FIT: Sign(
        "does-not-fit",
        "▣",
        _("does not fit"),
        _("no fit"),
        _("Memory ran out at the limits of this run; smaller limits are not spoken of."),
    ),
    RunOutcome.FAILS: Sign("fails", "✕", _("it failed"), _("failed"), _("The run shows how.")),
    RunOutcome.NOT_SHOWN: Sign(
        "not-shown",
        "?",
        _("shows nothing about the cell"),
        _("not shown"),
        _("The run does not say whether it works. This is not a “no”."),
    ),
}

STATE_SIGNS: Mapping[RunState, Sign] = {
    RunState.DRAFT: Sign(
        "draft", "✎", _("draft"), _("draft"), _("Only its sender and curators see it.")
    ),
    RunState.PUBLISHED: Sign(
        "published-state", "●", _("published"), _("published"), _("It stands as it is.")
    ),
    RunState.WITHDRAWN: Sign(
        "withdrawn", "−", _("withdrawn"), _("withdrawn"), _("It no longer counts; see the reason.")
    ),
    RunState.REPLACED: Sign(
        "replaced", "⇄", _("replaced"), _("replaced"), _("A newer version corrects it.")
    ),
}

LOAD_MODE_WORDS: Mapping[LoadMode, Promise] = {
    LoadMode.CLOSED_LOOP: _("closed loop: a fixed number of requests in flight"),
    LoadMode.OPEN_LOOP: _("open loop: requests arrive at a rate, whatever is in flight"),
    LoadMode.BURST: _("burst: all requests at once"),
    LoadMode.REPLAY: _("replay of recorded or scripted sessions"),
    LoadMode.OFFLINE_BATCH: _("offline batch: no server between"),
    LoadMode.MICROBENCH: _("micro-benchmark: the model alone, no server and no scheduler"),
}
LOAD_MODE_SHORT: Mapping[LoadMode, Promise] = {
    LoadMode.CLOSED_LOOP: _("closed loop"),
    LoadMode.OPEN_LOOP: _("open loop"),
    LoadMode.BURST: _("burst"),
    LoadMode.REPLAY: _("replay"),
    LoadMode.OFFLINE_BATCH: _("offline batch"),
    LoadMode.MICROBENCH: _("micro-benchmark"),
}

ORIGIN_WORDS: Mapping[Origin, Promise] = {
    Origin.FILE: _("in the file"),
    Origin.SIBLING: _("in a file beside it"),
    Origin.FILENAME: _("in the file’s name"),
    Origin.PASTED: _("in pasted output"),
    Origin.UPLOADER: _("typed by the sender"),
}

FACT_GROUP_WORDS: Mapping[FactGroup, Promise] = {
    FactGroup.MODEL: _("Model"),
    FactGroup.QUANTIZATION: _("Quantization"),
    FactGroup.FRAMEWORK: _("Framework"),
    FactGroup.ACCELERATOR: _("Accelerator"),
    FactGroup.PARALLELISM: _("Parallel layout"),
    FactGroup.CONTAINER: _("Container"),
    FactGroup.HOST: _("Host"),
    FactGroup.CLIENT: _("Client and tool"),
    FactGroup.RUN: _("Time of the run"),
    FactGroup.PUBLISHED: _("Where it was published"),
}

DIRECTION_WORDS: Mapping[Direction, Promise] = {
    Direction.LOWER: _("lower is better"),
    Direction.HIGHER: _("higher is better"),
    Direction.NEITHER: _("neither way is better by itself"),
}

GRADE_WORDS: Mapping[str, Promise] = {
    "A": _("can be repeated from what is stated"),
    "B": _("little is missing to repeat it"),
    "C": _("much is missing to repeat it"),
    "D": _("cannot be repeated from what is stated"),
}

PART_WORDS: Mapping[str, Promise] = {
    "primary": _("the run itself"),
    "duplicate": _("another form of the same run"),
    "complement": _("a part of the run that its main file lacks"),
    "sidecar": _("says something of the run"),
    "attachment": _("kept beside it"),
}

# Fields of ``contract.Load``; the unit stands in the word.
LOAD_WORDS: Mapping[str, Promise] = {
    "mode": _("load mode"),
    "request_rate": _("request rate, requests/s"),
    "request_rate_unbounded": _("request rate without bound"),
    "burstiness": _("burstiness"),
    "max_concurrency": _("concurrency, requests in flight"),
    "num_prompts": _("requests asked for"),
    "batch_size": _("batch size"),
    "isl_target": _("input length asked for, tokens"),
    "isl_mean": _("input length, mean tokens"),
    "osl_target": _("output length asked for, tokens"),
    "osl_mean": _("output length, mean tokens"),
    "range_ratio": _("spread of the lengths, ratio"),
    "duration_target_s": _("duration asked for, s"),
    "n_prompt": _("prompt tokens of the test"),
    "n_gen": _("generated tokens of the test"),
    "n_depth": _("tokens already in the context"),
    "n_batch": _("batch of tokens"),
    "n_ubatch": _("micro-batch of tokens"),
    "n_gpu_layers": _("layers on the accelerator"),
    "max_batch_size": _("largest batch of the server"),
    "max_num_tokens": _("most tokens of a batch"),
    "warmup": _("warm-up"),
    "ignore_eos": _("end-of-text ignored"),
    "slo": _("thresholds of the tool"),
}

COUNT_WORDS: Mapping[str, Promise] = {
    "total": _("requests"),
    "completed": _("completed"),
    "failed": _("failed"),
    "incomplete": _("still running at the end"),
    "input_total": _("input tokens"),
    "output_total": _("output tokens"),
    "output_total_retokenized": _("output tokens, counted again"),
    "duration_s": _("measured time, s"),
}


def load_word(name: str) -> str:
    """The name of a load field in words; settings of a tool keep their own name."""
    return str(LOAD_WORDS.get(name) or COUNT_WORDS.get(name) or name)


def plain_word(value: object) -> str:
    """A stated value as people read it; numbers keep every digit that says something."""
    if isinstance(value, bool):
        return _now("yes") if value else _now("no")
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)
