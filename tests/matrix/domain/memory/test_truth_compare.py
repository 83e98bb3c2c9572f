"""Rows of measured memory: read by their format, compared figure by figure, summed up."""

from dataclasses import replace

import pytest

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.gguf_tensors import list_tensors, parameters_of
from matrix.domain.memory.llamacpp_shape import llama_shape_of
from matrix.domain.memory.truth_compare import Comparison, compare_row, kind_of_row
from matrix.domain.memory.truth_peers import compare_peers
from matrix.domain.memory.truth_rows import shape_in_row
from matrix.domain.memory.truth_sums import summarize
from tests.matrix.domain.memory.llama_shapes import model_shape

HPARAMS = {
    "arch": "llama", "n_layer": 32, "n_embd": 4096, "n_head": 32, "n_head_kv": 8, "n_ff": 14336,
    "vocab": 128256, "head_dim": 128, "ctx": 8192,
}  # fmt: skip
LOAD = {
    "key": "small|Q4_K_M", "model": "small", "quant": "Q4_K_M", "n_params": 8030261248,
    "tied": False, "hparams": HPARAMS,
    "args": ["-c", "4096", "-np", "1", "-fa", "on", "-ub", "512", "--no-alloc"],
    "result": {
        "model_size_bytes": 4912898048,
        "breakdown": {
            "CPU_REPACK": {"model": 3359637504, "context": 0, "compute": 0},
            "CPU": {"model": 1553260544, "context": 536870912, "compute": 279447552},
        },
    },
}  # fmt: skip


def nothing(name):
    return None


def by_quantity(outcome):
    return {one.quantity: one for one in outcome.comparisons}


def test_a_load_is_compared_in_all_four_figures():
    found = by_quantity(compare_row(LOAD, name="x", shape_of=nothing))
    assert found["weights"].is_exact
    assert found["kv"].is_exact
    assert abs(found["compute"].error) < 0.03
    assert abs(found["total"].error) < 0.001


def test_a_wrong_measure_shows_as_an_error():
    row = LOAD | {"result": LOAD["result"] | {"model_size_bytes": 5_000_000_000}}
    found = by_quantity(compare_row(row, name="x", shape_of=nothing))
    assert found["weights"].error == pytest.approx(4912898048 / 5e9 - 1)


def test_a_refusal_must_be_foreseen():
    row = LOAD | {"result": {"error": "context failed"}}
    outcome = compare_row(row, name="x", shape_of=nothing)
    assert (outcome.is_refusal, outcome.is_foreseen) == (True, False)
    args = ["-c", "4096", "-np", "1", "-fa", "off", "-ctv", "q8_0"]
    outcome = compare_row(row | {"args": args}, name="x", shape_of=nothing)
    assert outcome.is_foreseen


def test_a_crash_is_neither_compared_nor_called_a_refusal():
    outcome = compare_row(LOAD | {"result": {"error": "crash"}}, name="x", shape_of=nothing)
    assert not outcome.comparisons
    assert not outcome.is_refusal
    assert "crash" in outcome.unknown[0][1]


def test_a_dry_run_is_compared_by_the_models_shape():
    row = {
        "model": "llama-8b", "ftype": "BF16", "total_bytes": 16061054976, "n_params": 8030261248,
    }  # fmt: skip
    outcome = compare_row(row, name="x", shape_of=model_shape)
    assert by_quantity(outcome)["weights"].is_exact


def test_a_stated_size_is_exact_within_its_digits():
    row = {"kind": "model_size", "hf_id": "llama-8b", "quant": "Q4_K_M", "model_size_GiB": 4.58}
    assert by_quantity(compare_row(row, name="x", shape_of=model_shape))["weights"].is_exact
    row["model_size_GiB"] = 4.6
    found = by_quantity(compare_row(row, name="x", shape_of=model_shape))["weights"]
    assert found.error < 0
    assert found.reason == "other-mix"


def test_a_log_is_compared_in_what_it_states():
    row = {
        "kind": "llamacpp_log", "hf_id": "llama-8b", "quant": "Q4_K_M", "n_ctx": 4096, "n_seq": 1,
        "kv_MiB": 512.0, "type_k": "f16", "type_v": "f16", "fa": True, "n_ubatch": 512,
    }  # fmt: skip
    found = by_quantity(compare_row(row, name="x", shape_of=model_shape))
    assert set(found) == {"kv"}
    assert found["kv"].is_exact


def test_a_start_up_log_compares_weights_and_cache_of_one_device():
    row = {
        "kind": "serving_log", "engine": "vllm", "hf_id": "llama-8b", "quant": "bf16", "tp": 1,
        "weights_GiB": 14.96, "kv_GiB": 11.12, "gpu_blocks": 5691, "block_size": 16,
    }  # fmt: skip
    found = by_quantity(compare_row(row, name="x", shape_of=model_shape))
    assert abs(found["weights"].error) < 0.005
    assert found["kv"].is_exact


