"""Installation page and README: requirements, images, hardware floors, what the README claims."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.images import numbered_lines, plain_version, read_images, read_patterns
from ingest.sources.sglang.words import BELOW, FROM
from matrix.domain.levels import Axis, Limit

_IMAGE = "lmsysorg/sglang"
_PINNED, _RANGE = StatementStatus.PINNED, StatementStatus.RANGE
_REQUIREMENTS = (
    ("python", _RANGE, re.compile(r"Python (\d\.\d+) or higher")),
    ("cuda", _PINNED, re.compile(r"shipped with CUDA (\d+) environment by default")),
    ("torch", _PINNED, re.compile(r"\btorch==(\d[\d.]*\d)|currently uses torch (\d\.\d+)")),
    ("flashinfer", _PINNED, re.compile(r"flashinfer-python==(\d[\d.]*\d)")),
)
_FLASHINFER_FLOOR = re.compile(r"FlashInfer\b.*?only supports sm(\d{2}) and above")
_BRANCH = re.compile(r"git clone -b (v\d[\w.]+) https://github\.com/sgl-project/sglang")
_SM103 = re.compile(r"On (B300/GB300) \(SM103\).*?image at `(\S+?)`")
_RUNS_ON = re.compile(r"Extensive Hardware Support:?\s*Runs on (.+?)(?:, and more)?\.")
_RUNTIME = re.compile(r"Fast (?:Backend )?Runtime:?\s*Provides efficient serving with (.+?)\.")
# Group → its key and the products that the project's own platform pages name.
_GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "intel xeon cpus": ("cpu-x86-intel-xeon", ("cpu-x86-intel-xeon",)),
    "google tpus": ("google-tpu", ("google-tpu-v6e", "google-tpu-v7x")),
    "ascend npus": ("ascend", ("ascend-a2", "ascend-a3")),
}
_SHORT = {"Spark": "DGX Spark", "5090": "RTX 5090", "MI355": "MI355X"}
_FEATURES = {
    "prefix caching": "prefix-caching",
    "prefill-decode disaggregation": "disaggregated-prefill",
    "speculative decoding": "speculative-decoding",
    "continuous batching": "continuous-batching",
    "paged attention": "paged-kv",
    "structured outputs": "structured-output",
    "chunked prefill": "chunked-prefill",
    "multi-lora batching": "multi-lora",
    "tensor parallelism": "tensor-parallel",
}
_PARALLEL = {
    "tensor": "tensor-parallel",
    "pipeline": "pipeline-parallel",
    "expert": "expert-parallel",
    "data": "data-parallel",
}
_SCHEMES = {"FP8": "fp8", "INT4": "int4", "AWQ": "awq", "GPTQ": "gptq", "FP4": "nvfp4"}


def read_install(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of install.md in all its places."""
    collector = Collector(page, vocabulary)
    lines = numbered_lines(page.document)
    read_patterns(collector, _REQUIREMENTS, lines)
    read_images(collector, _IMAGE)
    for number, line in lines:
        if match := _FLASHINFER_FLOOR.search(line):
            _state_flashinfer_floor(collector, number, int(match.group(1)))
        if match := _BRANCH.search(line):
            _state_branch(collector, number, match.group(1))
        if match := _SM103.search(line):
            _state_image_advice(collector, number, match.group(1), match.group(2))
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="requirements, images or the FlashInfer floor",
            nearest="; ".join(heading.text for heading in page.document.headings[:5]),
        )
    return collector.reading()


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """The README's lists of hardware, features and quantizations."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        text = one_line(item.text)
        if match := _RUNS_ON.search(text):
            _read_hardware(collector, item.line, match.group(1))
        elif match := _RUNTIME.search(text):
            _read_runtime(collector, item.line, match.group(1))
    return collector.reading()


def _state_flashinfer_floor(collector: Collector, line: int, floor: int) -> None:
    """Add the floor of FlashInfer: a yes from it on, a no below it."""
    backend = facet_of(FEATURE, "FlashInfer", "flashinfer")
    finding = collector.at_line(line, f"only supports sm{floor} and above")
    collector.state(
        "attention-hardware",
        [backend, Facet(Axis.HARDWARE, f"sm{floor}+", frozenset(FROM[floor]), key="from-floor")],
        StatementStatus.SUPPORTED,
        finding,
    )
    collector.state(
        "attention-hardware",
        [backend, Facet(Axis.HARDWARE, "below", BELOW[floor], key="below-floor")],
        StatementStatus.UNSUPPORTED,
        replace(
            finding,
            limit=Limit.HARDWARE,
            note=f"below the stated floor of compute capability {floor / 10:g}",
        ),
    )


def _state_branch(collector: Collector, line: int, branch: str) -> None:
    """Add the branch that the page tells to clone, stale when it is another release's."""
    own = plain_version(collector.page.release or collector.page.version)
    same = plain_version(branch) == own
    collector.value(
        FindingKind.ARTEFACT,
        "source-branch",
        StatementStatus.PUBLISHED if same else StatementStatus.STALE,
        replace(collector.at_line(line, f"git clone -b {branch}"), names={"branch": branch}),
        value=branch,
    )


def _state_image_advice(collector: Collector, line: int, words: str, image: str) -> None:
    """Add the image that newer chips need."""
    collector.value(
        FindingKind.ARTEFACT,
        "image-advice/sm103",
        StatementStatus.VALUE,
        replace(
            collector.at_line(line, f"{words} (SM103) … {image}"),
            names={"hardware": words, "image": image},
        ),
        value=image,
    )


def _read_hardware(collector: Collector, line: int, text: str) -> None:
    """Add the products of "NVIDIA GPUs (GB200/…), AMD GPUs (…), Google TPUs"."""
    for group in re.findall(r"[^,(]+(?:\([^)]*\))?", text):
        name, _, inside = group.strip().partition("(")
        finding = collector.at_line(line, group.strip())
        if group_of := _GROUPS.get(name.strip().lower()):
            key, slugs = group_of
            hardware = facet_of(Axis.HARDWARE, name.strip(), *slugs, key=key)
            collector.state("platform", [hardware], StatementStatus.SUPPORTED, finding)
            continue
        for word in inside.rstrip(")").split("/"):
            hardware = collector.facet(Axis.HARDWARE, _SHORT.get(word, word), finding.locator)
            collector.state("platform", [hardware], StatementStatus.SUPPORTED, finding)


def _read_runtime(collector: Collector, line: int, text: str) -> None:
    """Add the features and quantizations that the README says the engine has."""
    lowered = text.lower()
    slugs = {slug: word for word, slug in _FEATURES.items() if word in lowered}
    if match := re.search(r"([\w/]+) parallelism", lowered):
        for word in match.group(1).split("/"):
            if word in _PARALLEL:
                slugs[_PARALLEL[word]] = f"{word} parallelism"
    for slug, word in slugs.items():
        finding = collector.at_line(line, word)
        facet = facet_of(FEATURE, word, slug)
        collector.state("feature", [facet], StatementStatus.SUPPORTED, finding)
    if match := re.search(r"quantization \(([^)]*)\)", text):
        for word in match.group(1).split("/"):
            finding = collector.at_line(line, f"quantization … {word}")
            facet = collector.facet(
                Axis.QUANTIZATION,
                word,
                finding.locator,
                table={key.lower(): (slug,) for key, slug in _SCHEMES.items()},
            )
            # No hardware is named: the statement is kept, but proves no cell.
            collector.value(
                FindingKind.VALUE,
                f"quantization/{facet.key_part}",
                StatementStatus.SUPPORTED,
                replace(finding, names={"quantization": word}),
                value=word,
            )
