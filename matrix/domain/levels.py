"""The closed vocabularies of the knowledge base: levels, tiers, evidence kinds, axes, legs.

Models, serializers, filters, templates, CSS classes and docs derive from these enumerations.
"""

from enum import IntEnum, StrEnum


class SupportLevel(StrEnum):
    """What a claim or a verdict says of a cell; a claim is never conditional or unknown."""

    SUPPORTED = "supported"
    CONDITIONAL = "conditional"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    UNKNOWN = "unknown"


CLAIM_LEVELS = (SupportLevel.SUPPORTED, SupportLevel.PARTIAL, SupportLevel.UNSUPPORTED)

# Weakest first: the verdict of a cell is its weakest leg (rule "weakest leg"); an unsupported leg
# is a veto, an unknown leg is weaker than any positive one.
WEAKEST_FIRST = (
    SupportLevel.UNSUPPORTED,
    SupportLevel.UNKNOWN,
    SupportLevel.PARTIAL,
    SupportLevel.CONDITIONAL,
    SupportLevel.SUPPORTED,
)


class Execution(StrEnum):
    """How the scheme is executed on the hardware."""

    NATIVE = "native"
    WEIGHT_ONLY = "weight-only"
    EMULATED = "emulated"
    CPU_FALLBACK = "cpu-fallback"
    SILENTLY_IGNORED = "silently-ignored"
    UNSTATED = "unstated"


class Tier(StrEnum):
    """How far the project stands behind a statement."""

    OFFICIAL = "official"
    UNOFFICIAL = "unofficial"
    EXPERIMENTAL = "experimental"
    DEPRECATED = "deprecated"
    PLANNED = "planned"


class Outcome(StrEnum):
    """What a measurement showed; starting, being correct and being accelerated are different."""

    STARTS = "starts"
    CORRECT = "correct"
    ACCELERATED = "accelerated"
    OUT_OF_MEMORY = "out-of-memory"
    FAILS = "fails"
    UNSTATED = "unstated"


class EvidenceKind(StrEnum):
    """What a claim rests on, strongest first (rule "strength")."""

    BENCHMARK_RUN = "benchmark-run"
    MANUAL_TEST = "manual-test"
    CI = "ci"
    SOURCE_CODE = "source-code"
    CAPABILITY_GATE = "capability-gate"
    MAINTAINER = "maintainer-statement"
    RELEASE_NOTE = "release-note"
    DOCUMENTATION = "documentation"
    USER_REPORT = "user-report"


# A gate read from source code is as strong as source code where it refuses, and proves nothing
# where it lets pass: see ``matrix.domain.verdicts``.
STRENGTH: dict[EvidenceKind, int] = {
    EvidenceKind.BENCHMARK_RUN: 7,
    EvidenceKind.MANUAL_TEST: 7,
    EvidenceKind.CI: 6,
    EvidenceKind.SOURCE_CODE: 5,
    EvidenceKind.CAPABILITY_GATE: 5,
    EvidenceKind.MAINTAINER: 4,
    EvidenceKind.RELEASE_NOTE: 3,
    EvidenceKind.DOCUMENTATION: 2,
    EvidenceKind.USER_REPORT: 1,
}
MEASURED_KINDS = frozenset({EvidenceKind.BENCHMARK_RUN, EvidenceKind.MANUAL_TEST})


class UnknownReason(StrEnum):
    """Why a verdict is unknown."""

    NEVER_INVESTIGATED = "never-investigated"
    SOURCE_SILENT = "source-silent"
    NOT_LISTED = "not-listed"
    SOURCES_CONFLICT = "sources-conflict"
    STALE = "stale"
    EXTRACTOR_FAILED = "extractor-failed"


class Limit(StrEnum):
    """Whose limit a "no" is."""

    HARDWARE = "hardware"
    FRAMEWORK = "framework"
    ARTEFACT = "artefact"
    MODEL = "model"


class Confidence(StrEnum):
    """How firm a verdict is; derived from age, strength and disagreement, never typed in."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"


class EndpointKind(StrEnum):
    """How well an endpoint of a release range is known."""

    EXACT = "exact"
    AT_OR_BEFORE = "at-or-before"
    BETWEEN = "between"


class Axis(StrEnum):
    """Node axes of a scope or cell; each takes catalogue slugs."""

    BACKEND = "backend"
    HARDWARE = "hardware"
    MODEL = "model"
    QUANTIZATION = "quantization"
    CONTAINER = "container"
    ACTIVATION_DTYPE = "activation_dtype"
    KV_DTYPE = "kv_dtype"
    ATTENTION_BACKEND = "attention_backend"
    ENGINE = "engine"
    ARTEFACT = "artefact"
    OS_ISA = "os_isa"
    LAYER = "layer"


class NumberAxis(StrEnum):
    """Number axes of a scope or cell; each takes an inclusive range."""

    HARDWARE_COUNT = "hardware_count"
    TENSOR_PARALLEL = "tensor_parallel"
    PIPELINE_PARALLEL = "pipeline_parallel"
    EXPERT_PARALLEL = "expert_parallel"
    DATA_PARALLEL = "data_parallel"
    CONTEXT_TOKENS = "context_tokens"


class ConditionKind(StrEnum):
    """What a condition names."""

    FLAG = "flag"
    ENV = "env"
    BUILD_OPTION = "build-option"
    IMAGE = "image"
    DRIVER = "driver"
    TOOLKIT = "toolkit"
    PACKAGE = "package"
    PLUGIN = "plugin"
    OS = "os"
    TOPOLOGY = "topology"
    FEATURE_OFF = "feature-off"
    DTYPE = "dtype"
    OTHER = "other"


class LegKind(StrEnum):
    """What must be stated before a cell is "supported"."""

    PLATFORM = "platform"
    MODEL = "model"
    QUANTIZATION = "quantization"
    KV_DTYPE = "kv_dtype"
    FEATURE = "feature"


class Coverage(IntEnum):
    """Whether a scope covers a cell; DEPENDS where the cell leaves a restricted axis open."""

    NO = 0
    DEPENDS = 1
    YES = 2


class MaintenanceStatus(StrEnum):
    """Maintenance status of a framework or component, with dates."""

    ACTIVE = "active"
    MAINTENANCE_MODE = "maintenance-mode"
    DEPRECATED = "deprecated"
    ARCHIVED = "archived"
    UNKNOWN = "unknown"
