"""The reproducibility checklist in words."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.provenance import Known, Reproducibility
from benchmarks_app.domain.showing import shown_text
from benchmarks_app.pages.words import plain_word

ITEM_WORDS: Mapping[str, Promise] = {
    "model.id": _("model"),
    "quantization.weights": _("quantization of the weights"),
    "framework.name": _("framework"),
    "framework.version": _("version of the framework"),
    "accelerator.name": _("accelerator"),
    "accelerator.count": _("number of accelerators"),
    "load.mode": _("load mode"),
    "load.arrival": _("concurrency or rate"),
    "model.revision": _("revision of the model"),
    "framework.exact": _("commit or image digest of the framework"),
    "accelerator.driver": _("driver"),
    "tool.name": _("measuring tool"),
    "load.input_length": _("input length"),
    "load.output_length": _("output length"),
    "load.amount": _("number of requests or duration"),
    "run.date": _("day of the run"),
    "container.image": _("container image"),
    "container.digest": _("digest of the image"),
    "accelerator.runtime": _("runtime (CUDA, ROCm, CANN …)"),
    "host.os": _("operating system or kernel"),
    "tool.version": _("version of the measuring tool"),
    "tokenizer.id": _("tokenizer"),
    "load.dataset": _("dataset"),
    "load.seed": _("seed"),
    "load.warmup": _("warm-up"),
    "run.timezone": _("time zone of the date"),
    "framework.arguments": _("arguments of the server"),
    "environment.variables": _("environment variables"),
    "client.command": _("command of the client"),
}
KNOWN_WORDS: Mapping[Known, tuple[str, Promise]] = {
    Known.OBSERVED: ("✓", _("observed")),
    Known.DECLARED: ("✎", _("declared")),
    Known.NOT_CAPTURED: ("∅", _("stated as not captured")),
    Known.NOT_APPLICABLE: ("–", _("there is none")),
    Known.MISSING: ("?", _("missing")),
}


@dataclass(frozen=True, slots=True)
class ChecklistRow:
    """One item: what it is, how it stands, what is known, and the grade that asks for it."""

    name: str
    icon: str
    known: str
    known_word: Promise
    value: str
    needed_for: str


def item_word(name: str) -> str:
    """The name of an item; one without a word is shown as it is."""
    return str(ITEM_WORDS.get(name, name))


def checklist_rows(found: Reproducibility) -> list[ChecklistRow]:
    """The checklist as a table shows it."""
    rows = []
    for one in found.checklist:
        icon, word = KNOWN_WORDS[one.known]
        value = "" if one.value is None else shown_text(plain_word(one.value))
        rows.append(
            ChecklistRow(
                name=item_word(one.item.name),
                icon=icon,
                known=one.known.value,
                known_word=word,
                value=value,
                needed_for=one.item.needed_for.value,
            )
        )
    return rows
