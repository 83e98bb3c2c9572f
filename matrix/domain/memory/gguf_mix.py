"""Which type each tensor of a GGUF file takes under a file type, by llama-quantize's rules."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from matrix.domain.memory.ggml_types import GGML_TYPES
from matrix.domain.memory.gguf_tensors import TensorShape, list_tensors
from matrix.domain.memory.llamacpp_values import LlamaShape

SOURCE = "llama.cpp 0c1e57098, src/llama-quant.cpp (without an importance matrix)"

# The type that a tensor takes where no rule says otherwise.
BASE_TYPES: Mapping[str, str] = {
    "F32": "F32",
    "F16": "F16",
    "BF16": "BF16",
    "Q1_0": "Q1_0",
    "Q2_0": "Q2_0",
    "Q4_0": "Q4_0",
    "Q4_1": "Q4_1",
    "Q5_0": "Q5_0",
    "Q5_1": "Q5_1",
    "Q8_0": "Q8_0",
    "MXFP4_MOE": "MXFP4",
    "Q2_K": "Q2_K",
    "Q2_K_S": "Q2_K",
    "Q3_K_S": "Q3_K",
    "Q3_K_M": "Q3_K",
    "Q3_K_L": "Q3_K",
    "Q4_K_S": "Q4_K",
    "Q4_K_M": "Q4_K",
    "Q5_K_S": "Q5_K",
    "Q5_K_M": "Q5_K",
    "Q6_K": "Q6_K",
    "TQ1_0": "TQ1_0",
    "TQ2_0": "TQ2_0",
    "IQ1_S": "IQ1_S",
    "IQ1_M": "IQ1_M",
    "IQ2_XXS": "IQ2_XXS",
    "IQ2_XS": "IQ2_XS",
    "IQ2_S": "IQ2_XS",
    "IQ2_M": "IQ2_S",
    "IQ3_XXS": "IQ3_XXS",
    "IQ3_XS": "IQ3_S",
    "IQ3_S": "IQ3_S",
    "IQ3_M": "IQ3_S",
    "IQ4_NL": "IQ4_NL",
    "IQ4_XS": "IQ4_XS",
}
FILE_TYPES = tuple(BASE_TYPES)
_PLAIN = frozenset({"F32", "F16", "BF16"})
# Words that llama-quantize takes for another file type.
SAME_AS: Mapping[str, str] = {"Q3_K": "Q3_K_M", "Q4_K": "Q4_K_M", "Q5_K": "Q5_K_M"}

_VERY_LOW = frozenset({"IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M"})
_EMBEDDING_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("IQ2_XXS", "IQ2_XS", "IQ1_S", "IQ1_M"), "Q2_K"),
    **dict.fromkeys(("IQ2_S", "IQ2_M", "IQ3_XXS"), "IQ3_S"),
    **dict.fromkeys(("TQ1_0", "TQ2_0", "Q2_0"), "Q4_K"),
}
_FALLBACKS: Mapping[str, str] = {
    **dict.fromkeys(
        ("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_XS"), "IQ4_NL"
    ),
    **dict.fromkeys(("Q2_0", "Q2_K", "Q3_K", "TQ1_0", "TQ2_0"), "Q4_0"),
    "Q4_K": "Q5_0",
    "Q5_K": "Q5_1",
    "Q6_K": "Q8_0",
}
# The attention output of models with eight experts goes up to Q5_K under these file types.
_EIGHT_EXPERTS_OUTPUT = frozenset({
    "Q2_K", "Q3_K_S", "Q3_K_M", "Q4_K_S", "Q4_K_M", "IQ3_XXS", "IQ3_XS", "IQ3_S", "IQ3_M",
    "IQ4_NL", "IQ4_XS",
})  # fmt: skip
_OUTPUT_OF_ATTENTION: Mapping[str, str] = {
    "Q2_K": "Q3_K",
    "IQ3_XXS": "IQ3_S",
    "Q3_K_M": "Q4_K",
    "Q3_K_L": "Q5_K",
    "IQ3_M": "Q4_K",
}
_NEVER_QUANTISED = ("_norm.weight", "ffn_gate_inp.weight", "ssm_conv1d", "shortconv.conv.weight")


class _Role(StrEnum):
    """The classes of tensors that the rules tell apart."""

    OUTPUT = "output"
    EMBEDDING = "embedding"
    VALUE = "value"  # also fused query, key and value, and the old up-projection of MLA
    KEY = "key"
    QUERY = "query"
    ATTENTION_OUTPUT = "attention-output"
    UP = "up"
    DOWN = "down"
    OTHER = "other"


_ROLE_OF_PART: tuple[tuple[str, _Role], ...] = (
    ("attn_qkv.weight", _Role.VALUE),
    ("attn_kv_b.weight", _Role.VALUE),
    ("attn_v.weight", _Role.VALUE),
    ("attn_k.weight", _Role.KEY),
    ("attn_q.weight", _Role.QUERY),
    ("attn_output.weight", _Role.ATTENTION_OUTPUT),
    ("ffn_up", _Role.UP),
    ("ffn_gate", _Role.UP),
    ("ffn_down", _Role.DOWN),
)


@dataclass(frozen=True, slots=True)
class TypedTensor:
    """A tensor with the ggml type that it takes."""

    tensor: TensorShape
    type_name: str

    @property
    def bytes_(self) -> int:
        """The bytes that it takes."""
        row = GGML_TYPES[self.type_name].row_bytes(self.tensor.row_elements)
        return row * self.tensor.rows * self.tensor.experts


@dataclass(slots=True)
class _State:
    """What the rules count while they walk through a file."""

    shape: LlamaShape
    file_type: str
    values: int
    is_tied: bool
    value_index: int = 0
    down_index: int = 0
    _layers: int = field(init=False)

    def __post_init__(self) -> None:
        self._layers = self.shape.layers + self.shape.mtp_layers

    @property
    def has_shared_values(self) -> bool:
        """Whether four or more query heads share a value head."""
        return self.shape.heads_per_kv_head >= 4

    @property
    def has_eight_experts(self) -> bool:
        """The rules name models of exactly eight experts."""
        return self.shape.experts == 8

    @property
    def all_layers(self) -> int:
        """Layers of the file, MTP layers too."""
        return self._layers

    @property
    def is_large_grouped(self) -> bool:
        """What llama.cpp calls a 70B: llama with grouped heads or qwen2, of eighty layers."""
        if self.shape.layers != 80 or self.has_eight_experts:
            return False
        grouped = self.shape.arch == "llama" and self.shape.heads != self.shape.kv_heads[0]
        return grouped or self.shape.arch == "qwen2"


@lru_cache(maxsize=256)
def typed_tensors(
    shape: LlamaShape, file_type: str, experts_type: str = ""
) -> tuple[TypedTensor, ...]:
    """Every tensor of the file with its type.

    ``experts_type`` is the type that the experts keep whatever the file type says: files made of a
    checkpoint whose experts are quantised already are not quantised again.
    """
    tensors = list_tensors(shape)
    state = _State(
        shape=shape,
        file_type=file_type,
        values=sum(_role_of(tensor.name) is _Role.VALUE for tensor in tensors),
        is_tied=shape.tied,
    )
    typed = (TypedTensor(tensor, _type_of(tensor, state)) for tensor in tensors)
    if not experts_type:
        return tuple(typed)
    return tuple(_kept(one, experts_type) for one in typed)


def _kept(one: TypedTensor, experts_type: str) -> TypedTensor:
    is_expert = "_exps.weight" in one.tensor.name
    return TypedTensor(one.tensor, experts_type) if is_expert else one


def bytes_by_type(typed: Iterable[TypedTensor]) -> Mapping[str, int]:
    """The bytes of the tensors by ggml type."""
    sums: Counter[str] = Counter()
    for one in typed:
        sums[one.type_name] += one.bytes_
    return dict(sums)


def lowest_bits(file_type: str) -> float:
    """The fewest bits an element takes under a file type, for a lower bound."""
    below_base = {"IQ3_XS": "IQ3_XXS", "IQ3_XXS": "IQ2_S"}
    lowest = below_base.get(file_type, BASE_TYPES[file_type])
    return GGML_TYPES[lowest].bits_per_element


def _role_of(name: str) -> _Role:
    if name == "output.weight":
        return _Role.OUTPUT
    if name == "token_embd.weight":
        return _Role.EMBEDDING
    return next((role for part, role in _ROLE_OF_PART if part in name), _Role.OTHER)


def _type_of(tensor: TensorShape, state: _State) -> str:
    if tensor.dimensions < 2 or not tensor.name.endswith("weight"):
        return "F32"
    if any(part in tensor.name for part in _NEVER_QUANTISED):
        return "F32"
    base = BASE_TYPES[state.file_type]
    if base in _PLAIN:
        return base
    return _fallback(tensor.row_elements, _wanted(tensor, state, base))


def _fallback(row_elements: int, wanted: str) -> str:
    if GGML_TYPES[wanted].fits(row_elements):
        return wanted
    smaller = _FALLBACKS.get(wanted, wanted)
    return smaller if GGML_TYPES[smaller].fits(row_elements) else "F16"


def _wanted(tensor: TensorShape, state: _State, base: str) -> str:
    role = _role_of(tensor.name)
    if role is _Role.OUTPUT or (state.is_tied and role is _Role.EMBEDDING):
        return _output_type(tensor, state, base)
    if state.file_type == "MXFP4_MOE":
        return "MXFP4" if tensor.experts > 1 else "Q8_0"
    if role is _Role.EMBEDDING:
        return _EMBEDDING_TYPES.get(state.file_type, base)
    if state.file_type in _VERY_LOW:
        return _very_low_type(role, state, base)
    if role is _Role.VALUE:
        return _value_type(state, base)
    if role is _Role.DOWN:
        return _down_type(tensor, state, base)
    if role is _Role.ATTENTION_OUTPUT:
        if state.has_eight_experts:
            return "Q5_K" if state.file_type in _EIGHT_EXPERTS_OUTPUT else base
        return _OUTPUT_OF_ATTENTION.get(state.file_type, base)
    if role is _Role.UP:
        return _up_type(tensor, state, base)
    return _query_or_key_type(role, state, base)


def _output_type(tensor: TensorShape, state: _State, base: str) -> str:
    if state.file_type == "MXFP4_MOE" or not GGML_TYPES[base].fits(tensor.row_elements):
        return "Q8_0"
    if state.file_type in _VERY_LOW or state.file_type == "IQ3_XXS":
        return "Q5_K"
    return "Q8_0" if base == "Q8_0" else "Q6_K"


def _very_low_type(role: _Role, state: _State, base: str) -> str:
    is_upper = state.file_type in {"IQ2_S", "IQ2_M"}
    if role is _Role.VALUE:
        if state.has_shared_values or state.shape.experts >= 4:
            return "Q4_K"
        return "IQ3_S" if is_upper else "Q2_K"
    if role is _Role.KEY and state.has_eight_experts:
        return "Q4_K"
    if role is _Role.DOWN:
        state.down_index += 1
        if state.down_index - 1 < state.all_layers // 8:
            return "IQ3_S" if is_upper else "Q2_K"
        return base
    if role is _Role.ATTENTION_OUTPUT:
        if state.has_eight_experts:
            return "Q5_K"
        if is_upper:
            return "IQ3_S"
        return "IQ2_XXS" if state.file_type in {"IQ1_S", "IQ1_M"} else base
    return base


def _takes_more_bits(index: int, count: int) -> bool:
    eighth = count // 8
    return index < eighth or index >= 7 * count // 8 or (index - eighth) % 3 == 2


def _value_type(state: _State, base: str) -> str:
    index = state.value_index
    state.value_index += 1
    chosen = _value_type_by_file(state, base, index)
    if state.is_large_grouped and chosen in {"Q3_K", "Q4_K"}:
        chosen = "Q5_K"
    return "Q8_0" if state.has_eight_experts else chosen


def _value_type_by_file(state: _State, base: str, index: int) -> str:
    always = {"IQ3_M": "Q4_K", "Q3_K_L": "Q5_K", "Q3_K_M": "Q5_K" if index < 2 else "Q4_K"}
    if state.file_type in always:
        return always[state.file_type]
    if state.has_shared_values:
        shared = {
            **dict.fromkeys(("Q2_K", "Q2_K_S", "IQ3_XXS", "IQ3_XS", "IQ3_S"), "Q4_K"),
            **dict.fromkeys(("IQ4_NL", "IQ4_XS"), "Q5_K"),
        }
        if state.file_type in shared:
            return shared[state.file_type]
    elif state.file_type in {"Q2_K", "IQ3_XXS"}:
        return {"Q2_K": "Q3_K", "IQ3_XXS": "IQ3_S"}[state.file_type]
    if state.file_type in {"Q4_K_M", "Q5_K_M"} and _takes_more_bits(index, state.values):
        return "Q6_K"
    return "Q5_K" if state.file_type == "Q4_K_S" and index < 4 else base


def _down_type(tensor: TensorShape, state: _State, base: str) -> str:
    index = tensor.layer if state.shape.experts > 1 else state.down_index
    state.down_index += 1
    count = state.all_layers
    is_first_eighth = index < count // 8
    kind = state.file_type
    if kind in {"Q4_K_M", "Q5_K_M"}:
        return "Q6_K" if _takes_more_bits(index, count) else base
    if kind == "Q3_K_M":
        return "Q5_K" if index < count // 16 else "Q4_K"
    if kind == "IQ3_M":
        more = state.has_eight_experts and _takes_more_bits(index, count)
        return "Q4_K" if is_first_eighth or more else base
    always = {"Q2_K": "Q3_K", "Q3_K_L": "Q5_K"}
    if kind in always:
        return always[kind]
    first = {"Q2_K_S": "Q4_K", "IQ3_XXS": "Q4_K", "IQ4_NL": "Q5_K", "IQ4_XS": "Q5_K"}
    first["Q4_K_S"] = "Q5_K"
    if is_first_eighth and kind in first:
        return first[kind]
    return "Q3_K" if kind == "IQ3_XXS" else base


def _up_type(tensor: TensorShape, state: _State, base: str) -> str:
    """Gate and up projections: only IQ3_XS goes down, in the middle of the model."""
    count = state.all_layers
    is_middle = count // 8 <= tensor.layer < 7 * count // 8
    return "IQ3_XXS" if state.file_type == "IQ3_XS" and is_middle else base


def _query_or_key_type(role: _Role, state: _State, base: str) -> str:
    if role is _Role.KEY and state.has_eight_experts:
        return "Q8_0"
    if role in {_Role.KEY, _Role.QUERY}:
        return {"IQ3_XS": "IQ3_XXS", "IQ3_XXS": "IQ2_S"}.get(state.file_type, base)
    return base
