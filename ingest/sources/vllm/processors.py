"""Installation pages of the CPUs: which instruction sets, data types and schemes they state."""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer, Line, find_lines
from ingest.sources.vllm.words import fold
from matrix.domain.levels import Axis, Limit, Tier

_INTRODUCTION = re.compile(
    r"vLLM (?:(?P<early>has experimental support for)"
    r"|has been adapted to work on|(?:initially )?(?:supports|offers) basic model inferenc\w+)"
    r" ?(?P<rest>.{0,40})"
)
_DTYPES = re.compile(
    r"(?:data types|supports?)[: ]+(?P<list>(?:(?:FP32|Float32|FP16|BF16|BFloat16)(?:, | and )?)+)"
    r"(?P<only> datatype only)?"
)
_DTYPE = re.compile(r"FP32|Float32|FP16|BF16|BFloat16")
_SCHEMES: dict[str, str] = {
    "fp32": "fp32", "float32": "fp32", "fp16": "fp16", "bf16": "bf16", "bfloat16": "bf16",
}  # fmt: skip
_ISA = re.compile(r"(?:\(ISA\)(?: requirements?)?|CPU flags): ?(?P<list>.+)$")
_LIMITED = re.compile(r"`(?P<flag>avx2)` \(Limited features\)")
_IBM_Z = re.compile(r"Works with (?P<first>Z\d+) and above")
_IBM_Z_NODES = ("cpu-z14", "cpu-z15", "cpu-z16", "cpu-z17")
_Z_SCHEMES = re.compile(r"as well as AWQ and GPTQ 4-bit quantization and compressed-tensors INT8")
_QUANTIZATION_ITEM = re.compile(
    r"^\s+[-*] (?P<scheme>AWQ|GPTQ|compressed-tensor INT8 W8A8) \((?P<where>[^)]*)\)"
)
_ITEM_SCHEMES: dict[str, str] = {
    "awq": "awq",
    "gptq": "gptq",
    "compressed-tensor int8 w8a8": "int8-w8a8",
}
_ITEM_PLATFORMS: dict[str, str] = {
    "x86": "cpu-x86",
    "s390x": "cpu-s390x",
    "power": "cpu-ppc64le",
    "arm": "cpu-arm",
}
# What the file is about, by a part of its name.
_PLATFORMS: tuple[tuple[str, str], ...] = (
    ("apple", "cpu-apple"),
    ("arm", "cpu-arm"),
    ("s390x", "cpu-s390x"),
    ("x86", "cpu-x86"),
    ("cpu-installation", "cpu-x86"),
)


