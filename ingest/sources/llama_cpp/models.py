"""The README's list of model families, and how a model's name is looked up."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ingest.contract import Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Item, Link, fold_label
from ingest.sources.collecting import Collector, Facet
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

# Spellings that stand on the project's pages only, and the usual one.
_SPELLINGS: Mapping[str, str] = {
    "internllm2": "InternLM2",
    "mistral moe": "Mixtral MoE",
    "vigogne(french)": "Vigogne (French)",
    "chinese llama/alpaca": "Chinese LLaMA / Alpaca",
    "llama3.2": "Llama 3.2",
    "rwkv v7": "RWKV-7",
    "phi1": "phi-1",
    "phi2": "phi-2",
    "baichuan": "Baichuan 1 & 2",
}
_PICTURES = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf]+")
_GENERIC = re.compile(r"\s+models?$", re.IGNORECASE)
_JOINTS = re.compile(r"\s+\+\s+|\s+and\s+|,\s+")


def read_model_list(page: Page, vocabulary: Vocabulary) -> Reading:
    """One statement a ticked entry; a README without the list has none.

    The list does not claim to be complete: finetunes of what it names are said to work too.
    """
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        if item.checked is not None:
            _state(collector, item)
    return collector.reading()


def _state(collector: Collector, item: Item) -> None:
    draft = collector.at_line(item.line, item.text)
    facet = model_facet(collector, item.text, draft.locator, links=item.links)
    status = StatementStatus.SUPPORTED if item.checked else StatementStatus.NOT_STATED
    collector.state("model-list", [facet], status, replace(draft, names={"model": item.text}))


def model_facet(
    collector: Collector, text: str, at: Locator, *, links: Sequence[Link] = ()
) -> Facet:
    """The catalogue's models of a name: of the whole, else of every part of it.

    A name whose parts are not all known stays unknown; half a meaning would be a wrong one.
    """
    whole = _find(collector.vocabulary, text)
    if not whole:
        parts = [link.text for link in links] or [p for p in _JOINTS.split(text) if p]
        found = [_find(collector.vocabulary, part) for part in parts if part != "derivations"]
        if found and all(found):
            whole = frozenset().union(*found)
    if not whole:
        collector.miss(Axis.MODEL, text, at)
    return Facet(axis=Axis.MODEL, word=text, slugs=whole, key=fold_label(_plain(text)))


def _find(vocabulary: Vocabulary, text: str) -> frozenset[str]:
    for name in _spellings(text):
        slugs = vocabulary.find(Axis.MODEL.value, name)
        if slugs:
            return frozenset(slugs)
    return frozenset()


def _spellings(text: str) -> Iterable[str]:
    plain = _plain(text)
    yield text
    yield plain
    short = _GENERIC.sub("", plain)
    yield short
    for name in (plain, short):
        if fold_label(name) in _SPELLINGS:
            yield _SPELLINGS[fold_label(name)]


def _plain(text: str) -> str:
    return " ".join(_PICTURES.sub("", text).split())
