"""What the V1 guide says beside its tables: V0's end, architectures without V1, plug-ins."""

import re

from ingest.contract import Finding, FindingKind, StatementStatus
from ingest.reading.document import Item, Paragraph
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import FRAGMENT_LENGTH, Gatherer, find_lines
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind

_V0_DEPRECATION = re.compile(r"We have (?:started the process of deprecating|fully deprecated) V0")
_ARCHITECTURE = re.compile(r"`(\w+(?:ForCausalLM|ForConditionalGeneration|Model))`")
_REFUSED = re.compile(r"are (?:not yet|no longer) supported|not yet supported")
_NO_PREFIX_CACHE = re.compile(r"prefix caching is not yet supported")
_NGRAM_ONLY = re.compile(r"only ngram-based spec decode is supported in V1")
_PLUGIN = re.compile(r"^(vllm-[a-z0-9-]+)$")
_PLUGIN_HARDWARE: dict[str, str] = {
    "vllm-ascend": "ascend",
    "vllm-spyre": "ibm-spyre",
    "vllm-gaudi": "intel-gaudi",
}


def read_engine_prose(gather: Gatherer, *, engine: tuple[str, ...]) -> list[Finding]:
    """Findings of the guide's prose; ``engine`` is the feature that restricts them to V1."""
    found = _v0_deprecation(gather)
    found += _encoder_decoder(gather, engine=engine)
    found += _mamba(gather, engine=engine)
    found += _ngram_only(gather, engine=engine)
    found += _plugins(gather)
    return found


def _v0_deprecation(gather: Gatherer) -> list[Finding]:
    return [
        Finding(
            kind=FindingKind.MAINTENANCE,
            statement=statement_key("maintenance", "engine-v0"),
            status=StatementStatus.DEPRECATED,
            raw=line.fragment,
            locator=gather.line_locator(line.number),
            names={"component": "V0 engine"},
            value="fully" if "fully" in line.text else "started",
        )
        for line in find_lines(gather.document, _V0_DEPRECATION)
    ]


def _section(gather: Gatherer, heading: str) -> list[Paragraph]:
    own = heading.lower()
    paragraphs = gather.document.paragraphs
    return [p for p in paragraphs if p.heading and p.heading[-1].lower() == own]


def _encoder_decoder(gather: Gatherer, *, engine: tuple[str, ...]) -> list[Finding]:
    """Architectures named as not (or no longer) supported, each a finding of its own."""
    found = []
    for paragraph in _section(gather, "Encoder-Decoder Models"):
        if not _REFUSED.search(" ".join(paragraph.text.split())):
            continue
        for word in _ARCHITECTURE.findall(paragraph.raw):
            locator = gather.line_locator(_line_of(gather, word, paragraph.line))
            models = gather.find("model", word, locator)
            gone = "no longer" in paragraph.text
            found.append(
                Finding(
                    kind=FindingKind.COMPATIBILITY,
                    statement=statement_key("engine-v1-model", models or word.lower()),
                    status=StatementStatus.REMOVED if gone else StatementStatus.UNSUPPORTED,
                    raw=word,
                    locator=locator,
                    names={"architecture": word},
                    scope=scope_of({Axis.MODEL: models}, features=engine) if models else None,
                    note="encoder-decoder models other than Whisper are not in V1",
                )
            )
    return found


def _mamba(gather: Gatherer, *, engine: tuple[str, ...]) -> list[Finding]:
    """State-space architectures named as supported, and prefix caching refused for them."""
    words: list[tuple[str, int]] = []
    paragraphs = _section(gather, "Mamba Models")
    for paragraph in paragraphs:
        if re.search(r"\b(?:are|is) (?:also )?supported", paragraph.text):
            for word in _ARCHITECTURE.findall(paragraph.raw):
                words.append((word, _line_of(gather, word, paragraph.line)))
    refusal = find_lines(gather.document, _NO_PREFIX_CACHE)
    found = []
    for word, number in words:
        locator = gather.line_locator(number)
        models = gather.find("model", word, locator)
        found.append(
            Finding(
                kind=FindingKind.COMPATIBILITY,
                statement=statement_key("engine-v1-model", models or word.lower()),
                status=StatementStatus.SUPPORTED,
                raw=word,
                locator=locator,
                names={"architecture": word},
                scope=scope_of({Axis.MODEL: models}, features=engine) if models else None,
            )
        )
        if refusal and models:
            found.append(
                Finding(
                    kind=FindingKind.COMPATIBILITY,
                    statement=statement_key("engine-v1-prefix-caching", models),
                    status=StatementStatus.UNSUPPORTED,
                    raw=refusal[0].fragment,
                    locator=gather.line_locator(refusal[0].number),
                    names={"architecture": word, "feature": "prefix caching"},
                    scope=scope_of({Axis.MODEL: models}, features=(*engine, "prefix-caching")),
                    note="prefix caching is not yet there for state-space models",
                )
            )
    return found


def _ngram_only(gather: Gatherer, *, engine: tuple[str, ...]) -> list[Finding]:
    return [
        Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key("engine-v1-speculation", "ngram"),
            status=StatementStatus.PARTIAL,
            raw=line.fragment,
            locator=gather.line_locator(line.number),
            names={"item": "Spec Decode"},
            scope=scope_of(features=(*engine, "speculative-decoding")),
            note="V1 has n-gram speculation only",
        )
        for line in find_lines(gather.document, _NGRAM_ONLY)
    ]


def _plugins(gather: Gatherer) -> list[Finding]:
    """Hardware that the guide leaves to plug-ins."""
    found = []
    for item in gather.document.items:
        match = _PLUGIN.match(item.text)
        if match:
            found.append(_plugin(gather, item, name=match.group(1)))
    return found


def _plugin(gather: Gatherer, item: Item, *, name: str) -> Finding:
    hardware = _PLUGIN_HARDWARE.get(name)
    link = item.links[0].target if item.links else ""
    return Finding(
        kind=FindingKind.COMPATIBILITY if hardware else FindingKind.PAIRING,
        statement=statement_key("hardware-plugin", hardware or name),
        status=StatementStatus.VIA_PLUGIN,
        raw=item.text[:FRAGMENT_LENGTH],
        locator=gather.line_locator(item.line),
        names={"plugin": name},
        scope=scope_of({Axis.HARDWARE: hardware}) if hardware else None,
        conditions=(Condition(kind=ConditionKind.PLUGIN, name=name, link=link),),
        note=f"outside the main repository, by the plug-in {name}",
        links=(link,) if link else (),
    )


def _line_of(gather: Gatherer, word: str, start: int) -> int:
    """The line at or after ``start`` that holds the word."""
    lines = gather.document.source_lines
    for number in range(start, min(start + 12, len(lines)) + 1):
        if word in lines[number - 1]:
            return number
    return start
