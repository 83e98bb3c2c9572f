"""A small shipped folder that tests write: a catalogue, releases and claims."""

import json
from collections.abc import Iterable
from pathlib import Path

from matrix.claim_files import write_claims
from matrix.domain.claims import Claim
from tests.builders import VERSIONS, released_on

SOURCE = """
[[source]]
key = "page"
title = "A page"
url = "https://example.org/page"
read_on = 2026-01-02
"""
FRAMEWORKS = """
[[framework]]
slug = "vllm"
name = "vLLM"
kind = "engine"
version_scheme = "pep440"
source = ["page"]
"""
HARDWARE = """
[[hardware]]
slug = "nvidia"
name = "NVIDIA"
kind = "vendor"
source = ["page"]

[[hardware]]
slug = "nvidia-turing"
name = "Turing"
kind = "family"
parent = "nvidia"
source = ["page"]

[[hardware]]
slug = "nvidia-t4"
name = "T4"
kind = "device"
parent = "nvidia-turing"
aliases = ["Tesla T4"]
memory_bytes = 16000000000
source = ["page"]

[[split]]
name = "RTX"
means = "one"
nodes = ["nvidia-turing", "nvidia-t4"]

[[split]]
name = "Turing boards"
means = "all"
nodes = ["nvidia-t4"]
"""
QUANTIZATIONS = """
[[quantization]]
slug = "awq"
name = "AWQ"
kind = "family"
source = ["page"]

[[quantization]]
slug = "fp8"
name = "FP8"
kind = "family"
source = ["page"]
"""
MAINTENANCE = """
[[period]]
framework = "vllm"
status = "active"
start = 2025-01-15
evidence_kind = "documentation"
url = "https://example.org/page"
"""


def write_catalogue(folder: Path) -> Path:
    """Writes the catalogue and the releases 0.1.0 to 0.12.0; returns the folder."""
    for name, text in (
        ("frameworks.toml", SOURCE + FRAMEWORKS),
        ("hardware.toml", HARDWARE),
        ("quantizations.toml", QUANTIZATIONS),
        ("maintenance.toml", MAINTENANCE),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "releases").mkdir(exist_ok=True)
    lines = [
        {"version": version, "date": released_on(version).isoformat(), "tag": f"v{version}"}
        for version in VERSIONS
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "releases" / "vllm.jsonl").write_text(text, encoding="utf-8")
    return folder


def ship(folder: Path, claims: Iterable[Claim]) -> Path:
    """Writes catalogue and claims; returns the folder."""
    write_claims(write_catalogue(folder), claims)
    return folder
