"""The need of a dossier as lines for readers; what is not stated is left out and counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from matrix.domain.catalogue import Catalogue
from matrix.domain.need import HardwareOnHand, Need, Objectives, Workload
from matrix.pages.dossiers.words import number, share
from matrix.pages.links import node_name

Pairs = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class NeedView:
    """The need in groups of (word, value); ``is_empty`` where nothing was stated."""

    purpose: str
    groups: Sequence[tuple[str, Pairs]]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was stated."""
        return not self.purpose and not self.groups


def need_view(need: Need, *, catalogue: Catalogue) -> NeedView:
    """The view of a need."""
    groups = [
        (_("Workload"), _workload(need.workload)),
        (_("Objectives"), _objectives(need.objectives)),
        (_("What is to run, on what"), _subject(need, catalogue)),
        (_("Operating limits"), _limits(need)),
    ]
    return NeedView(need.purpose, [(word, pairs) for word, pairs in groups if pairs])


def _workload(load: Workload) -> Pairs:
    pairs: Pairs = []
    sides: Mapping[str, tuple[str, int | None, int | None]] = {
        "input": (_("input"), load.input_tokens_p50, load.input_tokens_p95),
        "output": (_("output"), load.output_tokens_p50, load.output_tokens_p95),
    }
    for word, middle, high in sides.values():
        said = []
        if middle is not None:
            said.append(_("%(n)s tokens in the middle (P50)") % {"n": number(middle)})
        if high is not None:
            said.append(_("%(n)s tokens at P95") % {"n": number(high)})
        if said:
            pairs.append((word, ", ".join(said)))
    if load.concurrency is not None:
        pairs.append((_("in flight"), _("%(n)s requests") % {"n": number(load.concurrency)}))
    if load.request_rate_req_s is not None:
        words = {"n": number(load.request_rate_req_s)}
        pairs.append((_("arrivals"), _("%(n)s requests a second on average") % words))
    if load.peak_factor is not None:
        words = {"factor": number(load.peak_factor)}
        peak = _("%(factor)s times the average") % words
        if load.peak_rate_req_s is not None:
            words["n"] = number(load.peak_rate_req_s)
            peak = _("%(factor)s times the average, %(n)s requests a second") % words
        pairs.append((_("peak"), peak))
    return pairs


def _objectives(asked: Objectives) -> Pairs:
    latencies = (
        (_("time to first token"), asked.ttft_ms),
        (_("time per output token"), asked.tpot_ms),
        (_("end-to-end latency"), asked.e2el_ms),
    )
    pairs = [
        (word, _("at most %(n)s ms") % {"n": number(value)})
        for word, value in latencies
        if value is not None
    ]
    if pairs:
        words = {"share": share(asked.share)}
        pairs.append((_("share"), _("%(share)s of the requests meet all of them") % words))
    if asked.error_rate is not None:
        words = {"share": share(asked.error_rate)}
        pairs.append((_("errors"), _("at most %(share)s of the requests") % words))
    return pairs


def _subject(need: Need, catalogue: Catalogue) -> Pairs:
    def names(axis: str, slugs: Sequence[str]) -> str:
        return ", ".join(node_name(catalogue, axis, slug) for slug in slugs)

    pairs = [
        (_("models"), names("model", need.models)),
        (_("precision"), need.precision),
        (_("hardware on hand"), ", ".join(_devices(item, catalogue) for item in need.hardware)),
        (_("required features"), names("feature", need.required_features)),
        (_("currency"), need.currency),
    ]
    return [(word, value) for word, value in pairs if value]


def _devices(item: HardwareOnHand, catalogue: Catalogue) -> str:
    name = node_name(catalogue, "hardware", item.hardware)
    return name if item.count is None else f"{item.count} × {name}"


def _limits(need: Need) -> Pairs:
    limits = need.limits
    pairs = [
        (_("on call"), limits.on_call),
        (_("images"), limits.images),
        (_("languages"), limits.languages),
        (_("team"), limits.team),
        (_("other"), limits.other),
    ]
    return [(word, value) for word, value in pairs if value]
