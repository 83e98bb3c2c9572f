"""A small catalogue with all axes that entered claims name, and lines that are sound."""

import json
from pathlib import Path
from typing import Any

from tests.matrix.shipped_folder import write_catalogue

MODELS = """
[[model]]
slug = "qwen3forcausallm"
name = "Qwen3ForCausalLM"
kind = "architecture"
source = ["page"]
"""
FEATURES = """
[[feature]]
slug = "lora"
name = "LoRA"
kind = "feature"
aliases = ["low-rank adapters"]
source = ["page"]

[[feature]]
slug = "speculative-decoding"
name = "Speculative decoding"
kind = "feature"
source = ["page"]

[[feature]]
slug = "attention"
name = "Attention kernels"
kind = "group"
source = ["page"]

[[feature]]
slug = "flashinfer"
name = "FlashInfer"
kind = "feature"
parent = "attention"
source = ["page"]
"""
KV_SCHEMES = """
[[quantization]]
slug = "kv-cache"
name = "KV cache"
kind = "family"
source = ["page"]

[[quantization]]
slug = "kv-fp8"
name = "KV cache FP8"
kind = "family"
parent = "kv-cache"
source = ["page"]
"""


def write_world(folder: Path) -> Path:
    """Writes the catalogue; returns the folder."""
    write_catalogue(folder)
    for name, text in (
        ("models.toml", MODELS), ("features.toml", FEATURES), ("kv.toml", KV_SCHEMES),
    ):  # fmt: skip
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def evidence(**changes: Any) -> dict[str, Any]:
    """A thread that says it for 0.4.0."""
    plain: dict[str, Any] = {
        "url": "https://example.org/issues/7",
        "release": "0.4.0",
        "stated_on": "2025-05-02",
        "comment": "first",
    }
    return {key: value for key, value in (plain | changes).items() if value is not None}


def line(**changes: Any) -> dict[str, Any]:
    """A sound claim, with changes; a field that is changed to ``None`` is left out."""
    plain: dict[str, Any] = {
        "framework": "vLLM",
        "statement": "AWQ on T4",
        "scope": {"quantization": "AWQ", "hardware": "Tesla T4"},
        "level": "yes",
        "kind": "maintainer",
        "evidence": evidence(),
    }
    return {key: value for key, value in (plain | changes).items() if value is not None}


def jsonl(*lines: Any) -> bytes:
    """The bytes of a file of these lines; text stands as it is."""
    texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
    return "".join(text + "\n" for text in texts).encode()
