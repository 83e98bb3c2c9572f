"""What llama.cpp's own words mean in the catalogue: types, backends, hardware, symbols."""

import re
from collections.abc import Mapping

from ingest.contract import StatementStatus
from ingest.reading.document import fold_label
from ingest.sources.collecting import Collector, Facet, facet_of
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

FRAMEWORK = "llama.cpp"

# Types whose plain name means another scheme outside of GGUF, or no quantization at all.
_TYPES: Mapping[str, str] = {
    "f32": "fp32",
    "fp32": "fp32",
    "f16": "fp16",
    "fp16": "fp16",
    "bf16": "bf16",
    "mxfp4": "gguf-mxfp4",
    "mxfp4_moe": "gguf-mxfp4-moe",
    "nvfp4": "gguf-nvfp4",
}
_TYPE_PREFIX = re.compile(r"^GGML_TYPE_", re.IGNORECASE)

# Types of intermediate results and of plain integers; no weights are stored in them.
INTERNAL_TYPES = frozenset({"Q8_1", "Q8_K", "I8", "I16", "I32", "I64", "F64"})

# The one kind of hardware that a backend stands for; the others run on many.
HARDWARE_OF_BACKEND: Mapping[str, str] = {
    "cuda": "nvidia",
    "rocm": "amd",
    "metal": "apple",
    "cann": "ascend",
    "musa": "moore-threads",
    "sycl": "intel",
    "opencl": "qualcomm-adreno",
    "hexagon": "qualcomm-hexagon",
    "cpu": "cpu",
    # The accelerator of the z17; on older machines its library does not run.
    "zdnn": "cpu-z17",
    "zendnn": "cpu-x86-amd",
    "et": "ainekko-et",
}
# SYCL starts with the graphics of the 11th generation of Core, by its own page.
LEFT_OUT: Mapping[str, frozenset[str]] = {"sycl": frozenset({"intel-gen9"})}
_BACKENDS: Mapping[str, str] = {
    "hip": "rocm",
    "hipblas": "rocm",
    "htp": "hexagon",
    "mtl": "metal",
    "metal": "metal",
    "ibm zdnn": "zdnn",
}
_IN_PROGRESS = re.compile(r"\s*\[?\s*in progress\s*\]?\s*$", re.IGNORECASE)

SUPPORT_WORDS = StatusTable(
    {
        "support": StatementStatus.SUPPORTED,
        "supported": StatementStatus.SUPPORTED,
        "support, but not optimized": StatementStatus.PARTIAL,
        "partial": StatementStatus.PARTIAL,
        "experimental": StatementStatus.EXPERIMENTAL,
        "not supported": StatementStatus.UNSUPPORTED,
        "not tested": StatementStatus.UNTESTED,
        "under development": StatementStatus.WORK_IN_PROGRESS,
    }
)
NOT_OPTIMISED = "runs, not optimised for this hardware"


def type_facet(collector: Collector, word: str, at: Locator) -> Facet:
    """A GGML or GGUF type; its plain name can mean another scheme elsewhere."""
    plain = _TYPE_PREFIX.sub("", word.strip().strip("`"))
    own = _TYPES.get(plain.lower())
    if own:
        return facet_of(Axis.QUANTIZATION, word, own)
    slugs = frozenset(
        slug
        for slug in collector.vocabulary.find(Axis.QUANTIZATION.value, plain)
        if slug.startswith("gguf-")
    )
    if not slugs:
        collector.miss(Axis.QUANTIZATION, plain, at)
    return Facet(axis=Axis.QUANTIZATION, word=word, slugs=slugs)


def split_progress(label: str) -> tuple[str, bool]:
    """A backend's name without the "[In Progress]" in it, and whether that stood there."""
    name = _IN_PROGRESS.sub("", label).strip()
    return name, name != label.strip()


def backend_facet(collector: Collector, label: str, at: Locator) -> Facet:
    """A backend by the page's label."""
    name, _ = split_progress(label)
    own = _BACKENDS.get(fold_label(name))
    if own:
        return facet_of(Axis.BACKEND, label, own)
    slugs = frozenset(collector.vocabulary.find(Axis.BACKEND.value, name))
    if not slugs:
        collector.miss(Axis.BACKEND, name, at)
    return Facet(axis=Axis.BACKEND, word=label, slugs=slugs)


def backend_and_hardware(slug: str, word: str) -> list[Facet]:
    """A known backend, with the hardware where it stands for one kind only."""
    facets = [facet_of(Axis.BACKEND, word, slug)]
    root = HARDWARE_OF_BACKEND.get(slug)
    if root:
        exclude = LEFT_OUT.get(slug, frozenset())
        facets.append(Facet(Axis.HARDWARE, word, frozenset({root}), exclude))
    return facets
