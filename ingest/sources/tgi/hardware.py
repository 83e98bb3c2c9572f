"""Hardware pages: NVIDIA, AMD, Intel, Gaudi, Inferentia, TPU, and the limits they state."""

import re
from collections.abc import Callable
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Item, Paragraph, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.images import read_images
from ingest.sources.tgi.words import CUDA_12_LACKS, UNNAMED_GENERATIONS, line_of, product
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit

IMAGE = "ghcr.io/huggingface/text-generation-inference"
_NVIDIA = re.compile(r"supported on NVIDIA (.+?) GPUs with CUDA ([\d.]+)\+")
_OTHER = re.compile(
    r"For other (NVIDIA GPUs|hardware), continuous batching will still apply, but some operations"
)
_AMD = re.compile(r"(?:supported and tested on|ROCm-enabled|TGI supports) (AMD Instinct .+?) GPUs")
_AMD_SPEAKS_OF = re.compile(r"GPUs, with (.+?) support\.")
_INTEL = re.compile(r"supported on Intel Data Center GPU (Max\d+), (Max\d+)")
_INTEL_CPU = "further optimizations for Intel CPUs"
_VIA = re.compile(
    r"(?:Check out this|check out this|You can use TGI on) .*?\b"
    r"(Gaudi and Gaudi2|Inferentia2|TPUs|Intel Gaudi|AWS Trainium and Inferentia)\b"
)
_VIA_PRODUCTS = {
    "Gaudi and Gaudi2": ("intel-gaudi1", "intel-gaudi2"),
    "Inferentia2": ("aws-inferentia2",),
    "TPUs": ("google-tpu",),
    "Intel Gaudi": ("intel-gaudi",),
    # The page of that backend names the first Trainium and the second Inferentia.
    "AWS Trainium and Inferentia": ("aws-trainium1", "aws-inferentia2"),
}
_REFUSED = "currently not supported in the ROCm version"
_ROCM_FEATURES = {
    "paged attention": (FEATURE, "paged-kv"),
    "flash attention v2": (FEATURE, "flash-attention-2"),
    "gptq quantization": (Axis.QUANTIZATION, "gptq"),
}
_TARGET = re.compile(r"^(?:\*\*)?(Gaudi\d|Trainium \d|Inferentia \d)\b")


