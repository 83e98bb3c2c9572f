"""Notes of the supported-model pages that restrict a row: read as statements of their own."""

import re
from collections.abc import Callable

from ingest.contract import Finding, FindingKind, StatementStatus
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer, Line, find_lines
from matrix.domain.coordinates import NumberRange
from matrix.domain.levels import Axis, NumberAxis

_ROCM_CONTEXT = re.compile(
    r"ROCm version of vLLM supports ([\w ]+?) and ([\w ]+?) only for context lengths up to (\d+)"
)
_NEEDS_FORK = re.compile(
    r"`(?P<model>[\w.-]+/[\w.-]+)`,? (?:the official repo )?doesn't work yet"
    r".*fork \((?::code:)?`(?P<fork>[\w./-]+)`\)"
)
_NOT_IN_V1 = re.compile(
    r"`(?P<model>[\w.-]+/[\w.-]+)` (?:does not support V1 yet|will be available in V1 once)"
)
_BACKBONE = re.compile(
    r"only supports (?:adding LoRA to|dynamic LoRA adapters on) the language backbone"
)
_V1_ONLY = re.compile(r"`(\w+)` is only supported on V1")


def read_model_notes(gather: Gatherer) -> list[Finding]:
    """Findings of the notes that say where a listed model does not hold."""
    found: list[Finding] = []
    for pattern, build in _NOTES:
        for line in find_lines(gather.document, pattern):
            found += build(gather, line)
    return found


def _rocm_context(gather: Gatherer, line: Line) -> list[Finding]:
    """Two families on AMD: up to a context length, and not beyond it."""
    first, second, limit = line.match.groups()
    locator = gather.line_locator(line.number)
    words = [f"{name}ForCausalLM" for name in (first, second)]
    models = gather.find_all("model", words, locator)
    key = statement_key("model-hardware", "mistral+mixtral", "amd")
    base = Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=key,
        status=StatementStatus.PARTIAL,
        raw=line.fragment,
        locator=locator,
        names={"models": f"{first}, {second}", "hardware": "ROCm"},
        scope=scope_of({Axis.MODEL: models, Axis.HARDWARE: "amd"}) if models else None,
        note=f"on ROCm for context lengths up to {limit} tokens only",
        value=limit,
    )
    beyond = {NumberAxis.CONTEXT_TOKENS: NumberRange(minimum=float(limit) + 1)}
    too_long = Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=key + "/long-context",
        status=StatementStatus.UNSUPPORTED,
        raw=line.fragment,
        locator=locator,
        names=base.names,
        scope=scope_of({Axis.MODEL: models, Axis.HARDWARE: "amd"}, numbers=beyond)
        if models
        else None,
        note=f"on ROCm not beyond {limit} tokens of context",
    )
    return [base, too_long]


def _needs_fork(gather: Gatherer, line: Line) -> list[Finding]:
    """A checkpoint whose official repository does not load; a fork is named instead."""
    fork = line.match.group("fork")
    note = f"the official repository does not load; the page names the fork {fork}"
    return [_refused(gather, line, key="official-repository", note=note)]


def _not_in_v1(gather: Gatherer, line: Line) -> list[Finding]:
    """A checkpoint that the V1 engine does not take yet."""
    note = "not in the V1 engine yet"
    return [_refused(gather, line, key="engine-v1", note=note, feature="engine-v1")]


def _refused(gather: Gatherer, line: Line, *, key: str, note: str, feature: str = "") -> Finding:
    locator = gather.line_locator(line.number)
    word = line.match.group("model")
    models = gather.find("model", word, locator)
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("model-note", models or word.lower(), key),
        status=StatementStatus.UNSUPPORTED,
        raw=line.fragment,
        locator=locator,
        names={"model": word},
        scope=scope_of({Axis.MODEL: models}, features=feature or ()) if models else None,
        note=note,
    )


def _language_backbone(gather: Gatherer, line: Line) -> list[Finding]:
    """LoRA on multimodal models reaches the language part."""
    return [
        Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key("model-note", "lora+multimodal"),
            status=StatementStatus.PARTIAL,
            raw=line.fragment,
            locator=gather.line_locator(line.number),
            names={"feature": "LoRA", "with": "multimodal models"},
            scope=scope_of(features=("lora", "multimodal")),
            note="adapters apply to the language backbone only",
        )
    ]


def _v1_only(gather: Gatherer, line: Line) -> list[Finding]:
    """An architecture that needs the V1 engine."""
    locator = gather.line_locator(line.number)
    word = line.match.group(1)
    models = gather.find("model", word, locator)
    return [
        Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key("model-note", models or word.lower(), "engine-v0"),
            status=StatementStatus.UNSUPPORTED,
            raw=line.fragment,
            locator=locator,
            names={"architecture": word, "feature": "V0"},
            scope=scope_of({Axis.MODEL: models}, features="engine-v0") if models else None,
            note="needs the V1 engine",
        )
    ]


_NOTES: tuple[tuple[re.Pattern[str], Callable[[Gatherer, Line], list[Finding]]], ...] = (
    (_ROCM_CONTEXT, _rocm_context),
    (_NEEDS_FORK, _needs_fork),
    (_NOT_IN_V1, _not_in_v1),
    (_V1_ONLY, _v1_only),
    (_BACKBONE, _language_backbone),
)
