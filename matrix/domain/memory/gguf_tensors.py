"""The tensors of a GGUF file by llama.cpp's rules: names, rows and experts of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from matrix.domain.memory.llamacpp_values import LINEAR_ATTENTION, LlamaShape

SOURCE = "llama.cpp 0c1e57098, src/models/*.cpp (load_arch_tensors)"

_NORMED_HEADS = frozenset({"qwen3", "qwen3moe", "gemma3", "lfm2", *LINEAR_ATTENTION})


@dataclass(frozen=True, slots=True)
class TensorShape:
    """One tensor: ``row_elements`` × ``rows`` × ``experts`` elements.

    ``dimensions`` is how many the file gives it; ``layer`` is -1 outside the blocks.
    """

    name: str
    row_elements: int
    rows: int = 1
    experts: int = 1
    dimensions: int = 1
    layer: int = -1

    @property
    def elements(self) -> int:
        """The number of weights."""
        return self.row_elements * self.rows * self.experts


def parameters_of(shape: LlamaShape) -> int:
    """How many weights the file holds."""
    return sum(tensor.elements for tensor in list_tensors(shape))


@lru_cache(maxsize=128)
def list_tensors(shape: LlamaShape) -> tuple[TensorShape, ...]:
    """The tensors in the order of a quantised file: by layer, then by name."""
    found = [*_outside_blocks(shape)]
    for layer in range(shape.layers + shape.mtp_layers):
        found += _block(shape, layer)
    return tuple(sorted(found, key=lambda tensor: (tensor.layer, tensor.name)))


def _vector(name: str, elements: int, layer: int = -1) -> TensorShape:
    return TensorShape(name=name, row_elements=elements, layer=layer)


def _matrix(name: str, row: int, rows: int, layer: int = -1) -> TensorShape:
    return TensorShape(name=name, row_elements=row, rows=rows, dimensions=2, layer=layer)


def _outside_blocks(shape: LlamaShape) -> Iterator[TensorShape]:
    yield _matrix("token_embd.weight", shape.embedding, shape.vocabulary)
    norm = "token_embd_norm.weight" if shape.arch == "lfm2" else "output_norm.weight"
    yield _vector(norm, shape.embedding)
    if not shape.tied:
        yield _matrix("output.weight", shape.embedding, shape.vocabulary)
    if shape.has_rope_factors:
        half = shape.key_dim // 2
        if shape.arch == "phi3":
            yield _vector("rope_factors_long.weight", half)
            yield _vector("rope_factors_short.weight", half)
        else:
            yield _vector("rope_freqs.weight", half)


def _block(shape: LlamaShape, layer: int) -> list[TensorShape]:
    """The tensors of a layer, with its number put before their names."""
    parts: list[TensorShape] = [*_norms(shape)]
    is_mtp = layer >= shape.layers
    recurs = not is_mtp and shape.is_recurrent[layer]
    if recurs:
        parts += _recurrent(shape)
    if shape.arch == "falcon-h1" or (not recurs and shape.heads):
        parts += _attention(shape, shape.kv_heads[-1] if is_mtp else shape.kv_heads[layer])
    if shape.arch != "mamba2":
        parts += _experts(shape) if shape.has_experts(layer) else _dense(shape)
    if is_mtp:
        parts += _next_token(shape)
    return [
        TensorShape(
            name=f"blk.{layer}.{part.name}",
            row_elements=part.row_elements,
            rows=part.rows,
            experts=part.experts,
            dimensions=part.dimensions,
            layer=layer,
        )
        for part in parts
    ]


def _norms(shape: LlamaShape) -> Iterator[TensorShape]:
    yield _vector("attn_norm.weight", shape.embedding)
    if shape.arch == "mamba2":
        return
    if shape.arch in {"gpt-oss", "glm4moe", *LINEAR_ATTENTION}:
        yield _vector("post_attention_norm.weight", shape.embedding)
        return
    yield _vector("ffn_norm.weight", shape.embedding)
    if shape.arch in {"gemma2", "gemma3"}:
        yield _vector("post_attention_norm.weight", shape.embedding)
        yield _vector("post_ffw_norm.weight", shape.embedding)


def _attention(shape: LlamaShape, kv_heads: int) -> Iterator[TensorShape]:
    if shape.latent is not None:
        yield from _latent_attention(shape)
        return
    query = shape.heads * shape.key_dim
    key, value = kv_heads * shape.key_dim, kv_heads * shape.value_dim
    if shape.arch == "phi3":
        yield _matrix("attn_qkv.weight", shape.embedding, query + key + value)
    else:
        rows = 2 * query if shape.arch in LINEAR_ATTENTION else query
        yield _matrix("attn_q.weight", shape.embedding, rows)
        yield _matrix("attn_k.weight", shape.embedding, key)
        yield _matrix("attn_v.weight", shape.embedding, value)
    yield _matrix("attn_output.weight", query, shape.embedding)
    if shape.has_qkv_bias:
        yield _vector("attn_q.bias", query)
        yield _vector("attn_k.bias", key)
        yield _vector("attn_v.bias", value)
    if shape.arch == "minimax-m2":
        yield _vector("attn_q_norm.weight", query)
        yield _vector("attn_k_norm.weight", key)
    elif shape.has_qk_norm or shape.arch in _NORMED_HEADS:
        yield _vector("attn_q_norm.weight", shape.key_dim)
        yield _vector("attn_k_norm.weight", shape.key_dim)
    if shape.arch == "gpt-oss":
        yield _vector("attn_sinks.weight", shape.heads)
        yield _vector("attn_output.bias", shape.embedding)


def _latent_attention(shape: LlamaShape) -> Iterator[TensorShape]:
    dims = shape.latent
    if dims is None:
        return
    query = shape.heads * dims.key_dim
    if dims.q_rank:
        yield _matrix("attn_q_a.weight", shape.embedding, dims.q_rank)
        yield _vector("attn_q_a_norm.weight", dims.q_rank)
        yield _matrix("attn_q_b.weight", dims.q_rank, query)
    else:
        yield _matrix("attn_q.weight", shape.embedding, query)
    yield _matrix("attn_kv_a_mqa.weight", shape.embedding, dims.kv_rank + dims.rope_dim)
    yield _vector("attn_kv_a_norm.weight", dims.kv_rank)
    if shape.has_split_latent:
        yield TensorShape("attn_k_b.weight", dims.nope_dim, dims.kv_rank, shape.heads, 3)
        yield TensorShape("attn_v_b.weight", dims.kv_rank, dims.value_dim, shape.heads, 3)
    else:
        rows = shape.heads * (dims.nope_dim + dims.value_dim)
        yield _matrix("attn_kv_b.weight", dims.kv_rank, rows)
    yield _matrix("attn_output.weight", shape.heads * dims.value_dim, shape.embedding)


def _recurrent(shape: LlamaShape) -> Iterator[TensorShape]:
    if shape.arch == "lfm2":
        yield _matrix("shortconv.conv.weight", shape.conv_cache, shape.embedding)
        yield _matrix("shortconv.in_proj.weight", shape.embedding, 3 * shape.embedding)
        yield _matrix("shortconv.out_proj.weight", shape.embedding, shape.embedding)
        return
    state = shape.state
    if state is None:
        return
    yield _matrix("ssm_conv1d.weight", state.conv_kernel, state.conv_dim)
    yield _vector("ssm_dt.bias", state.heads)
    yield _matrix("ssm_out.weight", state.inner_size, shape.embedding)
    if shape.arch in LINEAR_ATTENTION:
        yield _matrix("attn_qkv.weight", shape.embedding, state.conv_dim)
        yield _matrix("attn_gate.weight", shape.embedding, state.inner_size)
        if shape.arch == "qwen3next":
            yield _matrix("ssm_ba.weight", shape.embedding, 2 * state.heads)
        else:
            yield _matrix("ssm_alpha.weight", shape.embedding, state.heads)
            yield _matrix("ssm_beta.weight", shape.embedding, state.heads)
        yield _vector("ssm_a", state.heads)
        yield _vector("ssm_norm.weight", state.inner_size // state.heads)
        return
    yield _matrix("ssm_in.weight", shape.embedding, state.inner_size + state.conv_dim + state.heads)
    yield _vector("ssm_conv1d.bias", state.conv_dim)
    yield _matrix("ssm_a", 1, state.heads)
    yield _matrix("ssm_d", 1, state.heads)
    if shape.has_state_norm:
        yield _matrix("ssm_norm.weight", state.inner_size // state.groups, state.groups)


def _dense(shape: LlamaShape) -> Iterator[TensorShape]:
    if shape.arch == "phi3":
        yield _matrix("ffn_up.weight", shape.embedding, 2 * shape.width)
    else:
        yield _matrix("ffn_gate.weight", shape.embedding, shape.width)
        yield _matrix("ffn_up.weight", shape.embedding, shape.width)
    yield _matrix("ffn_down.weight", shape.width, shape.embedding)


def _experts(shape: LlamaShape) -> Iterator[TensorShape]:
    embedding, width, count = shape.embedding, shape.expert_width, shape.experts
    yield _matrix("ffn_gate_inp.weight", embedding, count)
    yield TensorShape("ffn_gate_exps.weight", embedding, width, count, 3)
    yield TensorShape("ffn_up_exps.weight", embedding, width, count, 3)
    yield TensorShape("ffn_down_exps.weight", width, embedding, count, 3)
    if shape.has_expert_bias:
        yield _vector("exp_probs_b.bias", count)
    if shape.shared_width:
        yield _matrix("ffn_gate_shexp.weight", embedding, shape.shared_width)
        yield _matrix("ffn_up_shexp.weight", embedding, shape.shared_width)
        yield _matrix("ffn_down_shexp.weight", shape.shared_width, embedding)
        if shape.arch in {"qwen2moe", "qwen3next", "qwen35moe"}:
            yield _vector("ffn_gate_inp_shexp.weight", embedding)
    if shape.arch == "gpt-oss":
        yield _vector("ffn_gate_inp.bias", count)
        yield _matrix("ffn_gate_exps.bias", width, count)
        yield _matrix("ffn_up_exps.bias", width, count)
        yield _matrix("ffn_down_exps.bias", embedding, count)


def _next_token(shape: LlamaShape) -> Iterator[TensorShape]:
    yield _matrix("nextn.eh_proj.weight", 2 * shape.embedding, shape.embedding)
    yield _vector("nextn.enorm.weight", shape.embedding)
    yield _vector("nextn.hnorm.weight", shape.embedding)
    yield _vector("nextn.shared_head_norm.weight", shape.embedding)
    if shape.has_mtp_embedding:
        yield _matrix("nextn.embed_tokens.weight", shape.embedding, shape.vocabulary)
        yield _matrix("nextn.shared_head_head.weight", shape.embedding, shape.vocabulary)