def read_hardware(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of an installation page, and of supported_models.md where it lists hardware."""
    collector = Collector(page, vocabulary)
    for text in page.document.paragraphs:
        for reader in _SENTENCES:
            reader(collector, text)
    for item in page.document.items:
        _read_item(collector, item)
    read_images(collector, IMAGE)
    return collector.reading()


def read_installation(page: Page, vocabulary: Vocabulary) -> Reading:
    """The same, for a page that has to state hardware."""
    reading = read_hardware(page, vocabulary)
    if not any(found.kind is FindingKind.COMPATIBILITY for found in reading.findings):
        first = page.document.paragraphs[:1]
        raise UnexpectedPage(
            path=page.path,
            expected="a sentence that names the hardware it supports",
            nearest=first[0].text[:100] if first else "an empty page",
        )
    return reading


def _read_nvidia(collector: Collector, text: Paragraph) -> None:
    """ "supported on NVIDIA H100, A100, A10G and T4 GPUs with CUDA 12.2+" and what follows."""
    flat = one_line(text.text)
    match = _NVIDIA.search(flat)
    if match:
        finding = collector.at_line(text.line, match.group(0))
        for word in re.split(r", | and ", match.group(1)):
            hardware = product(word, finding.locator, collector)
            draft = replace(finding, note=f"with CUDA {match.group(2)} or newer")
            collector.state("platform", [hardware], StatementStatus.SUPPORTED, draft)
        collector.value(
            FindingKind.REQUIREMENT,
            "requirement/cuda",
            StatementStatus.RANGE,
            replace(finding, names={"cuda": match.group(2)}),
            value=f">={match.group(2)}",
        )
    if other := _OTHER.search(flat):
        _state_other(collector, text, other.group(0))


def _state_other(collector: Collector, text: Paragraph, raw: str) -> None:
    """Add what cards that are not listed do without: flash and paged attention."""
    line = line_of(collector.document, text, "For other")
    finding = collector.at_line(line, raw)
    # "Other" cards are those of the page's time that its CUDA release still drives.
    listed = _listed_cards(collector) | UNNAMED_GENERATIONS | CUDA_12_LACKS
    others = Facet(Axis.HARDWARE, "other NVIDIA GPUs", frozenset({"nvidia"}), listed, key="other")
    collector.state(
        "platform-other",
        [others],
        StatementStatus.PARTIAL,
        replace(
            finding,
            names={"feature": "flash attention, paged attention"},
            note="batching works; flash and paged attention do not run",
        ),
    )
    for word, slug in (("flash attention", "flash-attention"), ("paged attention", "paged-kv")):
        collector.state(
            "platform-other",
            [others, facet_of(FEATURE, word, slug)],
            StatementStatus.UNSUPPORTED,
            replace(finding, limit=Limit.FRAMEWORK, note="only on the listed cards"),
        )


def _listed_cards(collector: Collector) -> frozenset[str]:
    """The NVIDIA cards that the page has listed so far."""
    found: set[str] = set()
    for finding in collector.findings:
        if finding.statement.startswith("platform/nvidia-") and finding.scope is not None:
            found |= finding.scope.nodes[Axis.HARDWARE].include
    return frozenset(found)


def _read_amd(collector: Collector, text: Paragraph) -> None:
    """ "supported and tested on AMD Instinct MI210, MI250 and MI300 GPUs"."""
    flat = one_line(text.text)
    match = _AMD.search(flat)
    if not match:
        return
    line = line_of(collector.document, text, "AMD Instinct")
    finding = collector.at_line(line, match.group(0))
    devices = [
        product(word, finding.locator, collector)
        for word in re.split(r", | and ", match.group(1).removeprefix("AMD Instinct "))
    ]
    for hardware in devices:
        collector.state("platform", [hardware], StatementStatus.SUPPORTED, finding)
    if also := _AMD_SPEAKS_OF.search(flat):
        slugs = frozenset(slug for facet in devices for slug in facet.slugs)
        place = Facet(Axis.HARDWARE, match.group(1), slugs, key="amd")
        for word in also.group(1).split(", "):
            axis, slug = _ROCM_FEATURES.get(word.lower(), (FEATURE, ""))
            named = facet_of(axis, word, slug) if slug else Facet(axis, word)
            if not slug:
                collector.miss(axis, word, finding.locator)
            draft = collector.at_line(line, f"with {word}")
            collector.state("rocm", [named, place], StatementStatus.SUPPORTED, draft)


def _read_intel(collector: Collector, text: Paragraph) -> None:
    """Intel Max GPUs, and Intel CPUs through IPEX."""
    flat = one_line(text.text)
    if match := _INTEL.search(flat):
        finding = collector.at_line(text.line, match.group(0))
        for word in match.groups():
            hardware = product(word, finding.locator, collector)
            collector.state("platform", [hardware], StatementStatus.SUPPORTED, finding)
    if _INTEL_CPU in flat:
        collector.state(
            "platform",
            [facet_of(Axis.HARDWARE, "Intel CPUs", "cpu-x86-intel")],
            StatementStatus.SUPPORTED,
            replace(
                collector.at_line(text.line, _INTEL_CPU), note="through the IPEX image for CPUs"
            ),
        )


def _read_elsewhere(collector: Collector, text: Paragraph) -> None:
    """Accelerators that another repository or a backend serves."""
    flat = one_line(text.text)
    match = _VIA.search(flat)
    if match:
        finding = collector.at_line(text.line, match.group(0))
        _state_via(collector, finding.locator.line or text.line, match.group(1), flat)


def _state_via(collector: Collector, line: int, words: str, flat: str) -> None:
    """Add accelerators served by a plug-in, which is a condition, or by a backend of TGI."""
    plugin = next(
        (
            name
            for name in ("optimum-habana", "optimum-neuron", "optimum-tpu")
            if _speaks(flat, name)
        ),
        "",
    )
    own = "backend" in flat.lower()
    for slug in _VIA_PRODUCTS[words]:
        conditions = () if own or not plugin else (Condition(ConditionKind.PLUGIN, plugin, "set"),)
        collector.state(
            "platform",
            [facet_of(Axis.HARDWARE, words, slug)],
            StatementStatus.SUPPORTED,
            replace(
                collector.at_line(line, words),
                conditions=conditions,
                note="by a backend of its own" if own else "served from another repository",
            ),
        )


def _speaks(flat: str, plugin: str) -> bool:
    word = {"optimum-habana": "gaudi", "optimum-neuron": "inferentia", "optimum-tpu": "tpu"}
    return word[plugin] in flat.lower()


_SENTENCES: tuple[Callable[[Collector, Paragraph], None], ...] = (
    _read_nvidia,
    _read_amd,
    _read_intel,
    _read_elsewhere,
)


def _read_item(collector: Collector, item: Item) -> None:
    """Add bullets: refused features on ROCm, accelerators, hardware targets of a backend."""
    text = one_line(item.text)
    above = [p for p in collector.document.paragraphs if p.line < item.line]
    if above and _REFUSED in one_line(above[-1].text):
        _state_refused(collector, item.line, text)
    elif match := _TARGET.match(text):
        finding = collector.at_line(item.line, text)
        hardware = product(match.group(1), finding.locator, collector)
        collector.state("platform", [hardware], StatementStatus.SUPPORTED, finding)
    elif text.startswith("Habana first-gen Gaudi and Gaudi2"):
        _state_via(collector, item.line, "Gaudi and Gaudi2", text)
    elif text.startswith("AWS Inferentia2"):
        _state_via(collector, item.line, "Inferentia2", text)


def _state_refused(collector: Collector, line: int, text: str) -> None:
    """Add a feature that the ROCm version lacks; what is no known feature is kept as a value."""
    amd = facet_of(Axis.HARDWARE, "ROCm", "amd")
    finding = replace(
        collector.at_line(line, text),
        limit=Limit.FRAMEWORK,
        note="missing in the ROCm version",
    )
    known: Facet | None = None
    if match := re.match(r"Loading (\w+) checkpoints", text):
        known = collector.facet(Axis.QUANTIZATION, match.group(1), finding.locator)
    elif re.search(r"sli[dn]+ing window attention", text):
        known = facet_of(FEATURE, "sliding window attention", "sliding-window")
    if known is not None:
        collector.state("rocm", [known, amd], StatementStatus.UNSUPPORTED, finding)
        return
    collector.value(
        FindingKind.VALUE,
        f"rocm-refused/{fold_label(text)[:60]}",
        StatementStatus.UNSUPPORTED,
        finding,
        value=text[:80],
    )
