"""Speculative decoding, disaggregation and batch invariance: what their pages exclude or require.

**Source**: docs pages ``spec_decode`` (later ``speculative_decoding/README``), ``disagg_prefill``
and ``batch_invariance``.
"""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer, Line, find_lines
from ingest.sources.vllm.words import NVIDIA_ARCHITECTURES, families_below, nodes_in_capabilities
from matrix.domain.levels import Axis, Limit, Tier

_NO_PIPELINE = re.compile(
    r"speculative decoding in vLLM is not compatible with pipeline parallelism"
    r"|Pipeline parallelism is not compos[ai]ble with speculative decoding"
    r"(?: as of `vllm<=(?P<until>\d[\d.]*)`)?"
)
_NO_DRAFT = re.compile(
    r"In vllm v(?P<at>\d[\d.]*), speculative decoding with a draft model is not supported"
    r"|Speculative decoding with (?:a )?draft models is not supported in"
    r" `vllm<=(?P<until>\d[\d.]*)`"
)
_EXPERIMENTS = (
    (re.compile(r"This feature is experimental and subject to change"), "disaggregated-prefill"),
    (re.compile(r"experimental support for Vision Language Models"), "multimodal-image"),
)
_INVARIANCE = re.compile(
    r"(?:Batch invariance (?:currently )?requires )?NVIDIA GPUs with compute capability"
    r" (?P<floor>\d+\.\d) or higher"
)
_INVARIANCE_AMD = re.compile(r"AMD Instinct GPUs \((?P<targets>gfx[\w, ]+)\)")


def read_speculation_limits(page: Page, vocabulary: Vocabulary) -> Reading:
    """What speculative decoding excludes; newer pages date the exclusion by a release.

    **Raises**: ``UnexpectedPage`` when the page excludes nothing.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _NO_PIPELINE)
    if not lines and not find_lines(gather.document, re.compile("MLP speculators|n-gram", re.I)):
        raise gather.unexpected(expected="a sentence on pipeline parallelism or a method")
    for line in lines:
        gather.add(
            _excluded(
                gather,
                line,
                features=("speculative-decoding", "pipeline-parallel"),
                release=line.match.group("until") or "",
                note="speculation and pipeline parallelism exclude each other",
            )
        )
    for line in find_lines(gather.document, _NO_DRAFT):
        gather.add(
            _excluded(
                gather,
                line,
                features=("draft-model",),
                release=line.match.group("at") or line.match.group("until"),
                note="no speculation with a separate draft model",
            )
        )
    return gather.reading()


def _excluded(
    gather: Gatherer, line: Line, *, features: tuple[str, ...], release: str, note: str
) -> Finding:
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("decoding", features),
        status=StatementStatus.UNSUPPORTED,
        raw=line.fragment,
        locator=gather.line_locator(line.number),
        names={"feature": features[0], "with": features[-1]},
        scope=scope_of(features=features),
        limit=Limit.FRAMEWORK,
        note=note,
        release=release,
        value=release,
    )


def read_experiments(page: Page, vocabulary: Vocabulary) -> Reading:
    """A feature that its own page calls experimental; a page that no longer does states nothing."""
    gather = Gatherer(page=page, vocabulary=vocabulary)
    for pattern, feature in _EXPERIMENTS:
        for line in find_lines(gather.document, pattern):
            gather.add(
                Finding(
                    kind=FindingKind.COMPATIBILITY,
                    statement=statement_key("feature", feature),
                    status=StatementStatus.EXPERIMENTAL,
                    raw=line.fragment,
                    locator=gather.line_locator(line.number),
                    names={"feature": feature},
                    scope=scope_of(features=feature),
                    tier=Tier.EXPERIMENTAL,
                )
            )
    return gather.reading()


def read_batch_invariance(page: Page, vocabulary: Vocabulary) -> Reading:
    """The hardware that batch invariance requires.

    **Raises**: ``UnexpectedPage`` when the page states no compute capability.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _INVARIANCE)
    if not lines:
        raise gather.unexpected(expected="“NVIDIA GPUs with compute capability N.N or higher”")
    for line in lines:
        _read_invariance(gather, line)
    for line in find_lines(gather.document, _INVARIANCE_AMD):
        locator = gather.line_locator(line.number)
        for target in re.split(r",\s*", line.match.group("targets")):
            nodes = gather.find("hardware", target, locator)
            gather.add(_invariance(gather, line, nodes=nodes, key=target, yes=True))
    return gather.reading()


def _read_invariance(gather: Gatherer, line: Line) -> None:
    floor = float(line.match.group("floor"))
    above = {node for _, node, value in NVIDIA_ARCHITECTURES if value >= floor}
    nodes = nodes_in_capabilities(above)
    gather.add(_invariance(gather, line, nodes=nodes, key="nvidia-from-floor", yes=True))
    below = frozenset(families_below(floor))
    gather.add(_invariance(gather, line, nodes=below, key="nvidia-below-floor", yes=False))


def _invariance(
    gather: Gatherer, line: Line, *, nodes: frozenset[str], key: str, yes: bool
) -> Finding:
    known = gather.vocabulary.find("feature", "batch invariance")
    scope = scope_of({Axis.HARDWARE: nodes}, features=known) if known and nodes else None
    return Finding(
        kind=FindingKind.COMPATIBILITY if known else FindingKind.VALUE,
        statement=statement_key("batch-invariance", key),
        status=StatementStatus.SUPPORTED if yes else StatementStatus.UNSUPPORTED,
        raw=line.fragment,
        locator=gather.line_locator(line.number),
        names={"feature": "batch invariance", "hardware": key},
        scope=scope,
        limit=None if yes else Limit.HARDWARE,
        note="" if yes else "below the stated compute capability",
    )
