"""The figures of a candidate as sentences: memory, objectives, throughput, cost, effort."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matrix.domain.catalogue import Catalogue
from matrix.domain.dossiers import Effort
from matrix.domain.memory.values import Fit, FitLevel, MemoryEstimate, Part
from matrix.domain.pinned import PinnedCost, PinnedMemory, PinnedThroughput, SloCheck
from matrix.domain.scorecard import Outcome
from matrix.pages.dossiers.words import (
    MARK_WORDS,
    OUTCOME_SIGNS,
    metric_value,
    number,
    share,
    split_metric,
    why_word,
)
from matrix.pages.memory import FitSummary, fit_summary
from matrix.pages.memory_words import (
    CERTAINTY_WORDS,
    FIT_SIGNS,
    PART_WORDS,
    FitSign,
    exact_text,
    named_facts,
    range_text,
    size_text,
    warning_sentence,
)
from matrix.pages.translated import in_words
from matrix.pages.words import Sign


@dataclass(frozen=True, slots=True)
class PartLine:
    """One part of a memory estimate over all devices."""

    word: Promise
    size: str
    exact: str
    certainty: Promise
    source: str


@dataclass(frozen=True, slots=True)
class FitView:
    """The memory estimate in words. ``lines`` say for what it holds and what is left.

    ``picture`` is the bar of the memory pages; ``None`` where nothing was estimated.
    """

    sign: FitSign
    short: str
    lines: Sequence[str]
    parts: Sequence[PartLine]
    warnings: Sequence[str]
    picture: FitSummary | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """One objective with what was measured."""

    sign: Sign
    sentence: str
    run: str = ""


def fit_view(memory: PinnedMemory, *, catalogue: Catalogue) -> FitView:
    """The view of an estimate; without one it says why."""
    parts = [_part_line(part) for part in memory.parts]
    warnings = [
        warning_sentence(code, named_facts(catalogue, facts)) for code, facts in memory.warnings
    ]
    fit = memory.fit
    if fit is None or memory.share is None:
        reason = in_words(memory.detail) or why_word(memory.why_unknown or "unknown")
        return FitView(FIT_SIGNS[FitLevel.UNKNOWN], reason, (), parts, warnings)
    return FitView(
        sign=FIT_SIGNS[fit.level],
        short=_short(fit),
        lines=[*_for_what(memory), *_largest(fit)],
        parts=parts,
        warnings=warnings,
        # The picture reads the share and the fit, which a pinned estimate has like a fresh one.
        picture=fit_summary(cast(MemoryEstimate, memory)),
    )


def _short(fit: Fit) -> str:
    if fit.needed_low_bytes is None:
        return ""
    words = {"needed": range_text(fit.needed_low_bytes, fit.needed_high_bytes)}
    if fit.usable_bytes is None:
        return _("%(needed)s a device") % words
    return _("%(needed)s of %(usable)s a device") % {
        **words, "usable": size_text(fit.usable_bytes),
    }  # fmt: skip


def _for_what(memory: PinnedMemory) -> list[str]:
    if memory.context_tokens is None or memory.sequences is None:
        return []
    words = {"context": number(memory.context_tokens), "sequences": number(memory.sequences)}
    lines = [_("for %(sequences)s sequences of %(context)s tokens") % words]
    if memory.devices:
        text = ngettext("on %(n)d device", "on %(n)d devices", memory.devices)
        lines.append(text % {"n": memory.devices})
    return lines


def _largest(fit: Fit) -> list[str]:
    lines = []
    if fit.largest_sequences is not None:
        lines.append(_("at most %(n)s sequences fit") % {"n": number(fit.largest_sequences)})
    if fit.largest_context_tokens is not None:
        lines.append(_("at most %(n)s tokens fit") % {"n": number(fit.largest_context_tokens)})
    if fit.devices_needed:
        text = ngettext("needs %(n)d device", "needs %(n)d devices", fit.devices_needed)
        lines.append(text % {"n": fit.devices_needed})
    return lines


def _part_line(part: Part) -> PartLine:
    size = range_text(part.low_bytes, part.high_bytes)
    if part.low_bytes is None and part.high_bytes is None:
        size = size_text(part.bytes_)
    if part.bytes_ is None and part.why_unknown:
        size = why_word(part.why_unknown)
    return PartLine(
        word=PART_WORDS[part.kind],
        size=size,
        exact=exact_text(part.bytes_),
        certainty=CERTAINTY_WORDS[part.certainty],
        source=in_words(part.source),
    )


def slo_lines(checks: Sequence[SloCheck]) -> list[Measured]:
    """Each objective with its measured value; one without stays open."""
    return [_slo_line(check) for check in checks]


def _slo_line(check: SloCheck) -> Measured:
    what, _unit = split_metric(check.metric)
    words = {"what": what, "limit": metric_value(check.metric, check.limit)}
    if check.value is None or check.passes is None:
        sentence = _("%(what)s: not measured; the objective is %(limit)s") % words
        return Measured(OUTCOME_SIGNS[Outcome.OPEN], sentence, check.run)
    words["value"] = metric_value(check.metric, check.value)
    sign = OUTCOME_SIGNS[Outcome.PASS if check.passes else Outcome.FAIL]
    return Measured(sign, _("%(what)s: %(value)s; the objective is %(limit)s") % words, check.run)


def throughput_lines(found: PinnedThroughput) -> list[str]:
    """What was reached at the objectives, or why that is not known."""
    if found.why_unknown or (found.output_tok_s is None and found.goodput_req_s is None):
        return [_("unknown: %(why)s") % {"why": why_word(found.why_unknown or "no-run")}]
    lines = []
    if found.output_tok_s is not None:
        lines.append(_("%(n)s output tokens a second") % {"n": number(found.output_tok_s)})
    if found.low_output_tok_s is not None and found.high_output_tok_s is not None:
        words = {"low": number(found.low_output_tok_s), "high": number(found.high_output_tok_s)}
        of_runs = found.interval_of == "runs"
        template = (
            _("between %(low)s and %(high)s over runs")
            if of_runs
            else _("between %(low)s and %(high)s over requests")
        )
        lines.append(template % words)
    if found.goodput_req_s is not None:
        lines.append(_("%(n)s good requests a second") % {"n": number(found.goodput_req_s)})
    if found.attained_share is not None:
        words = {"share": share(found.attained_share)}
        lines.append(_("%(share)s of the requests within the objectives") % words)
    return [*lines, *mark_lines(found.marks)]


def mark_lines(marks: Sequence[str]) -> list[str]:
    """What has to be said beside a figure; an unlisted mark as it is written."""
    return [str(MARK_WORDS.get(mark, mark.replace("-", " "))) for mark in marks]


def cost_lines(cost: PinnedCost) -> list[str]:
    """The cost per million tokens with its interval and price, or why it is not known."""
    if cost.why_unknown or not cost.output:
        return [_("unknown: %(why)s") % {"why": why_word(cost.why_unknown or "no-run")}]
    words = {"amount": cost.output, "currency": cost.currency}
    lines = [_("%(amount)s %(currency)s per million output tokens") % words]
    if cost.output_low and cost.output_high and cost.output_low != cost.output_high:
        interval = {"low": cost.output_low, "high": cost.output_high, "currency": cost.currency}
        lines.append(_("between %(low)s and %(high)s %(currency)s") % interval)
    if cost.total:
        words = {"amount": cost.total, "currency": cost.currency}
        lines.append(_("%(amount)s %(currency)s per million tokens of input and output") % words)
    if cost.price_per_hour and cost.price_effective_on:
        price = {
            "amount": cost.price_per_hour,
            "currency": cost.currency,
            "day": cost.price_effective_on.isoformat(),
        }
        lines.append(_("at %(amount)s %(currency)s an hour, a price of %(day)s") % price)
    # Frozen content may say of the price alone that it is a demonstration.
    told = "demonstration-price" in cost.marks or not cost.price_is_demonstration
    return [*lines, *mark_lines([*cost.marks, *([] if told else ["demonstration-price"])])]


def effort_lines(effort: Effort) -> list[tuple[str, str]]:
    """What people stated about engineering cost; what was not stated says so."""
    stated: list[tuple[str, float | int | None]] = [
        (_("conversion steps"), effort.conversion_steps),
        (_("image rebuilds a release"), effort.image_rebuilds_per_release),
        (_("person-days to adopt"), effort.person_days_to_adopt),
        (_("person-days a quarter"), effort.person_days_per_quarter),
    ]
    return [
        (word, number(value) if value is not None else str(_("not stated")))
        for word, value in stated
    ]
