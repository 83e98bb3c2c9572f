"""Quantized KV cache: which FP8 formats run on which vendor's GPUs.

**Source**: docs "Quantized KV Cache" (0.7 on).
"""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer, Line, find_lines
from ingest.sources.vllm.words import AMD_WITH_FP8, families_below
from matrix.domain.levels import Axis

_FORMATS = re.compile(
    r"`(?:kv_cache_dtype=)?\"(?P<first>fp8\w*)\"`(?: or `\"(?P<second>fp8\w*)\"`)?:"
    r" Supported on (?P<where>CUDA.*)$"
)
_PER_HEAD = re.compile(r"Per-attention-head quantization is currently available")
_PER_TENSOR = re.compile(r"only per-tensor \(scalar\) scaling factors are supported")

_CUDA = re.compile(r"CUDA ([\d.]+)\+")
# The page names toolkits, not cards: cards older than Ampere, and AMD generations without FP8
# units, are left open.
_BELOW_AMPERE = families_below(8.0)
_CARDS: dict[str, tuple[str, ...]] = {"amd": AMD_WITH_FP8}

_NODES: dict[str, str] = {
    "fp8": "kv-fp8-e4m3",
    "fp8_e4m3": "kv-fp8-e4m3",
    "fp8_e5m2": "kv-fp8-e5m2",
}


def read_kv_cache(page: Page, vocabulary: Vocabulary) -> Reading:
    """Which KV-cache data types the page states for CUDA and ROCm.

    **Raises**: ``UnexpectedPage`` when no format is said to be supported anywhere.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _FORMATS)
    if not lines:
        raise gather.unexpected(expected="lines such as “fp8_e4m3: Supported on CUDA …”")
    for line in lines:
        _read_format(gather, line)
    for pattern, name, note in (
        (_PER_HEAD, "per head", "per-head scales need FlashAttention and llm-compressor"),
        (_PER_TENSOR, "per tensor", "per-tensor scales only"),
    ):
        for line in find_lines(gather.document, pattern):
            gather.add(
                Finding(
                    kind=FindingKind.REQUIREMENT,
                    statement=statement_key("kv-cache-scales", name.replace(" ", "-")),
                    status=StatementStatus.REQUIRES,
                    raw=line.fragment,
                    locator=gather.line_locator(line.number),
                    names={"quantization": "FP8 KV cache", "scales": name},
                    note=note,
                )
            )
    return gather.reading()


def _read_format(gather: Gatherer, line: Line) -> None:
    words = [word for word in line.match.group("first", "second") if word]
    where = line.match.group("where")
    cuda = _CUDA.search(where)
    note = f"with CUDA {cuda.group(1)} or newer" if cuda else ""
    vendors = ["nvidia", *(["amd"] if "ROCm" in where else [])]
    slugs = dict.fromkeys(_NODES[word] for word in words if word in _NODES)
    for word in words:
        if word not in _NODES:
            gather.report("quantization", word, gather.line_locator(line.number))
    # The bare word "fp8" is what people ask with; on CUDA both formats stand behind it.
    pairs = [("kv-fp8", "nvidia")] if "fp8" in words else []
    pairs += [(slug, vendor) for slug in slugs for vendor in vendors]
    for slug, vendor in pairs:
        gather.add(
            Finding(
                kind=FindingKind.COMPATIBILITY,
                statement=statement_key("kv-cache-hardware", slug, vendor),
                status=StatementStatus.SUPPORTED,
                raw=line.fragment,
                locator=gather.line_locator(line.number),
                names={"quantization": words[-1], "hardware": vendor},
                scope=scope_of(
                    {Axis.KV_DTYPE: slug, Axis.HARDWARE: _CARDS.get(vendor, vendor)},
                    exclude={Axis.HARDWARE: _BELOW_AMPERE if vendor == "nvidia" else ()},
                ),
                value=where,
                note=note if vendor == "nvidia" else "",
            )
        )
