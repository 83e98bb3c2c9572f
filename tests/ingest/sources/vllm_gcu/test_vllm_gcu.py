"""vLLM GCU: formats of models, features of the V0 engine, methods, both READMEs."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.vllm_gcu import SOURCE
from matrix.domain.levels import Limit, Tier
from tests.ingest.sources.said import page_of, places, rule_named, said, vocabulary_of

WORDS = vocabulary_of(
    model={"Alpha": "alpha", "Beta": "beta"},
    feature={
        "LoRA": "lora",
        "Sleep Mode": "sleep-mode",
        "Prompt Adapter": "prompt-adapter",
        "Pooling": "pooling",
    },
)
CARD = "hardware=enflame-s60"
GUIDE = "docs/source/user_guide/"


def stated(status: str, model: str, scheme: str, *, axis: str = "quantization") -> str:
    """The line of a model's format on the card."""
    return f"{status} models/{model}/{scheme}/enflame-s60 [model={model} {axis}={scheme} {CARD}]"


def method(status: str, slug: str, scope: str) -> str:
    """The line of a quantization method on the card."""
    return f"{status} quantization-method/{slug}/enflame-s60 [{scope}]"


def read(rule: str, text: str, *, path: str, version: str = "v0.9.2") -> list[str]:
    return said(rule_named(SOURCE, rule).parse(page_of(text, path=path, version=version), WORDS))


MODELS = """\
# Model Support

| Model | FP16 | BF16 | W4A16 GPTQ | W8A16 | INT8 KV |
| -- | -- | -- | -- | -- | -- |
| **DeepSeek-V3/R1** | ✅ | ❌ | ✅ | ✅ | ✅ |

### Multi-modal Models
| Model | FP16 | BF16 | W4A16 GPTQ | W8A16 GPTQ |
| -- | -- | -- | -- | -- |
|  **Alpha** | ✅ | ❌ | ❌ | ❌

✅: Supported and validated

❌: Not supported or not verified
"""


def test_a_cross_means_not_verified_and_is_never_a_no() -> None:
    path = GUIDE + "support_matrix/supported_models.md"
    reading = rule_named(SOURCE, "models").parse(page_of(MODELS, path=path), WORDS)
    assert said(reading) == [
        *(
            stated(status, model, scheme, axis=axis)
            for status, scheme, axis in (
                ("validated", "fp16", "quantization"),
                ("untested", "bf16", "quantization"),
                ("validated", "gptq-w4a16", "quantization"),
                ("validated", "int8-w8a16", "quantization"),
                ("validated", "kv-int8", "kv_dtype"),
            )
            for model in ("deepseek-r1", "deepseek-v3")
        ),
        stated("validated", "alpha", "fp16"),
        stated("untested", "alpha", "bf16"),
        stated("untested", "alpha", "gptq-w4a16"),
        stated("untested", "alpha", "gptq-w8a16"),
        "legend legend/models/✅ (legend) = supported and validated",
        "legend legend/models/❌ (legend) = not supported, or not verified",
    ]
    by_key = {f.statement: f for f in reading.findings}
    gptq = by_key["models/deepseek-v3/gptq-w4a16/enflame-s60"]
    assert [c.name for c in gptq.conditions] == ["TopsCompressor"]
    cache = by_key["models/deepseek-v3/kv-int8/enflame-s60"]
    assert [c.name for c in cache.conditions] == ["--quantization-param-path"]
    # The rows of the second table have no closing pipe.
    assert places(reading)[-3] == ("Alpha", "W8A16 GPTQ", 10)


FEATURES = """\
# Feature Support

| Feature | V0 Engine | Next Step |
| -- | -- | -- |
| LoRA | 🟢 Functional | |
| Sleep Mode | 🔴 No Plan | |
| Prompt Adapter | 🔴 Deprecated | Deprecated by upstream |
| Pooling | 🟡 Planned | |
| Graph Mode | 🔵 Experimental | |

* 🟢 **Functional**: Fully implemented and stable.
* 🔴 **No Plan / Deprecated**: Not supported or deprecated upstream.
"""


def test_a_feature_is_bound_to_the_engine_and_a_deprecated_one_is_neither_yes_nor_no() -> None:
    path = GUIDE + "support_matrix/supported_features.md"
    reading = rule_named(SOURCE, "features").parse(page_of(FEATURES, path=path), WORDS)
    assert said(reading) == [
        f"supported feature/lora/enflame-s60 [{CARD} features=lora]",
        f"unsupported feature/sleep-mode/enflame-s60 [{CARD} features=sleep-mode]",
        "deprecated feature-text/prompt-adapter (value) = 🔴 Deprecated",
        f"planned feature/pooling/enflame-s60 [{CARD} features=pooling]",
        f"experimental feature/device-graphs/enflame-s60 [{CARD} features=device-graphs]",
        "legend legend/features/🟢 (legend) = implemented and stable",
        "legend legend/features/🔴 (legend) = not supported, or deprecated upstream",
    ]
    assert [(c.name, c.value) for c in reading.findings[0].conditions] == [("engine", "V0")]
    assert reading.findings[1].limit is Limit.FRAMEWORK


METHODS = """\
# Quantization Guide

Since `v0.8.0`, quantization is **experimentally supported** in vLLM-GCU.

| Method | Description |
| -- | -- |
| `GPTQ` | 4-bit |
| `AWQ` | 4-bit |
| `W8A16` | 8-bit |

> ❌ **Not supported yet**: `g_idx` shuffle (GPTQ), `FP8`, `marlin`, etc.
"""


