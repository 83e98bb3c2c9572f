"""Small pages and vocabularies for the vLLM source tests, and findings as readable tuples."""

from collections.abc import Iterable, Mapping

from ingest.contract import Finding, Page, Reading
from matrix.domain.aliases import Vocabulary, build_name_table
from matrix.domain.coordinates import NodeSet, Scope

Fact = tuple[str, str, str, str]

# What a vendor's bare name covers where a page says yes.
NVIDIA = "hardware=nvidia-!nvidia-kepler,nvidia-maxwell,nvidia-pascal"
AMD = "hardware=amd-!amd-cdna1,amd-gcn4,amd-gcn5,amd-gfx1102,amd-gfx1103,amd-rdna1,amd-rdna2"
INTEL = (
    "hardware=intel-!intel-arc-arrow-lake,intel-arc-lunar-lake,intel-arc-meteor-lake"
    ",intel-gen9,intel-xe-lp,intel-xe3"
)
ANY_TPU = "hardware=google-tpu-!google-tpu-v3,google-tpu-v7x"


def page_of(text: str, *, path: str, version: str = "0.11.0") -> Page:
    """A vLLM page of that text."""
    return Page(framework="vllm", version=version, release=version, path=path, text=text)


def vocabulary_of(**axes: Mapping[str, str]) -> Vocabulary:
    """A vocabulary from words per axis: ``vocabulary_of(model={"Phi": "phi"})``.

    **Shapes**: a value names one slug, or several separated by blanks.
    """
    return Vocabulary(
        tables={
            axis: build_name_table(axis, ((word, tuple(v.split())) for word, v in words.items()))
            for axis, words in axes.items()
        }
    )


NO_WORDS = vocabulary_of()


def facts(reading: Reading) -> list[Fact]:
    """Each finding as (row or line, column, status, scope)."""
    return [fact_of(finding) for finding in reading.findings]


def fact_of(finding: Finding) -> Fact:
    """One finding as (row or line, column, status, scope)."""
    where = finding.locator.row or f"line {finding.locator.line}"
    return where, finding.locator.column, finding.status.value, scope_text(finding.scope)


def scope_text(scope: Scope | None) -> str:
    """A scope as one line: ``hardware=amd-!amd-gfx942 quantization=awq +lora``."""
    if scope is None:
        return "-"
    parts = [f"{axis.value}={_nodes(nodes)}" for axis, nodes in sorted(scope.nodes.items())]
    parts += [f"{n.value}:{r.minimum}..{r.maximum}" for n, r in sorted(scope.numbers.items())]
    parts += [f"+{feature}" for feature in sorted(scope.features)]
    return " ".join(parts)


def _nodes(nodes: NodeSet) -> str:
    shown = _joined(nodes.include) or "*"
    return f"{shown}-!{_joined(nodes.exclude)}" if nodes.exclude else shown


def _joined(slugs: Iterable[str]) -> str:
    return ",".join(sorted(slugs))


def words_of(reading: Reading) -> list[tuple[str, str]]:
    """The unknown words of a reading as (axis, word)."""
    return [(unknown.axis, unknown.word) for unknown in reading.unknown_words]
