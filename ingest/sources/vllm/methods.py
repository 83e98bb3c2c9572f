"""Quantization method pages: on which GPUs FP8, INT8 and INT4 compute, and where weight-only.

**Source**: docs pages ``fp8``, ``int8``, ``int4`` (later under ``llm_compressor``). The families in
brackets are what a sentence covers; its operator is careless ("> 7.5 (Turing, …)" includes 7.5).
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer, Line, find_lines
from ingest.sources.vllm.words import NVIDIA_FAMILY_WORDS, families_below, fold
from matrix.domain.levels import Axis, Execution, Limit

_COMPUTES = re.compile(
    r"(?P<scheme>FP8|INT8|INT4) computation is supported on NVIDIA GPUs with compute capability"
    r" >=? ?(?P<floor>\d+\.\d) \((?P<families>[^)]*)\)"
)
_WEIGHT_ONLY = re.compile(
    r"FP8 models will run on compute capability >=? ?(?P<floor>\d+\.\d) \((?P<families>[^)]*)\)"
    r" as weight-only W8A16"
)
_W8A8 = re.compile(
    r"(?:Currently, only )?(?P<families>[A-Z][\w, ]*?) GPUs are (?:officially )?supported for W8A8"
)
_W8A16 = re.compile(r"(?P<families>[A-Z][\w/ ]*?) GPUs are supported for W8A16 \(weight-only")
_DEVICES = re.compile(r"on GPUs such as Nvidia (?P<nvidia>\w+) and AMD (?P<amd>\w+)")
_NO_BLACKWELL = re.compile(
    r"(?P<scheme>INT8) is not supported on compute capability >= (?P<floor>\d+(?:\.\d)?) \("
)

_SCHEMES = {"FP8": "fp8-w8a8", "INT8": "int8-w8a8", "INT4": "int4-w4a16"}
# The page names the MI300X; its scheme runs on that chip's architecture.
_EXAMPLE_NODES = {"h100": "nvidia-hopper", "mi300x": "amd-gfx942"}


def read_compute_floors(page: Page, vocabulary: Vocabulary) -> Reading:
    """Which GPUs a scheme computes on, which run it weight-only, and which it refuses.

    **Raises**: ``UnexpectedPage`` when the page has no sentence on compute capability.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    computes = find_lines(gather.document, _COMPUTES)
    if not computes:
        raise gather.unexpected(expected="“… computation is supported on NVIDIA GPUs with …”")
    for line in computes:
        _read_floor(gather, line, scheme=_SCHEMES[line.match.group("scheme")])
    for line in find_lines(gather.document, _WEIGHT_ONLY):
        _read_weight_only(gather, line)
    for line in find_lines(gather.document, _W8A8):
        families = _families(gather, line)
        gather.add(*_supported(gather, line, families, scheme="fp8-w8a8", area="summary"))
    for line in find_lines(gather.document, _W8A16):
        families = _families(gather, line)
        gather.add(*_supported(gather, line, families, scheme="fp8-w8a16", area="summary"))
    for line in find_lines(gather.document, _DEVICES):
        _read_examples(gather, line)
    for line in find_lines(gather.document, _NO_BLACKWELL):
        gather.add(_refuse_blackwell(gather, line))
    return gather.reading()


def _families(gather: Gatherer, line: Line) -> list[str]:
    """The NVIDIA families of a list such as ``Ada Lovelace, Hopper, and Blackwell``."""
    families = []
    for word in re.split(r",\s*(?:and )?| and |/", line.match.group("families")):
        family = NVIDIA_FAMILY_WORDS.get(fold(word))
        if family:
            families.append(family)
        elif word.strip():
            gather.report("hardware", word, gather.line_locator(line.number))
    return families


def _supported(
    gather: Gatherer, line: Line, nodes: Iterable[str], *, scheme: str, area: str
) -> list[Finding]:
    weight_only = scheme == "fp8-w8a16"
    return [
        Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key(f"method-{area}", scheme, node),
            status=StatementStatus.SUPPORTED,
            raw=line.fragment,
            locator=gather.line_locator(line.number),
            names={"quantization": scheme, "hardware": node},
            scope=scope_of({Axis.QUANTIZATION: scheme, Axis.HARDWARE: node}),
            execution=Execution.WEIGHT_ONLY if weight_only else Execution.NATIVE,
            note="weight-only, by Marlin kernels" if weight_only else "",
        )
        for node in nodes
    ]


def _refused(
    gather: Gatherer, line: Line, nodes: Iterable[str], *, scheme: str, floor: str
) -> list[Finding]:
    return [
        Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key("method-floor", scheme, node),
            status=StatementStatus.UNSUPPORTED,
            raw=line.fragment,
            locator=gather.line_locator(line.number),
            names={"quantization": scheme, "hardware": node, "cc_min": floor},
            scope=scope_of({Axis.QUANTIZATION: scheme, Axis.HARDWARE: node}),
            limit=Limit.HARDWARE,
            note=f"below the stated floor of compute capability {floor}",
            value=floor,
        )
        for node in nodes
    ]


def _read_floor(gather: Gatherer, line: Line, *, scheme: str) -> None:
    floor = line.match.group("floor")
    families = _families(gather, line)
    below = [node for node in families_below(float(floor)) if node not in families]
    found = _supported(gather, line, families, scheme=scheme, area="floor")
    if scheme == "int4-w4a16":
        # INT4 weights are widened before the multiplication; nothing computes in INT4.
        found = [_as_weight_only(finding) for finding in found]
    gather.add(*found, *_refused(gather, line, below, scheme=scheme, floor=floor))


def _as_weight_only(finding: Finding) -> Finding:
    return replace(finding, execution=Execution.WEIGHT_ONLY)


def _read_weight_only(gather: Gatherer, line: Line) -> None:
    """Below the weight-only floor no form of FP8 runs, so the whole family is refused."""
    floor = line.match.group("floor")
    families = _families(gather, line)
    below = [node for node in families_below(float(floor)) if node not in families]
    gather.add(
        *_supported(gather, line, families, scheme="fp8-w8a16", area="floor"),
        *_refused(gather, line, below, scheme="fp8", floor=floor),
    )


def _read_examples(gather: Gatherer, line: Line) -> None:
    for word in line.match.groups():
        node = _EXAMPLE_NODES.get(fold(word))
        if node is None:
            gather.report("hardware", word, gather.line_locator(line.number))
            continue
        gather.add(*_supported(gather, line, [node], scheme="fp8-w8a8", area="example"))


def _refuse_blackwell(gather: Gatherer, line: Line) -> Finding:
    """INT8 on Blackwell; one release writes the capability 10.0 as 100."""
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("method-floor", "int8-w8a8", "nvidia-blackwell"),
        status=StatementStatus.UNSUPPORTED,
        raw=line.fragment,
        locator=gather.line_locator(line.number),
        names={"quantization": "INT8 W8A8", "hardware": "Blackwell"},
        scope=scope_of({Axis.QUANTIZATION: "int8-w8a8", Axis.HARDWARE: "nvidia-blackwell"}),
        limit=Limit.HARDWARE,
        note="INT8 is not supported from compute capability 10.0 on",
        value=line.match.group("floor"),
    )