def test_a_model_row_is_counted_without_its_own_answer():
    row = {
        "hf_id": "a/b", "config_source": "x", "architecture": "LlamaForCausalLM",
        "model_type": "llama", "params_total": 8030261248, "num_hidden_layers": 32,
        "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "head_dim": 128, "intermediate_size": 14336, "vocab_size": 128256,
        "tie_word_embeddings": False, "kv_bytes_per_token_bf16_all_layers": 131072,
    }  # fmt: skip
    found = by_quantity(compare_row(row, name="x", shape_of=nothing))
    assert found["weights"].is_exact
    assert found["kv"].is_exact
    wrong = compare_row(row | {"params_total": 9_000_000_000}, name="x", shape_of=nothing)
    assert not by_quantity(wrong)["weights"].is_exact


def test_a_model_without_a_shape_is_named_not_skipped():
    row = {"kind": "model_size", "hf_id": "a/b", "quant": "Q4_K_M", "model_size_GiB": 4.58}
    outcome = compare_row(row, name="x", shape_of=nothing)
    assert outcome.unknown == (("weights", "no shape of a/b"),)


def test_a_row_of_another_format_is_refused():
    assert kind_of_row({"a": 1}) == ""
    with pytest.raises(MemoryInputError, match="known format"):
        compare_row({"a": 1}, name="x", shape_of=nothing)


def comparison(predicted, measured=1000, quantity="kv", slack=0):
    return Comparison(quantity, "row", predicted, measured, slack)


def test_sums_tell_median_percentile_and_the_worst_that_was_too_low():
    found = [comparison(1000)] * 18 + [comparison(900), comparison(1200)]
    summary = summarize("kv", [*found, comparison(1, quantity="total")])
    assert (summary.rows, summary.exact) == (20, 18)
    assert summary.median == 0
    assert summary.p95 == pytest.approx(0.1)
    assert summary.worst_under == pytest.approx(0.1)


def test_nothing_measured_sums_to_no_rows():
    assert summarize("kv", []).rows == 0


def test_digits_that_were_not_stated_are_no_error():
    assert comparison(1004, slack=5).error == 0
    assert comparison(1006, slack=5).error == pytest.approx(0.006)


def test_peers_are_set_beside_ours_on_the_same_rows():
    rows = [
        {"peer": "p", "model": "llama-8b", "what": "kv_8192", "value": 1e9, "truth": 2**30},
        {"peer": "p", "model": "unknown", "what": "kv_8192", "value": None, "truth": 2**30},
        {"peer": "q", "model": "llama-8b-BF16.gguf", "what": "gguf_weights",
         "value": 16061054976, "truth": 16061054976},
    ]  # fmt: skip
    known = {"llama-8b": model_shape("llama-8b")}
    first, second = compare_peers(rows, shape_of=known.get)
    assert (first.rows, first.no_answer, first.own_rows, first.own_worst) == (1, 1, 1, 0)
    assert first.worst == pytest.approx(1 - 1e9 / 2**30)
    assert (second.median, second.own_median) == (0, 0)


LATENT = {
    "arch": "deepseek2", "n_layer": 4, "n_embd": 256, "n_head": 4, "q_lora": 128, "kv_lora": 256,
    "qk_nope": 64, "qk_rope": 32, "v_head": 64, "n_ff": 512, "n_ff_exp": 128, "n_expert": 8,
    "n_expert_used": 2, "n_dense": 1, "n_shared": 1, "vocab": 8000,
}  # fmt: skip


def latent_row(**more):
    row = {
        "key": "latent", "model": "latent", "quant": "Q8_0", "tied": False, "hparams": LATENT,
        "args": ["-c", "1024"],
        "result": {
            "model_size_bytes": 1, "breakdown": {"CPU": {"model": 1, "context": 1, "compute": 1}},
        },
    }  # fmt: skip
    return row | more


def test_the_number_of_tensors_tells_old_files_of_latent_attention_from_new_ones():
    new = llama_shape_of(shape_in_row(latent_row()))
    old = replace(new, has_split_latent=False)
    assert parameters_of(old) == parameters_of(new)
    count = parameters_of(old)
    row = latent_row(n_params=count, n_tensors=len(list_tensors(old)))
    kv = by_quantity(compare_row(row, name="x", shape_of=nothing))["kv"]
    assert kv.predicted_bytes == 4 * 1024 * 4 * (96 + 64) * 2
    row = latent_row(n_params=count, n_tensors=len(list_tensors(new)))
    kv = by_quantity(compare_row(row, name="x", shape_of=nothing))["kv"]
    assert kv.predicted_bytes == 4 * 1024 * (256 + 32) * 2
    stated = latent_row(hparams=LATENT | {"mla": False})
    assert not llama_shape_of(shape_in_row(stated)).has_split_latent


