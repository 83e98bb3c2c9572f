"""Words and signs of the closed vocabularies, as people read them; colours follow in CSS."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from matrix.domain.levels import (
    Axis,
    ConditionKind,
    Confidence,
    EvidenceKind,
    Execution,
    LegKind,
    Limit,
    MaintenanceStatus,
    NumberAxis,
    Outcome,
    SupportLevel,
    Tier,
)


@dataclass(frozen=True, slots=True)
class Sign:
    """How one value is shown: a sign, a word, a short word for dense tables, and its meaning."""

    value: str
    icon: str
    word: Promise
    short: Promise
    meaning: Promise


LEVEL_SIGNS: Mapping[SupportLevel, Sign] = {
    SupportLevel.SUPPORTED: Sign(
        "supported",
        "✓",
        _("supported"),
        pgettext_lazy("short level", "yes"),
        _("Every leg of the question is stated, and nothing restricts it."),
    ),
    SupportLevel.CONDITIONAL: Sign(
        "conditional",
        "◐",
        _("conditional"),
        pgettext_lazy("short level", "if"),
        _("It holds under a condition or a choice that the question leaves open."),
    ),
    SupportLevel.PARTIAL: Sign(
        "partial",
        "◔",
        _("partial"),
        pgettext_lazy("short level", "part"),
        _("A part of it works; the note of the claim says which."),
    ),
    SupportLevel.UNSUPPORTED: Sign(
        "unsupported",
        "✕",
        _("unsupported"),
        pgettext_lazy("short level", "no"),
        _("A source states that it does not work. A “no” always has evidence."),
    ),
    SupportLevel.UNKNOWN: Sign(
        "unknown",
        "?",
        _("unknown"),
        pgettext_lazy("short level", "unk."),
        _("Nothing that was read answers it. This is not a “no”."),
    ),
}

STATUS_SIGNS: Mapping[MaintenanceStatus, Sign] = {
    MaintenanceStatus.ACTIVE: Sign(
        "active", "●", _("active"), _("active"), _("Releases or commits are dated and recent.")
    ),
    MaintenanceStatus.MAINTENANCE_MODE: Sign(
        "maintenance-mode",
        "◑",
        _("maintenance mode"),
        _("maintenance"),
        _("The project says that it takes fixes only."),
    ),
    MaintenanceStatus.DEPRECATED: Sign(
        "deprecated",
        "▽",
        _("deprecated"),
        _("deprecated"),
        _("The project advises against it or announces its end."),
    ),
    MaintenanceStatus.ARCHIVED: Sign(
        "archived", "■", _("archived"), _("archived"), _("Read-only or removed.")
    ),
    MaintenanceStatus.UNKNOWN: Sign(
        "unknown", "?", _("unknown"), _("unknown"), _("No dated statement was found.")
    ),
}

EVIDENCE_SIGNS: Mapping[EvidenceKind, tuple[str, Promise]] = {
    EvidenceKind.BENCHMARK_RUN: ("◷", _("benchmark run")),
    EvidenceKind.MANUAL_TEST: ("☛", _("manual test")),
    EvidenceKind.CI: ("⚙", _("CI")),
    EvidenceKind.SOURCE_CODE: ("⟨⟩", _("source code")),
    EvidenceKind.CAPABILITY_GATE: ("⊓", _("capability gate in the code")),
    EvidenceKind.MAINTAINER: ("☍", _("maintainer statement")),
    EvidenceKind.RELEASE_NOTE: ("✉", _("release note")),
    EvidenceKind.DOCUMENTATION: ("¶", _("documentation")),
    EvidenceKind.USER_REPORT: ("☺", _("user report")),
}

# One table for each vocabulary: members of different ones may carry the same value.
EXECUTION_WORDS: Mapping[Execution, Promise] = {
    Execution.NATIVE: _("native"),
    Execution.WEIGHT_ONLY: _("weight-only"),
    Execution.EMULATED: _("emulated"),
    Execution.CPU_FALLBACK: _("falls back to the CPU"),
    Execution.SILENTLY_IGNORED: _("silently ignored"),
    Execution.UNSTATED: _("not stated"),
}

TIER_WORDS: Mapping[Tier, Promise] = {
    Tier.OFFICIAL: _("official"),
    Tier.UNOFFICIAL: _("unofficial"),
    Tier.EXPERIMENTAL: _("experimental"),
    Tier.DEPRECATED: _("deprecated"),
    Tier.PLANNED: _("planned"),
}

OUTCOME_WORDS: Mapping[Outcome, Promise] = {
    Outcome.STARTS: _("starts"),
    Outcome.CORRECT: _("gives correct output"),
    Outcome.ACCELERATED: _("is accelerated"),
    Outcome.OUT_OF_MEMORY: _("runs out of memory"),
    Outcome.FAILS: _("fails"),
    Outcome.UNSTATED: _("not stated"),
}

CONFIDENCE_WORDS: Mapping[Confidence, Promise] = {
    Confidence.HIGH: _("high"),
    Confidence.MEDIUM: _("medium"),
    Confidence.LOW: _("low"),
    Confidence.NONE: _("none"),
}

LIMIT_WORDS: Mapping[Limit, Promise] = {
    Limit.HARDWARE: _("a limit of the hardware"),
    Limit.FRAMEWORK: _("a limit of the framework"),
    Limit.ARTEFACT: _("a limit of the shipped artefact"),
    Limit.MODEL: _("a limit of the model"),
}

LEG_WORDS: Mapping[LegKind, Promise] = {
    LegKind.PLATFORM: _("Platform"),
    LegKind.MODEL: _("Model"),
    LegKind.QUANTIZATION: _("Quantization"),
    LegKind.KV_DTYPE: _("KV-cache type"),
    LegKind.FEATURE: _("Feature"),
}

AXIS_WORDS: Mapping[str, Promise] = {
    "framework": _("framework"),
    "version": _("version"),
    Axis.BACKEND.value: _("backend"),
    Axis.HARDWARE.value: _("hardware"),
    Axis.MODEL.value: _("model"),
    Axis.QUANTIZATION.value: _("quantization"),
    Axis.CONTAINER.value: _("checkpoint container"),
    Axis.ACTIVATION_DTYPE.value: _("activation type"),
    Axis.KV_DTYPE.value: _("KV-cache type"),
    Axis.ATTENTION_BACKEND.value: _("attention backend"),
    Axis.ENGINE.value: _("engine"),
    Axis.ARTEFACT.value: _("artefact"),
    Axis.OS_ISA.value: _("operating system or ISA"),
    Axis.LAYER.value: _("layer"),
    "feature": _("feature"),
    "features": _("features"),
    NumberAxis.HARDWARE_COUNT.value: _("number of devices"),
    NumberAxis.TENSOR_PARALLEL.value: _("tensor parallel"),
    NumberAxis.PIPELINE_PARALLEL.value: _("pipeline parallel"),
    NumberAxis.EXPERT_PARALLEL.value: _("expert parallel"),
    NumberAxis.DATA_PARALLEL.value: _("data parallel"),
    NumberAxis.CONTEXT_TOKENS.value: _("context (tokens)"),
    "as_of": _("as of"),
    "known_at": _("known at"),
}

CONDITION_WORDS: Mapping[ConditionKind, Promise] = {
    ConditionKind.FLAG: _("flag"),
    ConditionKind.ENV: _("environment variable"),
    ConditionKind.BUILD_OPTION: _("build option"),
    ConditionKind.IMAGE: _("container image"),
    ConditionKind.DRIVER: _("driver"),
    ConditionKind.TOOLKIT: _("toolkit"),
    ConditionKind.PACKAGE: _("package"),
    ConditionKind.PLUGIN: _("plug-in"),
    ConditionKind.OS: _("operating system"),
    ConditionKind.TOPOLOGY: _("topology"),
    ConditionKind.FEATURE_OFF: _("feature off"),
    ConditionKind.DTYPE: _("data type"),
    ConditionKind.OTHER: _("condition"),
}


# Levels of the catalogue's trees, and how well the end of a span is known.
KIND_WORDS: Mapping[str, Promise] = {
    "vendor": _("vendor"),
    "family": _("family"),
    "architecture": _("architecture"),
    "device": _("device"),
    "checkpoint": _("checkpoint"),
    "scheme": _("scheme"),
    "method": _("method"),
    "file": _("file"),
    "loading": _("loading"),
    "group": _("group"),
    "feature": _("feature"),
    "backend": _("backend"),
    "container": _("checkpoint container"),
    "engine": _("engine"),
    "plugin": _("plug-in"),
    "fork": _("fork"),
    "binding": _("binding"),
    "wrapper": _("wrapper"),
    "library": _("library"),
    "collection": _("collection"),
    "documentation": _("documentation"),
    "integration": _("integration"),
    "manager": _("manager"),
    "sdk": _("SDK"),
    "exact": _("exact"),
    "at-or-before": _("at or before"),
    "at-or-after": _("at or after"),
    "between": _("between"),
}


# What a maintenance period rests on, in the words of its evidence.
STRENGTH_WORDS: Mapping[str, Promise] = {
    "official": _("the code host's own mark"),
    "maintainer": _("the maintainers' word"),
    "maintainer-statement": _("the maintainers' word"),
    "release": _("a release"),
    "release-note": _("a release note"),
    "documentation": _("documentation"),
    "source-code": _("source code"),
    "third-party": _("a third party only"),
    "user-report": _("a third party only"),
    "silence": _("silence"),
}


def strength_word(strength: str) -> str:
    """What a maintenance period rests on, as people read it; an unlisted word as it is written."""
    word = STRENGTH_WORDS.get(strength)
    return strength.replace("-", " ") if word is None else str(word)


def kind_word(kind: str) -> str:
    """The name of a tree's level as people read it; an unlisted one as it is written."""
    word = KIND_WORDS.get(kind)
    return kind.replace("-", " ") if word is None else str(word)


def axis_word(axis: str) -> str:
    """The name of an axis as people read it; an unlisted one as it is written."""
    word = AXIS_WORDS.get(axis)
    return axis.replace("_", " ") if word is None else str(word)
