"""A small vocabulary, a page maker and a short form of findings for llama.cpp's tests."""

from collections.abc import Callable

import pytest

from ingest.contract import Finding, Page, Vocabulary
from matrix.domain.aliases import build_name_table
from matrix.domain.coordinates import NodeSet, Scope

HARDWARE = {
    "Ascend 910B": "ascend-a2",
    "Ascend 910C": "ascend-a3",
    "Ascend 310P": "ascend-310p",
    "Atlas 300T A2": "ascend-atlas-300t-a2",
    "Atlas 300I Duo": "ascend-atlas-300i-duo",
    "Adreno 750 (Snapdragon 8 Gen 3)": "qualcomm-adreno-750",
    "Intel Arc B-Series": "intel-arc-b-series",
    "Ampere Series": "nvidia-ampere",
    "AMD EPYC 9004 Series (Genoa)": "cpu-x86-zen4",
    "IBM z15": "cpu-z15",
    "z14": "cpu-z14",
    "IBM z16": "cpu-z16",
    "IBM z17": "cpu-z17",
    "z17": "cpu-z17",
    "MTT S80": "moore-threads-mtt-s80",
    "gfx1030": "amd-gfx1030",
    "gfx906": "amd-gfx906",
    "gfx1100": "amd-gfx1100",
}
MODELS = {
    "LLaMA 2": "llama-2",
    "Falcon": "falcon",
    "GPT-NeoX": "gpt-neox",
    "Pythia": "pythia",
    "Qwen3": "qwen3",
    "BERT": "bert",
    "Llama 3.1": "llama-3.1",
    "gemma-3-4b-it": "google--gemma-3-4b-it",
    "Phi-4-mini-instruct": "microsoft--phi-4-mini-instruct",
}
BACKENDS = ("cuda", "vulkan", "sycl", "webgpu", "blas", "metal", "cpu", "rocm", "cann", "rpc")
TYPES = ("q2-k", "q4-0", "q4-1", "q4-k", "q4-k-m", "q6-k", "q8-0", "iq4-nl", "tq1-0", "q1-0")


@pytest.fixture
def vocabulary() -> Vocabulary:
    """The few names that the samples use."""
    tables = {
        "hardware": [(word, (slug,)) for word, slug in HARDWARE.items()],
        "model": [(word, (slug,)) for word, slug in MODELS.items()],
        "backend": [(name, (name,)) for name in BACKENDS],
        "quantization": [(name.replace("-", "_"), (f"gguf-{name}",)) for name in TYPES]
        + [("MXFP4", ("mxfp4",))],
    }
    return Vocabulary({axis: build_name_table(axis, names) for axis, names in tables.items()})


@pytest.fixture
def page() -> Callable[..., Page]:
    """Makes a page of llama.cpp from text."""

    def make(text: str, path: str = "README.md") -> Page:
        return Page(framework="llama.cpp", version="0.0.1", path=path, text=text)

    return make


def scope_words(scope: Scope | None) -> str:
    """A scope in one line, sorted; ``?`` where a word was not understood."""
    if scope is None:
        return "?"

    def one(nodes: NodeSet) -> str:
        out = "".join(f"-{slug}" for slug in sorted(nodes.exclude))
        return "+".join(sorted(nodes.include)) + out

    parts = [one(scope.nodes[axis]) for axis in sorted(scope.nodes)]
    return " ".join([*parts, *sorted(scope.features)])


@pytest.fixture
def brief() -> Callable[[Finding], tuple[str, str, str]]:
    """The short form of a finding: where, status, scope."""

    def short(finding: Finding) -> tuple[str, str, str]:
        at = finding.locator
        place = f"{at.row} | {at.column}" if at.row or at.column else f"line {at.line}"
        return place, finding.status.value, scope_words(finding.scope)

    return short