def test_methods_are_experimental_since_the_stated_release_and_missing_ones_are_refused() -> None:
    path = GUIDE + "feature_guide/quantization.md"
    reading = rule_named(SOURCE, "quantization").parse(page_of(METHODS, path=path), WORDS)
    assert said(reading) == [
        f"supported quantization-method/gptq-w4a16/enflame-s60 [quantization=gptq-w4a16 {CARD}]",
        f"supported quantization-method/awq-w4a16/enflame-s60 [quantization=awq-w4a16 {CARD}]",
        f"supported quantization-method/int8-w8a16/enflame-s60 [quantization=int8-w8a16 {CARD}]",
        f"unsupported quantization-method/fp8/enflame-s60 [quantization=fp8 {CARD}]",
        method("unsupported", "kernel-marlin", f"{CARD} features=kernel-marlin"),
    ]
    assert {(f.tier, f.since) for f in reading.findings[:3]} == {(Tier.EXPERIMENTAL, "0.8.0")}
    assert {c.name for c in reading.findings[0].conditions} == {
        "quantization group size",
        "TopsCompressor",
    }


ENGLISH = """\
# vLLM-GCU

* Fully supports **vLLM 0.9.2** capabilities

* **OS**: Ubuntu 22.04
* **Python**: 3.10 \\~ 3.12
* **Hardware**: Enflame S60 GCU (with TopsRider **i3x 3.5+** stack)

pip install torch==2.7.0+cpu
pip install vllm==0.9.2 triton==3.2 transformers==4.51.1

> ❌ Not yet supported: `g_idx` shuffle (GPTQ), SqueezeLLM, FP8, gptq\\_marlin, etc.

| Model | FP16 | BF16 | W4A16 GPTQ |
| -- | -- | -- | -- |
| **Beta** | ✅ | | |
"""
CHINESE = """\
# vLLM-GCU

* 完整支持 **vLLM 0.9.2** 功能
* **硬件**: 燧原 S60 GCU（已部署 TopsRider **i3x 3.5+** 软件栈）

| 方法 | 描述 |
| -- | -- |
| `INT8 KVCache` | KV |

* ✅：已支持并验证；
* ❌：暂未支持或尚未验证；
"""


def test_the_readme_is_read_in_both_languages() -> None:
    assert read("readme", ENGLISH, path="ReadMe-EN.md") == [
        "supported pairing/vllm/0.9.2 (pairing) = 0.9.2",
        f"supported platform/enflame-s60 [{CARD}]",
        "requires requirement/topsrider (requirement) = >=i3x 3.5",
        "requires requirement/os (requirement) = Ubuntu 22.04",
        "requires requirement/python (requirement) = 3.10 \\~ 3.12",
        "pinned requirement/torch (requirement) = 2.7.0",
        "pinned requirement/vllm (requirement) = 0.9.2",
        "pinned requirement/triton (requirement) = 3.2",
        "pinned requirement/transformers (requirement) = 4.51.1",
        f"unsupported quantization-method/fp8/enflame-s60 [quantization=fp8 {CARD}]",
        f"unsupported quantization-method/squeezellm/enflame-s60 [quantization=squeezellm {CARD}]",
        method("unsupported", "gptq-marlin", f"quantization=gptq-marlin {CARD}"),
        f"validated readme-models/beta/fp16/enflame-s60 [model=beta quantization=fp16 {CARD}]",
        f"not-stated readme-models/beta/bf16/enflame-s60 [model=beta quantization=bf16 {CARD}]",
        "not-stated readme-models/beta/gptq-w4a16/enflame-s60 "
        f"[model=beta quantization=gptq-w4a16 {CARD}]",
    ]
    assert read("readme", CHINESE, path="ReadMe.md") == [
        "supported pairing/vllm/0.9.2 (pairing) = 0.9.2",
        f"supported platform/enflame-s60 [{CARD}]",
        "requires requirement/topsrider (requirement) = >=i3x 3.5",
        f"supported quantization-method/kv-int8/enflame-s60 [kv_dtype=kv-int8 {CARD}]",
        "legend legend/readme-models/✅ (legend) = supported and validated",
        "legend legend/readme-models/❌ (legend) = not supported, or not verified",
    ]


def test_faq_and_installation_name_the_card_and_the_software() -> None:
    faq = "# FAQs\n\n* Enflame **S60** Inference Card\n\nUse `vllm==0.9.2`, `vllm-gcu==0.9.2`.\n"
    assert read("devices", faq, path="docs/source/faqs.md") == [
        f"supported platform/enflame-s60 [{CARD}]",
        "supported pairing/vllm/0.9.2 (pairing) = 0.9.2",
    ]
    page = (
        "# Installation\n\n* **Hardware**: Enflame GCU (e.g., S60)\n\n"
        "| Software | Required Version | Notes |\n|--|--|--|\n| torch-gcu | PyTorch 2.7 | x |\n"
        "| vllm-gcu | Based on `vLLM 0.9.2` | x |\n"
    )
    assert read("installation", page, path="docs/source/installation.md") == [
        f"supported platform/enflame-s60 [{CARD}]",
        "requires requirement/torch-gcu (requirement) = PyTorch 2.7",
        "requires requirement/vllm-gcu (requirement) = Based on vLLM 0.9.2",
        "supported pairing/vllm/0.9.2 (pairing) = 0.9.2",
    ]


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("models", GUIDE + "support_matrix/supported_models.md"),
        ("features", GUIDE + "support_matrix/supported_features.md"),
        ("quantization", GUIDE + "feature_guide/quantization.md"),
        ("devices", "docs/source/faqs.md"),
        ("installation", "docs/source/installation.md"),
        ("readme", "ReadMe.md"),
    ],
)
def test_a_page_of_another_shape_is_refused(rule: str, path: str) -> None:
    with pytest.raises(UnexpectedPage):
        read(rule, "# Title\n\n| A | B |\n|--|--|\n| 1 | 2 |\n", path=path)
