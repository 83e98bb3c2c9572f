"""Requirements, quantization pages and release notes of the Gaudi plug-in."""

import re
from collections.abc import Iterable
from dataclasses import replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Item
from ingest.sources.collecting import Collector, facet_of, one_line
from ingest.sources.images import numbered_lines
from ingest.sources.vllm_gaudi.words import BOTH, cards_facet, plain
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, EvidenceKind

_PYTHON = re.compile(r"^Python ([\d.]*\d)\.?$")
_SYSTEM = re.compile(r"^Ubuntu ([\d.]+\d)\b")
_SOFTWARE = re.compile(r"Gaudi software version (\{\{.*?\}\}|[\d.]+\d)")
_CARDS = re.compile(r"Gaudi 2 or (?:Intel Gaudi )?3 AI accelerator")
_BASED = re.compile(r"(?:based on|built on) vLLM v?(\d+\.\d+\.\d+)")
_GAUDI = re.compile(
    r"Gaudi (?:Software )?v(\d+\.\d+\.\d+)(?: and (?:Intel Gaudi Software )?v(\d+\.\d+\.\d+))?"
)
_TORCH = re.compile(r"with PyTorch (\d+\.\d+(?:\.\d+)?)")
_FORK = re.compile(r"vLLM fork.{0,12}?, which reaches end of life with this release")
_HEADING = re.compile(r"^(?:vLLM Gaudi Plugin )?v?(\d+\.\d+\.\d+)(?: Release Notes)?$")
_VERSION = re.compile(r"Version (\d+\.\d+\.\d+) is now available")
_MODELS = re.compile(
    r"the following models (?:supported )?on (Gaudi 3):|models were successfully validated:"
)
_INC = re.compile(r"supports 8-bit floating point \(FP8\) weight and activation quantization")
_INC_MODELS = "quantization is validated only on Llama models"
_BITS = re.compile(r"create a new (4-bit(?: or 8-bit)?) quantized model")
_LIBRARIES: dict[str, dict[str, tuple[str, ...]]] = {
    "autoawq": {"4-bit": ("awq-w4a16",)},
    "gptqmodel": {"4-bit": ("gptq-w4a16",), "4-bit or 8-bit": ("gptq-w4a16", "gptq-w8a16")},
}


def read_requirements(page: Page, vocabulary: Vocabulary) -> Reading:
    """Python, system, cards and Gaudi software that a list of requirements names."""
    collector = Collector(page, vocabulary)
    items = page.document.items_under("requirements")
    for item in items:
        _read_requirement(collector, item)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a list of requirements such as "Python 3.10"',
            nearest="; ".join(item.text[:40] for item in page.document.items[:3]),
        )
    return collector.reading()


def _read_requirement(collector: Collector, item: Item) -> None:
    """Add one requirement; a placeholder holds no value."""
    text = plain(item.text)
    finding = collector.at_line(item.line, text)
    for name, pattern in (("python", _PYTHON), ("ubuntu", _SYSTEM)):
        if match := pattern.search(text):
            _require(collector, finding, name, match.group(1), StatementStatus.PINNED)
    if match := _SOFTWARE.search(text):
        given = match.group(1)
        open_value = "{{" in given
        status = StatementStatus.NOT_STATED if open_value else StatementStatus.REQUIRES
        _require(collector, finding, "gaudi-software", given, status)
    if _CARDS.search(text):
        for word, slug in zip(("Gaudi 2", "Gaudi 3"), BOTH, strict=True):
            place = [cards_facet(word, slug)]
            collector.state("platform-requirements", place, StatementStatus.SUPPORTED, finding)


def _require(
    collector: Collector, finding: Finding, name: str, value: str, status: StatementStatus
) -> None:
    collector.value(
        FindingKind.REQUIREMENT,
        f"requirement/{name}",
        status,
        replace(finding, names={"software": name, name: value}),
        value=value,
    )


def read_inc(page: Page, vocabulary: Vocabulary) -> Reading:
    """FP8 through Intel Neural Compressor on both cards, with the flags it needs."""
    collector = Collector(page, vocabulary)
    only_llama = any(_INC_MODELS in plain(text.text) for text in page.document.paragraphs)
    note = "validated on Llama models only" if only_llama else ""
    quantize = Condition(ConditionKind.FLAG, "--quantization", "=", "inc")
    for text in page.document.paragraphs:
        flat = plain(text.text)
        match = _INC.search(flat)
        if not match:
            continue
        finding = replace(collector.at_line(text.line, match.group(0)), note=note)
        cards = cards_facet("Gaudi 2, Gaudi 3", *BOTH)
        # The names of INC's own scheme and cache type say already that INC has to be chosen.
        for axis, word, slug, flags in (
            (Axis.QUANTIZATION, "INC FP8", "inc-w8a8", ()),
            (Axis.QUANTIZATION, "FP8", "fp8-w8a8", (quantize,)),
            (Axis.KV_DTYPE, "KVCache", "kv-fp8-inc", ()),
        ):
            draft = replace(finding, conditions=flags)
            facets = [facet_of(axis, word, slug), cards]
            collector.state("inc", facets, StatementStatus.SUPPORTED, draft)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="the sentence on FP8 weight and activation quantization",
            nearest=page.document.paragraphs[0].text[:80] if page.document.paragraphs else "",
        )
    return collector.reading()


