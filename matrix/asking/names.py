"""The names of a question's parameters: said once for REST, pages and commands."""

from collections.abc import Mapping

from matrix.domain.levels import Axis, NumberAxis

FRAMEWORK = "framework"
VERSION = "version"
FEATURE = "feature"
SETTING = "setting"
AS_OF = "as_of"
KNOWN_AT = "known_at"
OVER = "over"
OVER_KIND = "kind"
OVER_PARENT = "parent"

# A parameter is named after its axis, but for the number of devices, which everybody calls count.
NUMBER_PARAMETERS: Mapping[str, NumberAxis] = {
    "count" if axis is NumberAxis.HARDWARE_COUNT else axis.value: axis for axis in NumberAxis
}
NODE_PARAMETERS: Mapping[str, Axis] = {axis.value: axis for axis in Axis}

REPEATABLE = frozenset({FEATURE, SETTING})
CELL_PARAMETERS: tuple[str, ...] = (
    FRAMEWORK,
    VERSION,
    *NODE_PARAMETERS,
    *NUMBER_PARAMETERS,
    FEATURE,
    SETTING,
)
QUESTION_PARAMETERS: tuple[str, ...] = (
    *CELL_PARAMETERS,
    AS_OF,
    KNOWN_AT,
    OVER,
    OVER_KIND,
    OVER_PARENT,
)

# Axes over which a list of verdicts may run, each named like the parameter that it leaves open.
OVER_AXES = (FRAMEWORK, VERSION, "hardware", "quantization", "model", FEATURE, "backend")

# Axes whose nodes lie below one node of a larger catalogue area.
ROOT_OF_AXIS: Mapping[Axis, str] = {
    Axis.KV_DTYPE: "kv-cache",
    Axis.ATTENTION_BACKEND: "attention",
}
# People write "kv_dtype=fp8"; the scheme's own name says that it is about the KV cache.
SPELLINGS_OF_AXIS: Mapping[Axis, tuple[str, ...]] = {
    Axis.KV_DTYPE: ("{}", "kv-{}", "kv cache {}"),
    Axis.ATTENTION_BACKEND: ("{}", "{}-attention"),
}
