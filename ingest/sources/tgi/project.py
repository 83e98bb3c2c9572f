"""The project itself: maintenance notice, backends, Dockerfile pins, images in the docs."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.sources.collecting import Collector, facet_of, one_line
from ingest.sources.images import numbered_lines, read_images, read_patterns
from ingest.sources.tgi.hardware import IMAGE
from matrix.domain.levels import Axis

_NO_FP8 = frozenset({"intel-gaudi1"})
_NOTICE = "is now in maintenance mode"
_ADVICE = "recommend using going forward"
_SUCCESSORS = (("vllm", "vllm"), ("SGLang", "sglang"), ("llama.cpp", "llama.cpp"), ("MLX", "mlx"))
_BACKENDS = {
    "cuda": ("nvidia",),
    "trtllm": ("nvidia",),
    "llamacpp": ("nvidia", "cpu"),
    "neuron": ("aws-trainium1", "aws-inferentia2"),
    "gaudi": ("intel-gaudi",),
}
_BACKEND = re.compile(r"^TGI (\w+) backend\b", re.IGNORECASE)
_PINNED = StatementStatus.PINNED
_PINS = (
    ("torch", _PINNED, re.compile(r"^ARG PYTORCH_VERSION='?([\d.]+\w*)'?")),
    ("python", _PINNED, re.compile(r"^ARG PYTHON_VERSION='?([\d.]+)'?")),
    ("cuda", _PINNED, re.compile(r"^ARG CUDA_VERSION='?([\d.]+)'?")),
    ("rocm", _PINNED, re.compile(r"^ARG ROCM_VERSION='?([\d.]+)'?")),
    ("cuda-image", _PINNED, re.compile(r"^FROM nvidia/cuda:([\w.-]+)")),
    ("rocm-image", _PINNED, re.compile(r"^FROM rocm/dev-ubuntu-[\d.]+:([\w.-]+)")),
    ("neuron-image", _PINNED, re.compile(r"^FROM (public\.ecr\.aws/neuron/[\w./:-]+)")),
    ("cuda-arch-list", StatementStatus.VALUE, re.compile(r'^ARG cuda_arch_list="([^"]+)"')),
    ("gaudi-image", _PINNED, re.compile(r"^FROM (vault\.habana\.ai/[\w./:${}-]+)")),
)


def read_notice(page: Page, vocabulary: Vocabulary) -> Reading:
    """The maintenance notice of README and documentation start page, with its line."""
    collector = Collector(page, vocabulary)
    for number, line in numbered_lines(page.document):
        if _NOTICE in line:
            collector.value(
                FindingKind.MAINTENANCE,
                "maintenance/tgi",
                StatementStatus.MAINTENANCE,
                replace(
                    collector.at_line(
                        number, "text-generation-inference is now in maintenance mode"
                    ),
                    names={"framework": "tgi"},
                    note="only small fixes and documentation are accepted from now on",
                ),
                value="maintenance-mode",
            )
        if _ADVICE in line:
            named = ", ".join(slug for word, slug in _SUCCESSORS if word in line)
            collector.value(
                FindingKind.POLICY,
                "policy/successors",
                StatementStatus.POLICY,
                replace(collector.at_line(number, _ADVICE), names={"successors": named}),
                value=named,
            )
    return collector.reading()


def read_backends(page: Page, vocabulary: Vocabulary) -> Reading:
    """The engines that multi_backend_support.md lists, with the hardware each is for."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        match = _BACKEND.match(one_line(item.text))
        if not match:
            continue
        name = match.group(1).lower()
        finding = collector.at_line(item.line, match.group(0))
        slugs = _BACKENDS.get(name)
        if slugs is None:
            collector.miss(Axis.ENGINE, match.group(1), finding.locator)
        # An engine is a choice of the user: stated as a value, claims come from its own page.
        collector.value(
            FindingKind.VALUE,
            f"engine/{name}",
            StatementStatus.SUPPORTED,
            replace(finding, names={"engine": match.group(1)}),
            value=", ".join(slugs or ()),
        )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='bullets such as "TGI CUDA backend: …"',
            nearest="; ".join(item.text[:40] for item in page.document.items[:3]),
        )
    return collector.reading()


def read_dockerfile(page: Page, vocabulary: Vocabulary) -> Reading:
    """The pins of a Dockerfile; which image it builds stands in its name."""
    collector = Collector(page, vocabulary, plain=True)
    lines = page.text.splitlines()
    image = page.path.removeprefix("Dockerfile").strip("_.") or "cuda"
    read_patterns(collector, _PINS, list(enumerate(lines, start=1)))
    torch = any(found.statement == "requirement/torch" for found in collector.findings)
    # The other files may pin nothing; the CUDA image without a torch version is a new shape.
    if image == "cuda" and not torch:
        raise UnexpectedPage(
            path=page.path,
            expected="ARG PYTORCH_VERSION=…",
            nearest=next((line for line in lines if line.startswith("ARG")), "no ARG line")[:80],
        )
    collector.findings = [
        replace(
            found,
            statement=f"{found.statement}/{image}",
            names={**found.names, "image": f"tgi {image}"},
        )
        for found in collector.findings
    ]
    return collector.reading()


def read_image_tags(page: Page, vocabulary: Vocabulary) -> Reading:
    """The image tags that a page names, compared with the page's own release."""
    collector = Collector(page, vocabulary)
    read_images(collector, IMAGE)
    return collector.reading()


def read_gaudi(page: Page, vocabulary: Vocabulary) -> Reading:
    """The precisions that the Gaudi backend's page states."""
    collector = Collector(page, vocabulary)
    gaudi = facet_of(Axis.HARDWARE, "Gaudi", "intel-gaudi")
    words = {
        "models run with BF16 precision": "bf16",
        "supports FP8 precision inference": "fp8",
    }
    for text in page.document.paragraphs:
        flat = one_line(text.text)
        for fragment, slug in words.items():
            if fragment in flat:
                # The first Gaudi has no FP8 units; the sentence does not say so.
                place = replace(gaudi, exclude=_NO_FP8) if slug == "fp8" else gaudi
                collector.state(
                    "quantization",
                    [facet_of(Axis.QUANTIZATION, slug, slug), place],
                    StatementStatus.SUPPORTED,
                    collector.at_line(text.line, fragment),
                )
    return collector.reading()
