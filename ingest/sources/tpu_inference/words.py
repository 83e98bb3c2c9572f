"""What the TPU plug-in's words and signs mean: results, features, generations, schemes."""

from collections.abc import Mapping

from ingest.contract import StatementStatus
from ingest.sources.statuses import StatusTable
from matrix.domain.coordinates import Condition
from matrix.domain.levels import ConditionKind

# Failing is "known to be broken" by the legend; "to be added" speaks about the test.
RESULTS = StatusTable(
    {
        "✅ passing": StatementStatus.VALIDATED,
        "✅": StatementStatus.VALIDATED,
        "❌ failing": StatementStatus.UNSUPPORTED,
        "❌": StatementStatus.UNSUPPORTED,
        "🧪 experimental": StatementStatus.EXPERIMENTAL,
        "🧪": StatementStatus.EXPERIMENTAL,
        "📝 planned": StatementStatus.PLANNED,
        "📝": StatementStatus.PLANNED,
        "⛔️ unplanned": StatementStatus.UNSUPPORTED,
        "⛔ unplanned": StatementStatus.UNSUPPORTED,
        "⛔": StatementStatus.UNSUPPORTED,
        "❓ untested": StatementStatus.UNTESTED,
        "❓": StatementStatus.UNTESTED,
        "to be added": StatementStatus.UNTESTED,
        "not enough hbm": StatementStatus.DOES_NOT_FIT,
        "n/a": StatementStatus.NOT_APPLICABLE,
        "": StatementStatus.NOT_STATED,
    }
)

FEATURES: Mapping[str, tuple[str, ...]] = {
    "cp": ("context-parallel",),
    "kv cache host offloading": ("kv-offload",),
    "single-host-p-d-disaggregation": ("disaggregated-prefill",),
    "quantized kv cache": ("kv-cache-dtype",),
}
# Rows that are no feature of the catalogue; their results are kept as values.
NO_FEATURE = frozenset({"moe expert ids"})
MODELS_AMONG_FEATURES: Mapping[str, tuple[str, ...]] = {
    "llama 4 maverick": ("meta-llama--llama-4-maverick-17b-128e-instruct",),
}

GENERATIONS: Mapping[str, tuple[str, ...]] = {
    "v5": ("google-tpu-v5e", "google-tpu-v5p"),
    "v6": ("google-tpu-v6e",),
    "v7": ("google-tpu-v7x",),
    "v3": ("google-tpu-v3",),
    "v4": ("google-tpu-v4",),
}

# Scheme and method of a row; until 0.12 the scheme stands alone.
SCHEMES: Mapping[str, tuple[str, ...]] = {
    "fp4 w4a16": ("mxfp4-w4a16",),
    "fp8 w8a8": ("fp8-w8a8",),
    "fp8 w8a16": ("fp8-w8a16",),
    "int4 w4a16": ("int4-w4a16",),
    "awq int4": ("awq-w4a16",),
    "int8 w8a8": ("int8-w8a8",),
    "nvfp4 w4a16": ("nvfp4-w4a16",),
}
METHODS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("int4 w4a16", "awq"): ("awq-w4a16",),
}

# The results are those of the project's test machines, whose number of chips is not written.
CI_MACHINE = Condition(
    kind=ConditionKind.OTHER, name="machine", op="=", value="the project's test machine"
)
