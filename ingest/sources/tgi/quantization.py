"""Quantization page and README list: which schemes TGI loads or makes at load time."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.images import numbered_lines, read_images
from ingest.sources.tgi.hardware import IMAGE
from ingest.sources.tgi.words import (
    EXCLUDED,
    EXCLUDED_ELSE,
    FEATURES,
    OTHER_LOADERS,
    SCHEMES,
)
from matrix.domain.levels import Axis, Execution

_OFFERS = re.compile(r"TGI (?:supports|offers) (?!many )([^.]+?) quantization")
_PRE_MADE = re.compile(r"To leverage (.+?) quants, you must provide pre-quantized weights")
_ON_THE_FLY = re.compile(r"Whereas for (.+?), weights are quantized by TGI on the fly")
_FLAG = re.compile(r"--quantize ([\w-]+)")
_README = re.compile(r"^Quantization with (.+)$")
_EXECUTION = {
    "awq": Execution.WEIGHT_ONLY,
    "gptq": Execution.WEIGHT_ONLY,
    "exl2": Execution.WEIGHT_ONLY,
    "marlin": Execution.WEIGHT_ONLY,
    "eetq": Execution.WEIGHT_ONLY,
}


def read_quantization(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of conceptual/quantization.md."""
    collector = Collector(page, vocabulary)
    flat = {text.line: one_line(text.text) for text in page.document.paragraphs}
    made = _words_in(flat, _PRE_MADE)
    fly = _words_in(flat, _ON_THE_FLY)
    for line, text in flat.items():
        for match in _OFFERS.finditer(text):
            for word in _words(match.group(1)):
                note = ""
                if word.lower() in made:
                    note = "needs pre-quantised weights"
                elif word.lower() in fly:
                    note = "weights are quantised while loading"
                _state(collector, line, match.group(0), word, note)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a sentence "TGI supports … quantization"',
            nearest=next(iter(flat.values()), "an empty page")[:100],
        )
    seen: set[str] = set()
    for number, code in numbered_lines(page.document):
        for word in _FLAG.findall(code):
            if word in ("bitsandbytes-nf4", "bitsandbytes-fp4") and word not in seen:
                seen.add(word)
                note = "weights are quantised while loading"
                _state(collector, number, f"--quantize {word}", word, note)
    read_images(collector, IMAGE)
    return collector.reading()


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """The README's lists: quantizations, features, hardware pages."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        text = one_line(item.text)
        if any(parent.startswith("Quantization with") for parent in item.parents):
            _state(collector, item.line, text, text, "")
        elif (match := _README.match(text)) and len(match.group(1)) > 3:
            for word in _words(match.group(1)):
                _state(collector, item.line, f"Quantization with … {word}", word, "")
        elif any(part == "Hardware support" for part in item.heading):
            # The bullets link images and guides; which cards they mean stands elsewhere.
            collector.value(
                FindingKind.VALUE,
                f"hardware-guide/{text.lower()}",
                StatementStatus.SUPPORTED,
                replace(collector.at_line(item.line, text), names={"hardware": text}),
                value=item.links[0].target if item.links else text,
            )
        else:
            _read_feature(collector, item.line, text)
    return collector.reading()


def _read_feature(collector: Collector, line: int, text: str) -> None:
    """Add a bullet of the feature list where it names a feature."""
    for words, slug in FEATURES:
        if text.lower().startswith(words):
            finding = collector.at_line(line, text)
            facet = facet_of(FEATURE, words, slug)
            collector.state("feature", [facet], StatementStatus.SUPPORTED, finding)


def _state(collector: Collector, line: int, raw: str, word: str, note: str) -> None:
    """Add a scheme on NVIDIA cards from the floor of its kernels on, up to Hopper."""
    finding = collector.at_line(line, raw)
    key = word.lower()
    scheme = collector.facet(Axis.QUANTIZATION, word, finding.locator, table=SCHEMES)
    if key in OTHER_LOADERS and scheme.known:
        scheme = replace(scheme, exclude=OTHER_LOADERS[key])
    exclude = EXCLUDED.get(key, EXCLUDED_ELSE)
    place = Facet(Axis.HARDWARE, "NVIDIA", frozenset({"nvidia"}), exclude, key="nvidia")
    collector.state(
        "quantization",
        [scheme, place],
        StatementStatus.SUPPORTED,
        replace(
            finding,
            note=note or "the page names no hardware; taken for NVIDIA cards of its kernels",
            execution=_EXECUTION.get(key, Execution.UNSTATED),
        ),
    )


def _words(text: str) -> list[str]:
    return [word.strip() for word in re.split(r", | and | & ", text) if word.strip()]


def _words_in(texts: dict[int, str], pattern: re.Pattern[str]) -> frozenset[str]:
    """The words that a sentence of the page lists, in lower case."""
    found = (match for text in texts.values() if (match := pattern.search(text)))
    return frozenset(word.lower() for match in found for word in _words(match.group(1)))
