"""The tensors of a file: as many weights as the published models have."""

from dataclasses import replace

import pytest

from matrix.domain.memory.gguf_tensors import parameters_of
from matrix.domain.memory.inventory import tensors_of
from matrix.domain.memory.llamacpp_shape import llama_shape_of
from matrix.domain.memory.truth_rows import shape_from_hparams
from matrix.domain.memory.values import ModelShape
from tests.matrix.domain.memory.llama_shapes import llama_shape, model_shape


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("llama-8b", 8030261248), ("deepseek-v3", 671026419200), ("gemma-3-4b", 3880099328),
     ("gpt-oss-20b", 20914757184), ("mixtral-8x7b", 46702792704), ("lfm2", 59654528)],
)  # fmt: skip
def test_weights_add_up_to_the_published_number(name, parameters):
    blind = replace(model_shape(name), parameters_total=None)
    assert parameters_of(llama_shape_of(blind)) == parameters


def test_the_number_of_weights_settles_whether_there_are_rope_factors():
    with_factors = replace(model_shape("llama-8b"), parameters_total=8030261248 + 64)
    names = {tensor.name for tensor in tensors_of(with_factors)}
    assert "rope_freqs.weight" in names
    assert "rope_freqs.weight" not in {t.name for t in tensors_of(model_shape("llama-8b"))}


def test_tensors_come_by_layer_and_then_by_name():
    found = tensors_of(model_shape("llama-8b"))
    assert [t.name for t in found[:4]] == [
        "output.weight",
        "output_norm.weight",
        "token_embd.weight",
        "blk.0.attn_k.weight",
    ]
    assert len(found) == 291


def test_an_architecture_that_is_not_covered_has_no_inventory():
    assert tensors_of(replace(model_shape("llama-8b"), llamacpp_arch="nemotron_h")) is None


@pytest.mark.parametrize(
    "missing", ["num_layers", "hidden_size", "vocab_size", "tied_embeddings", "head_dim"]
)
def test_a_number_that_is_unknown_is_never_guessed(missing):
    assert tensors_of(replace(model_shape("llama-8b"), **{missing: None})) is None


def test_latent_attention_without_its_ranks_has_no_inventory():
    assert tensors_of(replace(model_shape("deepseek-v3"), raw={})) is None


def test_the_hubs_class_names_the_architecture_where_llamacpp_is_not_named():
    shape = replace(model_shape("llama-8b"), llamacpp_arch="", architecture="MistralForCausalLM")
    assert llama_shape_of(shape).arch == "llama"
    assert llama_shape_of(ModelShape(name="x", architecture="OPTForCausalLM")) is None


def test_mtp_layers_are_in_the_file_but_keep_no_cache():
    hparams = {
        "arch": "glm4moe", "n_layer": 6, "nextn": 1, "n_embd": 512, "n_head": 8, "head_dim": 64,
        "n_head_kv": 2, "n_ff": 1536, "n_ff_exp": 256, "n_expert": 16, "n_expert_used": 4,
        "n_dense": 1, "n_shared": 1, "vocab": 32000, "qnorm": True,
    }  # fmt: skip
    shape = shape_from_hparams(hparams, name="glm", tied=False, parameters=80411872)
    names = {tensor.name for tensor in tensors_of(shape)}
    assert "blk.6.nextn.eh_proj.weight" in names
    assert "blk.6.nextn.embed_tokens.weight" not in names
    assert len(shape.layers) == 6


def test_heads_for_each_key_head_are_those_of_the_first_layer():
    assert llama_shape("llama-8b").heads_per_kv_head == 4
    assert llama_shape("lfm2").heads_per_kv_head == 0
    assert llama_shape("deepseek-v3").heads_per_kv_head == 128
