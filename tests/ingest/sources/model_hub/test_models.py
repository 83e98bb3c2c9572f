"""Facts of checkpoints from configurations and weights."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.model_hub import read_config, read_model

URL = "https://hub.example/x"
DENSE = {
    "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 131072, "intermediate_size": 14336, "tie_word_embeddings": False,
}  # fmt: skip


def test_a_dense_configuration_gives_the_catalogue_s_facts() -> None:
    facts = read_config(DENSE, url=URL)
    assert facts["num_layers"] == 32
    assert facts["num_kv_heads"] == 8
    assert facts["head_dim"] == 128
    assert facts["tied_embeddings"] is False
    assert facts["architectures"] == ["LlamaForCausalLM"]
    assert "moe" not in facts
    assert "num_experts" not in facts


def test_a_stated_head_size_goes_before_the_derived_one() -> None:
    assert read_config({**DENSE, "head_dim": 64}, url=URL)["head_dim"] == 64


def test_a_multimodal_configuration_keeps_its_numbers_inside() -> None:
    facts = read_config({"architectures": ["X"], "text_config": DENSE}, url=URL)
    assert facts["num_layers"] == 32
    assert facts["architectures"] == ["X"]


def test_latent_attention_has_no_heads_of_a_cache() -> None:
    facts = read_config(
        {**DENSE, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "n_routed_experts": 256}, url=URL
    )
    assert facts["mla"] is True
    assert "num_kv_heads" not in facts
    assert facts["moe"] is True
    assert facts["num_experts"] == 256


def test_what_is_not_stated_is_left_out_and_nothing_is_nought() -> None:
    facts = read_config({"num_experts": 0, "sliding_window": None, "head_dim": True}, url=URL)
    assert facts == {}


def test_a_window_that_is_switched_off_is_none() -> None:
    stated = {"sliding_window": 4096, "use_sliding_window": False}
    assert "sliding_window_tokens" not in read_config(stated, url=URL)


def test_a_quantized_configuration_names_its_method() -> None:
    stated = {"quant_method": "fp8", "weight_block_size": [128, 128], "bits": 8}
    facts = read_config({"quantization_config": stated}, url=URL)
    assert facts == {
        "quantization_quant_method": "fp8",
        "quantization_weight_block": "128x128",
        "quantization_bits": 8,
    }


def model(parameters: dict[str, int], **config: object) -> dict[str, object]:
    return {"id": "org/m", "sha": "a" * 40, "lastModified": "2026-01-02T03:04:05.000Z",
            "config": config, "safetensors": {"parameters": parameters, "total": 1}}  # fmt: skip


def test_plain_weights_give_bytes_and_parameters() -> None:
    found = read_model(model({"BF16": 1_000, "F32": 10}), url=URL)
    assert found.facts == {"safetensors_bytes": 2_040, "parameters_total": 1_010}
    assert (found.name, found.revision) == ("org/m", "a" * 40)


def test_packed_weights_give_bytes_and_no_number_of_parameters() -> None:
    packed = read_model(model({"BF16": 1_000, "U8": 500}), url=URL)
    quantized = read_model(model({"BF16": 1_000}, quantization_config={"bits": 4}), url=URL)
    assert packed.facts == {"safetensors_bytes": 2_500}
    assert quantized.facts == {"safetensors_bytes": 2_000}


def test_an_unknown_type_of_element_gives_no_size() -> None:
    assert read_model(model({"BF16": 1_000, "Q9": 5}), url=URL).facts == {}


@pytest.mark.parametrize("answer", [[], {"error": "gated"}, {"id": ""}])
def test_another_answer_is_refused(answer: object) -> None:
    with pytest.raises(UnexpectedPage):
        read_model(answer, url=URL)
