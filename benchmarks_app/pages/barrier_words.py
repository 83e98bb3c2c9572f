"""Controlled variables and barriers between runs in words."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.comparability import Barrier, Role, Verdict
from benchmarks_app.domain.comparison import Difference, NoInterval, ValueOrigin
from benchmarks_app.domain.levels import LoadMode, RunClass, RunStatus
from benchmarks_app.domain.open_settings import SETTING
from benchmarks_app.domain.showing import shown_text
from benchmarks_app.pages.metric_words import definition_word, number_word
from benchmarks_app.pages.words import (
    CLASS_SIGNS,
    LOAD_MODE_SHORT,
    STATUS_SIGNS,
    load_word,
    plain_word,
)

VARIABLE_WORDS: Mapping[str, Promise] = {
    "model.id": _("model"),
    "model.revision": _("revision of the model"),
    "tokenizer.id": _("tokenizer"),
    "quantization.weights": _("quantization of the weights"),
    "quantization.kv_cache": _("type of the KV cache"),
    "dtype": _("data type"),
    "spec_decoding": _("speculative decoding"),
    "load.mode": _("load mode"),
    "load.request_rate": _("request rate"),
    "load.request_rate_unbounded": _("request rate without bound"),
    "load.max_concurrency": _("concurrency"),
    "load.batch_size": _("batch size"),
    "load.burstiness": _("burstiness"),
    "load.input_length": _("input length, tokens"),
    "load.output_length": _("output length, tokens"),
    "load.n_depth": _("tokens already in the context"),
    "load.dataset": _("dataset"),
    "load.streaming": _("streaming"),
    "load.ignore_eos": _("end-of-text ignored"),
    "framework.name": _("framework"),
    "framework.version": _("version of the framework"),
    "framework.commit": _("commit of the framework"),
    "framework.backend": _("back end"),
    "framework.arguments": _("arguments of the server"),
    "accelerator.name": _("accelerator"),
    "accelerator.count": _("number of accelerators"),
    "accelerator.driver": _("driver"),
    "accelerator.runtime": _("runtime"),
    "parallelism.tp": _("tensor parallel"),
    "parallelism.pp": _("pipeline parallel"),
    "parallelism.ep": _("expert parallel"),
    "parallelism.dp": _("data parallel"),
    "container.image": _("container image"),
    "container.digest": _("digest of the image"),
    "tool.name": _("measuring tool"),
    "tool.version": _("version of the measuring tool"),
    "load.num_prompts": _("number of requests"),
    "load.seed": _("seed"),
    "load.warmup": _("warm-up"),
    "load.range_ratio": _("spread of the lengths"),
    "host.cpu": _("processor"),
    "host.os": _("operating system"),
}
_OPEN_WORDS: Mapping[str, Promise] = {
    "server_param.": _("%(name)s of the server"),
    "env.": _("variable %(name)s"),
    "user_meta.": _("%(name)s, a note of the sender"),
}
ROLE_WORDS: Mapping[Role, Promise] = {
    Role.MUST_MATCH: _("must be equal"),
    Role.EXPECTED: _("may be what is compared"),
    Role.CONTEXT: _("worth knowing"),
}
VERDICT_SIGNS: Mapping[Verdict, tuple[str, Promise]] = {
    Verdict.EQUAL: ("=", _("equal")),
    Verdict.DIFFERENT: ("≠", _("different")),
    Verdict.UNKNOWN: ("?", _("unknown")),
}
# The part after the colon names both values where both are known.
BARRIER_WORDS: Mapping[str, Promise] = {
    "no-metric": _("one of them does not have this metric"),
    "definition": _("the tools compute different things under this name"),
    "definition-unstated": _("two tools do not say what they computed under this name"),
    "basis": _("the numbers are of different parts of the machine"),
    "load-mode": _("the load was offered in different ways"),
    "streaming": _("one streamed its answers and the other did not"),
    "input-length": _("the inputs have different lengths"),
    "output-length": _("the answers have different lengths"),
    "tokenizer": _("the tokenizers differ, so that a token is not the same unit"),
    "concurrency": _("the concurrency differs"),
    "request-rate": _("the request rate differs"),
    "batch-size": _("the batch size differs"),
    "depth": _("the contexts were filled differently before"),
    "model": _("the models differ"),
    "quantization": _("the quantizations differ"),
    "run-class": _("they are not both runs that were measured here"),
    "mocked": _("a stand-in answered instead of a model"),
    "not-completed": _("one of them did not complete"),
    "percentile-method": _("the percentiles were made by different methods"),
    "input-length-unknown": _("the input length of one of them is unknown"),
    "output-length-unknown": _("the output length of one of them is unknown"),
    "load-mode-unknown": _("the load mode of one of them is unknown"),
}
NO_INTERVAL_WORDS: Mapping[NoInterval, Promise] = {
    NoInterval.ONE_RUN: _("one run, no interval"),
    NoInterval.TOO_FEW: _("too few samples for an interval"),
    NoInterval.NO_BASELINE: _("the baseline has no interval"),
}
DIFFERENCE_SIGNS: Mapping[Difference, tuple[str, Promise]] = {
    Difference.BETTER: ("▲", _("better")),
    Difference.WORSE: ("▼", _("worse")),
    Difference.UNCLEAR: ("≈", _("not told apart")),
    Difference.CHANGED: ("≠", _("different")),
    Difference.UNTESTED: ("·", _("not tested")),
}
VALUE_ORIGIN_WORDS: Mapping[ValueOrigin, Promise] = {
    ValueOrigin.SAMPLES: _("from the samples"),
    ValueOrigin.REPEATS: _("from the repetitions"),
    ValueOrigin.REPORTED: _("as the tool reports it"),
}
_WITHOUT_VALUES = frozenset({"no-metric", "mocked"})
_LENGTHS = frozenset({"load.input_length", "load.output_length"})
_LENGTH_CODES = frozenset({"input-length", "output-length"})


def variable_word(name: str) -> str:
    """The name of a controlled variable; a setting keeps the name that its tool gives it."""
    if name.startswith(SETTING):
        return load_word(name.removeprefix(SETTING))
    if name in VARIABLE_WORDS:
        return str(VARIABLE_WORDS[name])
    for prefix, sentence in _OPEN_WORDS.items():
        if name.startswith(prefix):
            return str(sentence) % {"name": shown_text(name.removeprefix(prefix))}
    return shown_text(name)


def variable_value(name: str, value: object) -> str:
    """The value of a controlled variable; load modes in words, texts masked."""
    if name == "load.mode":
        return str(LOAD_MODE_SHORT[LoadMode(str(value))])
    return _stated_word(value, measured=name in _LENGTHS)


def _stated_word(value: object, *, measured: bool) -> str:
    """A stated value, masked; a measured mean with the digits that say something."""
    if measured and isinstance(value, (int, float)):
        return number_word(float(value))
    return shown_text(plain_word(value))


def barrier_word(barrier: Barrier) -> str:
    """Why two runs do not share a column or axis, with both values where they are known."""
    sentence = str(BARRIER_WORDS.get(barrier.code, barrier.code))
    if barrier.code in _WITHOUT_VALUES or (barrier.left is None and barrier.right is None):
        return sentence
    sides = [_side(barrier.code, value) for value in (barrier.left, barrier.right)]
    return _now("%(sentence)s: %(left)s and %(right)s") % {
        "sentence": sentence,
        "left": sides[0],
        "right": sides[1],
    }


def _side(code: str, value: object) -> str:
    if value is None:
        return _now("unknown")
    text = str(value)
    if code == "definition":
        return definition_word(text)
    if code == "load-mode" and text in set(LoadMode):
        return str(LOAD_MODE_SHORT[LoadMode(text)])
    if code == "run-class" and text in set(RunClass):
        return str(CLASS_SIGNS[RunClass(text)].word)
    if code == "not-completed" and text in set(RunStatus):
        return str(STATUS_SIGNS[RunStatus(text)].word)
    return _stated_word(value, measured=code in _LENGTH_CODES)