@pytest.mark.parametrize("size", [float("inf"), float("nan"), 1e308, -1.0, True, "4.58", None])
def test_a_size_that_cannot_be_is_said_and_not_compared(size):
    row = {"kind": "model_size", "hf_id": "llama-8b", "quant": "Q4_K_M", "model_size_GiB": size}
    outcome = compare_row(row, name="x", shape_of=model_shape)
    assert not outcome.comparisons
    assert len(outcome.unknown) == 1


def test_nothing_measured_against_something_predicted_is_an_endless_error():
    assert Comparison("kv", "x", predicted_bytes=5, measured_bytes=0).error == float("inf")
    assert Comparison("kv", "x", predicted_bytes=0, measured_bytes=0).error == 0


def test_layers_beyond_all_bounds_are_refused_before_they_are_listed():
    row = latent_row(hparams=LATENT | {"n_layer": 10**12})
    with pytest.raises(MemoryInputError, match="n_layer"):
        compare_row(row, name="x", shape_of=nothing)


def serving(**more):
    row = {"kind": "serving_log", "engine": "vllm", "hf_id": "llama-8b", "tp": 1}
    return compare_row(row | more, name="x", shape_of=model_shape)


@pytest.mark.parametrize("word", ["?", "int4 experts", "compressed-tensors", "", "4 bits"])
def test_a_scheme_that_is_not_known_by_its_word_is_named(word):
    outcome = serving(quant=word, weights_GiB=5.0)
    assert outcome.unknown == (("weights", f"no scheme is known by {word!r}"),)


@pytest.mark.parametrize(
    "word",
    ["bf16", "FP8", "awq-int4-g128", "gptq-int4", "w8a8-int8", "bnb-nf4", "nvfp4", "mxfp4"],
)
def test_schemes_are_known_by_the_words_of_logs(word):
    assert "weights" in by_quantity(serving(quant=word, weights_GiB=5.0))


def test_gigabytes_are_not_taken_for_either_unit():
    assert serving(quant="bf16", weights_GB=16.0).unknown == (
        ("weights", "GB may mean 10^9 bytes or 2^30"),
    )


def test_a_cache_without_tokens_or_of_an_unknown_type_is_named():
    assert serving(kv_GiB=3.0).unknown == (("kv", "the number of tokens is not stated"),)
    odd = serving(kv_GiB=3.0, kv_tokens=22_000, kv_dtype="zz3")
    assert odd.unknown == (("kv", "the estimate has no figure"),)
    eight = by_quantity(serving(kv_GiB=3.0, kv_tokens=24_576, kv_dtype="fp8_e4m3"))["kv"]
    sixteen = by_quantity(serving(kv_GiB=3.0, kv_tokens=24_576))["kv"]
    assert (eight.predicted_bytes, sixteen.predicted_bytes) == (24_576 * 65_536, 3 * 2**30)


def test_a_row_of_which_nothing_can_be_compared_is_named():
    assert serving(quant="bf16").unknown == (("total", "nothing of it can be compared"),)


def test_a_row_that_lacks_a_number_is_told_from_a_structure_not_counted():
    row = {
        "hf_id": "a/b", "config_source": "x", "architecture": "LlamaForCausalLM",
        "model_type": "llama", "params_total": 7_000_000_000, "num_hidden_layers": 32,
        "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "head_dim": 128, "intermediate_size": 14336, "vocab_size": 128256,
        "tie_word_embeddings": False,
    }  # fmt: skip
    found = by_quantity(compare_row(row, name="x", shape_of=nothing))
    assert found["weights"].reason == "number-not-stated"


def test_a_stated_size_of_another_mix_is_warned_of():
    row = {"kind": "model_size", "hf_id": "llama-8b", "quant": "q4_k_m", "model_size_GiB": 5.1}
    found = by_quantity(compare_row(row, name="x", shape_of=model_shape))["weights"]
    assert found.is_warned
    assert found.error < -0.05


def test_errors_of_peers_are_over_rows_that_both_answer():
    rows = [
        {"peer": "p", "model": "unknown", "what": "kv_8192", "value": 9e9, "truth": 2**30},
        {"peer": "p", "model": "llama-8b", "what": "kv_8192", "value": 2**30, "truth": 2**30},
        {"peer": "p", "model": "llama-8b", "what": "kv_8192", "value": None, "truth": 2**30},
    ]
    (line,) = compare_peers(rows, shape_of={"llama-8b": model_shape("llama-8b")}.get)
    assert (line.rows, line.no_answer, line.own_rows) == (1, 1, 2)
    assert (line.worst, line.own_worst) == (0, 0)
