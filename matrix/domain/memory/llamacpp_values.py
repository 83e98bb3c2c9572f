"""A model in llama.cpp's own terms."""

from dataclasses import dataclass

# Architectures that mix layers of gated linear attention with layers of full attention.
LINEAR_ATTENTION = frozenset({"qwen3next", "qwen35", "qwen35moe"})


@dataclass(frozen=True, slots=True)
class LatentDims:
    """The ranks and head sizes of latent attention (MLA); ``q_rank`` 0 means none."""

    q_rank: int
    kv_rank: int
    nope_dim: int
    rope_dim: int
    value_dim: int

    @property
    def key_dim(self) -> int:
        """The size of a key head before it is compressed."""
        return self.nope_dim + self.rope_dim


@dataclass(frozen=True, slots=True)
class StateDims:
    """The sizes of a state-space or linear-attention layer, by llama.cpp's names."""

    conv_kernel: int
    inner_size: int
    state_size: int
    heads: int
    groups: int

    @property
    def conv_dim(self) -> int:
        """The channels of the convolution."""
        return self.inner_size + 2 * self.groups * self.state_size


@dataclass(frozen=True, slots=True)
class LlamaShape:
    """A model as llama.cpp names it.

    **Shapes**: ``kv_heads`` and ``is_recurrent`` have one value a layer, MTP layers not among them.
    **Units**: counts and elements. ``expert_width`` 0 means no experts, ``window_tokens`` 0 none.
    """

    arch: str
    layers: int
    embedding: int
    heads: int
    kv_heads: tuple[int, ...]
    key_dim: int
    value_dim: int
    width: int
    vocabulary: int
    tied: bool
    experts: int = 0
    experts_used: int = 0
    expert_width: int = 0
    shared_width: int = 0
    dense_layers: int = 0
    moe_step: int = 1
    mtp_layers: int = 0
    window_tokens: int = 0
    window_layers: tuple[bool, ...] = ()
    latent: LatentDims | None = None
    state: StateDims | None = None
    conv_cache: int = 0
    is_recurrent: tuple[bool, ...] = ()
    has_rope_factors: bool = False
    has_qk_norm: bool = False
    has_qkv_bias: bool = False
    has_expert_bias: bool = False
    has_state_norm: bool = True
    has_split_latent: bool = True
    has_mtp_embedding: bool = False
    first_kv_heads: int = 0

    def has_experts(self, layer: int) -> bool:
        """Whether a layer's feed-forward part is made of experts."""
        if not self.experts or layer < self.dense_layers:
            return False
        return (layer + 1) % self.moe_step == 0

    @property
    def heads_per_kv_head(self) -> int:
        """Query heads for each key head of the first layer, 0 where that has none."""
        if self.latent is not None and self.has_split_latent:
            return self.heads
        return self.heads // self.first_kv_heads if self.first_kv_heads else 0