def read_processor(page: Page, vocabulary: Vocabulary) -> Reading:
    """What one CPU page states: the platform, its data types, its instruction sets.

    **Raises**: ``UnexpectedPage`` when the page says nothing of support on its platform.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    name = page.path.rsplit("/", 1)[-1]
    node = next((slug for word, slug in _PLATFORMS if word in name), "")
    lines = find_lines(gather.document, _INTRODUCTION)[:1]
    if not node or not lines:
        raise gather.unexpected(expected="a sentence on support for a CPU platform")
    for line in lines:
        early = bool(line.match.group("early"))
        status = StatementStatus.EXPERIMENTAL if early else StatementStatus.SUPPORTED
        note = "on the CPU only" if node == "cpu-apple" else ""
        gather.add(_platform(gather, line, node=node, status=status, note=note))
    _read_dtypes(gather, node=node)
    _read_instruction_sets(gather, node=node)
    if node == "cpu-s390x":
        _read_ibm_z(gather)
    return gather.reading()


def _platform(
    gather: Gatherer, line: Line, *, node: str, status: StatementStatus, note: str = ""
) -> Finding:
    experimental = status is StatementStatus.EXPERIMENTAL
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("platform", node),
        status=status,
        raw=line.fragment,
        locator=gather.line_locator(line.number),
        names={"hardware": node},
        scope=scope_of({Axis.HARDWARE: node}),
        tier=Tier.EXPERIMENTAL if experimental else Tier.OFFICIAL,
        note=note,
        limit=Limit.HARDWARE if status is StatementStatus.UNSUPPORTED else None,
    )


def _read_dtypes(gather: Gatherer, *, node: str) -> None:
    """Each named data type; where the page says "only", the others are refused."""
    for line in find_lines(gather.document, _DTYPES):
        words = _DTYPE.findall(line.match.group("list"))
        named = [_SCHEMES[fold(word)] for word in words]
        refused = [s for s in ("fp32", "fp16", "bf16") if s not in named]
        for scheme in named:
            gather.add(_dtype(gather, line, scheme=scheme, node=node, yes=True))
        if line.match.group("only"):
            for scheme in refused:
                gather.add(_dtype(gather, line, scheme=scheme, node=node, yes=False))


def _dtype(gather: Gatherer, line: Line, *, scheme: str, node: str, yes: bool) -> Finding:
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("dtype-hardware", scheme, node),
        status=StatementStatus.SUPPORTED if yes else StatementStatus.UNSUPPORTED,
        raw=line.fragment,
        locator=gather.line_locator(line.number),
        names={"quantization": scheme.upper(), "hardware": node},
        scope=scope_of({Axis.QUANTIZATION: scheme, Axis.HARDWARE: node}),
        note="" if yes else "another data type is named as the only one",
    )


def _read_instruction_sets(gather: Gatherer, *, node: str) -> None:
    for line in find_lines(gather.document, _ISA):
        gather.add(
            Finding(
                kind=FindingKind.REQUIREMENT,
                statement=statement_key("requirement", "isa", node),
                status=StatementStatus.SUPPORTED,
                raw=line.fragment,
                locator=gather.line_locator(line.number),
                names={"hardware": node, "requirement": "ISA"},
                value=line.match.group("list").strip()[:80],
            )
        )
    for line in find_lines(gather.document, _LIMITED):
        gather.add(
            _platform(
                gather,
                line,
                node="cpu-x86-avx2",
                status=StatementStatus.PARTIAL,
                note="AVX2 without AVX-512: limited features",
            )
        )


def _read_ibm_z(gather: Gatherer) -> None:
    for line in find_lines(gather.document, _IBM_Z):
        first = "cpu-" + line.match.group("first").lower()
        for node in _IBM_Z_NODES:
            yes = node >= first
            status = StatementStatus.SUPPORTED if yes else StatementStatus.UNSUPPORTED
            note = "experimental" if yes else f"below the stated floor {line.match.group('first')}"
            gather.add(_platform(gather, line, node=node, status=status, note=note))
    for line in find_lines(gather.document, _Z_SCHEMES):
        for scheme in ("awq", "gptq", "int8-w8a8"):
            gather.add(
                Finding(
                    kind=FindingKind.COMPATIBILITY,
                    statement=statement_key("cpu-quantization", scheme, "cpu-s390x"),
                    status=StatementStatus.SUPPORTED,
                    raw=line.fragment,
                    locator=gather.line_locator(line.number),
                    names={"quantization": scheme, "hardware": "IBM Z"},
                    scope=scope_of({Axis.QUANTIZATION: scheme, Axis.HARDWARE: "cpu-s390x"}),
                )
            )


def read_cpu_quantization(page: Page, vocabulary: Vocabulary) -> Reading:
    """The list "which quantization configs does vLLM CPU support" of the CPU page.

    Earlier pages have no such list; they are read and state nothing here.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    for line in find_lines(gather.document, _QUANTIZATION_ITEM):
        _read_cpu_scheme(gather, line)
    return gather.reading()


def _read_cpu_scheme(gather: Gatherer, line: Line) -> None:
    scheme = _ITEM_SCHEMES[fold(line.match.group("scheme"))]
    where = line.match.group("where")
    named: set[str] = set()
    for word in re.split(r",\s*", where.removesuffix(" only")):
        node = _ITEM_PLATFORMS.get(fold(word))
        if node is None:
            gather.report("hardware", word, gather.line_locator(line.number))
            continue
        named.add(node)
        gather.add(_cpu_scheme(gather, line, scheme=scheme, node=node))
    if where.endswith(" only") and named:
        others = _cpu_scheme(gather, line, scheme=scheme, node="cpu", exclude=named)
        gather.add(others)


def _cpu_scheme(
    gather: Gatherer, line: Line, *, scheme: str, node: str, exclude: set[str] | None = None
) -> Finding:
    refused = exclude is not None
    scope = scope_of(
        {Axis.QUANTIZATION: scheme, Axis.HARDWARE: node},
        exclude={Axis.HARDWARE: exclude} if exclude else None,
    )
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("cpu-quantization", scheme, "others" if refused else node),
        status=StatementStatus.UNSUPPORTED if refused else StatementStatus.SUPPORTED,
        raw=line.fragment.strip(),
        locator=gather.line_locator(line.number),
        names={"quantization": line.match.group("scheme"), "hardware": node},
        scope=scope,
        note="the page limits the scheme to the CPUs it names" if refused else "",
    )
