"""Shapes of published models, by the names that truth rows use, for tests."""

from matrix.domain.memory.llamacpp_shape import llama_shape_of
from matrix.domain.memory.llamacpp_values import LlamaShape
from matrix.domain.memory.truth_rows import shape_from_hparams
from matrix.domain.memory.values import ModelShape

_LLAMA_8B = {
    "arch": "llama", "n_layer": 32, "n_embd": 4096, "n_head": 32, "n_head_kv": 8, "n_ff": 14336,
    "vocab": 128256, "head_dim": 128, "ctx": 8192,
}  # fmt: skip
_DEEPSEEK = {
    "arch": "deepseek2", "n_layer": 61, "n_embd": 7168, "n_head": 128, "n_head_kv": 128,
    "n_ff": 18432, "vocab": 129280, "q_lora": 1536, "kv_lora": 512, "qk_nope": 128, "qk_rope": 64,
    "v_head": 128, "n_ff_exp": 2048, "n_expert": 256, "n_expert_used": 8, "n_dense": 3,
    "n_shared": 1, "probs_b": True, "ctx": 163840,
}  # fmt: skip
_GEMMA3_4B = {
    "arch": "gemma3", "n_layer": 34, "n_embd": 2560, "n_head": 8, "n_head_kv": 4, "n_ff": 10240,
    "vocab": 262144, "head_dim": 256, "swa": 1024, "ctx": 131072,
}  # fmt: skip
_GPT_OSS_20B = {
    "arch": "gpt-oss", "n_layer": 24, "n_embd": 2880, "n_head": 64, "n_head_kv": 8, "n_ff": 2880,
    "vocab": 201088, "head_dim": 64, "n_expert": 32, "n_expert_used": 4, "n_ff_exp": 2880,
    "swa": 128, "ctx": 131072,
}  # fmt: skip
_LFM2 = {
    "arch": "lfm2", "n_layer": 8, "n_embd": 512, "n_head": 8,
    "n_head_kv": [0, 0, 2, 0, 0, 2, 0, 2], "n_ff": 1536, "vocab": 65536, "l_cache": 3,
}  # fmt: skip
_MAMBA2 = {
    "arch": "mamba2", "n_layer": 4, "n_embd": 512, "n_head": 0, "n_head_kv": 0, "n_ff": 0,
    "vocab": 32000,
    "ssm": {"conv_kernel": 4, "inner_size": 1024, "state_size": 128, "time_step_rank": 16,
            "group_count": 1},
}  # fmt: skip
_MIXTRAL = {
    "arch": "llama", "n_layer": 32, "n_embd": 4096, "n_head": 32, "n_head_kv": 8, "n_ff": 14336,
    "vocab": 32000, "head_dim": 128, "n_expert": 8, "n_expert_used": 2,
}  # fmt: skip
_ROWS = {
    "llama-8b": (_LLAMA_8B, False, 8030261248),
    "deepseek-v3": (_DEEPSEEK, False, 671026419200),
    "gemma-3-4b": (_GEMMA3_4B, True, 3880099328),
    "gpt-oss-20b": (_GPT_OSS_20B, False, 20914757184),
    "lfm2": (_LFM2, True, None),
    "mamba2": (_MAMBA2, False, None),
    "mixtral-8x7b": (_MIXTRAL, False, 46702792704),
}


def model_shape(name: str) -> ModelShape:
    """The shape of one of the models."""
    hparams, tied, parameters = _ROWS[name]
    return shape_from_hparams(hparams, name=name, tied=tied, parameters=parameters)


def llama_shape(name: str) -> LlamaShape:
    """The same in llama.cpp's terms."""
    shape = llama_shape_of(model_shape(name))
    assert shape is not None
    return shape