def read_library(page: Page, vocabulary: Vocabulary) -> Reading:
    """The widths that AutoAWQ's and GPTQModel's pages name."""
    collector = Collector(page, vocabulary)
    library = one_line(page.document.title or page.document.front_matter.get("title", ""))
    known = _LIBRARIES.get(library.casefold().replace("_", ""), {})
    for number, line in numbered_lines(page.document):
        match = _BITS.search(line)
        for slug in known.get(match.group(1), ()) if match else ():
            finding = collector.at_line(number, match.group(0) if match else "")
            facets = [
                facet_of(Axis.QUANTIZATION, library, slug),
                cards_facet("Intel Gaudi", *BOTH),
            ]
            collector.state("library", facets, StatementStatus.SUPPORTED, finding)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a sentence "To create a new 4-bit quantized model, you can use AutoAWQ"',
            nearest=library or "no title",
        )
    return collector.reading()


def read_notes(page: Page, vocabulary: Vocabulary) -> Reading:
    """What each release is based on, and the models that its notes list."""
    collector = Collector(page, vocabulary, evidence=EvidenceKind.RELEASE_NOTE)
    for text in page.document.paragraphs:
        release = _release_at(text.heading)
        flat = plain(text.text)
        if release:
            _read_base(collector, text.line, flat, release)
        if release and (match := _FORK.search(flat)):
            collector.value(
                FindingKind.MAINTENANCE,
                "maintenance/vllm-fork",
                StatementStatus.DEPRECATED,
                replace(
                    collector.at_line(text.line, match.group(0)[:60]),
                    names={"framework": "vLLM fork of HabanaAI"},
                    note="end of life with this release, deprecated in Gaudi software 1.24.0",
                    release=release,
                ),
                value="end-of-life",
            )
        if release and (match := _MODELS.search(flat)):
            _read_models(collector, text.line, text.heading, release, named=bool(match.group(1)))
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a sentence such as "This version is based on vLLM 0.26.0"',
            nearest="; ".join(part.text for part in page.document.headings[:4]),
        )
    return collector.reading()


def _release_at(path: Iterable[str]) -> str:
    """The release that a heading path speaks about."""
    found = [match.group(1) for part in path if (match := _HEADING.match(one_line(part)))]
    return found[-1] if found else ""


def _read_base(collector: Collector, line: int, text: str, release: str) -> None:
    """Add the pairing of a release: vLLM, Gaudi software, PyTorch."""
    software = _GAUDI.search(text)
    vllm = _BASED.search(text)
    if not software or not (vllm or "patch release on top" in text):
        return
    versions = " and ".join(group for group in software.groups() if group)
    torch = _TORCH.search(text)
    names = {"vllm-gaudi": release, "gaudi_software": versions}
    if vllm:
        names["vllm"] = vllm.group(1)
    if torch:
        names["torch"] = torch.group(1)
    collector.value(
        FindingKind.PAIRING,
        f"pairing/release/{release}",
        StatementStatus.SUPPORTED,
        replace(collector.at_line(line, text), names=names, release=release),
        value=", ".join(f"{name} {value}" for name, value in names.items()),
    )
    for name, value in (("gaudi-software", versions), ("torch", torch.group(1) if torch else "")):
        if value:
            collector.value(
                FindingKind.REQUIREMENT,
                f"requirement/{name}/{release}",
                StatementStatus.PINNED,
                replace(
                    collector.at_line(line, text),
                    names={"software": name, name: value},
                    release=release,
                ),
                value=value,
            )


def _read_models(
    collector: Collector, line: int, heading: tuple[str, ...], release: str, *, named: bool
) -> None:
    """Add the models of the list below a line; only some lists name the card."""
    items = [
        item for item in collector.document.items if item.heading == heading and item.line > line
    ]
    after = [text.line for text in collector.document.paragraphs if text.line > line]
    end = min(after, default=1 << 30)
    for item in items:
        if item.line > end:
            break
        finding = collector.at_line(item.line, item.text)
        model = collector.facet(Axis.MODEL, one_line(item.text), finding.locator)
        facets = [model, cards_facet("Gaudi 3", "intel-gaudi3")] if named else [model]
        status = StatementStatus.SUPPORTED if named else StatementStatus.VALIDATED
        collector.state("model-release", facets, status, replace(finding, release=release))


def read_news(page: Page, vocabulary: Vocabulary) -> Reading:
    """The releases that the README announces, with what each was built on."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        text = plain(item.text)
        match = _VERSION.search(text)
        if not match:
            continue
        release = match.group(1)
        finding = collector.at_line(item.line, match.group(0))
        collector.value(
            FindingKind.RELEASE,
            f"release/{release}",
            StatementStatus.RELEASED,
            replace(finding, names={"version": release}, release=release),
            value=text[1:8] if text.startswith("[20") else "",
        )
        _read_base(collector, item.line, text, release)
    return collector.reading()
