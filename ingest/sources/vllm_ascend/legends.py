"""Legends: one finding for each line, and an alarm where a sign has come to mean something else."""

import re
from collections.abc import Mapping
from dataclasses import replace

from ingest.contract import FindingKind, StatementStatus, UnexpectedPage
from ingest.reading.document import fold_label
from ingest.sources.collecting import Collector, one_line

MODEL_LEGEND = {
    "✅": "supported model/feature",
    "🔵": "experimental supported model/feature",
    "❌": "not supported model/feature",
    "🟡": "not tested or verified",
}
PAIR_LEGEND = {
    "✅": "full compatibility",
    "🟠": "partial compatibility",
    "❌": "no compatibility",
    "❔": "unknown or tbd",
}
FEATURE_LEGEND = {
    "🟢": "functional",
    "🔵": "experimental",
    "🚧": "wip",
    "🟡": "planned",
    "🔴": "no plan/deprecated",
}
_LINE = re.compile(r"^([^\w\s])\ufe0f?\s*(?:=\s*)?([^:]+?)(?:\s*:\s*.+)?$")


def read_legend(collector: Collector, area: str, known: Mapping[str, str]) -> int:
    """How many legend lines the page has; each becomes a finding.

    **Raises**: ``UnexpectedPage`` for a sign that means something else than it did.
    """
    found = 0
    for item in collector.document.items:
        match = _LINE.match(one_line(item.text))
        if not match or match.group(1) not in known:
            continue
        sign, meaning = match.groups()
        if fold_label(meaning).replace(" / ", "/") != known[sign]:
            raise UnexpectedPage(
                path=collector.page.path,
                expected=f"the legend line {sign} = {known[sign]}",
                nearest=one_line(item.text)[:80],
            )
        found += 1
        collector.value(
            FindingKind.LEGEND,
            f"legend/{area}/{sign}",
            StatementStatus.LEGEND,
            replace(collector.at_line(item.line, item.text), names={"sign": sign}),
            value=meaning,
        )
    return found
