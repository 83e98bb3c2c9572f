"""What TGI's words mean: products in prose, quantization names, features."""

import re

from ingest.reading.document import Document, Paragraph
from ingest.sources.collecting import Collector, Facet, one_line
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

HARDWARE: dict[str, tuple[str, ...]] = {
    "amd instinct mi210": ("amd-mi210",),
    "max1100": ("intel-max-1100",),
    "max1550": ("intel-max-1550",),
    "habana first-gen gaudi": ("intel-gaudi1",),
    "gaudi": ("intel-gaudi",),
    "trainium 1": ("aws-trainium1",),
    "inferentia 2": ("aws-inferentia2",),
    "aws inferentia2": ("aws-inferentia2",),
    "aws trainium": ("aws-trainium",),
    "tpus": ("google-tpu",),
}
# A scheme that the documentation names without hardware is taken for NVIDIA cards from the
# floor of its kernels on; older cards and other vendors are left open.
SCHEMES: dict[str, tuple[str, ...]] = {
    "gptq": ("gptq",),
    "gpt-q": ("gptq",),
    "awq": ("awq",),
    "bitsandbytes": ("bitsandbytes",),
    "bits-and-bytes": ("bitsandbytes",),
    "bitsandbytes-nf4": ("bnb-nf4",),
    "bitsandbytes-fp4": ("bnb-fp4",),
    "eetq": ("eetq",),
    "marlin": ("marlin-format",),
    "exl2": ("exl2",),
    "fp8": ("fp8",),
}
# TGI implements architectures: a bare name means every family that uses it.
MODELS: dict[str, tuple[str, ...]] = {
    "llama": ("llamaforcausallm",),
    "mistral": ("mistralforcausallm",),
    "gemma": ("gemmaforcausallm",),
    "phi": ("phiforcausallm",),
    "cohere": ("cohereforcausallm",),
    "granite": ("graniteforcausallm",),
}
# The first lists name Llama 2 beside Llama, which is then the first generation.
FIRST_MODELS = {**MODELS, "llama": ("llama-1",)}
_PRE_TURING = frozenset({"nvidia-kepler", "nvidia-maxwell", "nvidia-pascal", "nvidia-volta"})
_PRE_AMPERE = _PRE_TURING | {"nvidia-turing"}
# The pages were written before Blackwell and never name it, so it is left open as well.
UNNAMED_GENERATIONS = frozenset({"nvidia-blackwell"})
CUDA_12_LACKS = frozenset({"nvidia-kepler"})
# The kernels of these schemes are built for compute capability 8.0 and newer.
EXCLUDED: dict[str, frozenset[str]] = dict.fromkeys(
    ("fp8", "marlin", "awq", "exl2"), _PRE_AMPERE | UNNAMED_GENERATIONS
)
EXCLUDED_ELSE = _PRE_TURING | UNNAMED_GENERATIONS
# Marlin has a floor of its own and is a scheme of its own on these pages.
OTHER_LOADERS: dict[str, frozenset[str]] = {
    "gptq": frozenset({"gptq-marlin"}),
    "gpt-q": frozenset({"gptq-marlin"}),
    "awq": frozenset({"awq-marlin"}),
}

FEATURES: tuple[tuple[str, str], ...] = (
    ("tensor parallelism", "tensor-parallel"),
    ("token streaming", "streaming"),
    ("continuous batching", "continuous-batching"),
    ("messages api", "openai-api"),
    ("log probabilities", "logprobs"),
    ("speculation", "speculative-decoding"),
    ("guidance", "structured-output"),
)


def product(word: str, at: Locator, collector: Collector) -> Facet:
    """The hardware that a product name in a sentence means."""
    return collector.facet(Axis.HARDWARE, one_line(word).strip("*: "), at, table=HARDWARE)


def line_of(document: Document, text: Paragraph, fragment: str) -> int:
    """The line on which a fragment of a paragraph stands; the paragraph's own when not found."""
    first = re.split(r"\s+", fragment)[0]
    for number in range(text.line, min(text.line + 40, len(document.source_lines)) + 1):
        line = document.source_lines[number - 1]
        if fragment in one_line(line) or (len(first) > 12 and first in line):
            return number
    return text.line
