"""Kept pages are read again where a parser, a word or a release is newer than their reading."""

from collections.abc import Callable, Iterable
from datetime import datetime

from ingest.contract import Source
from ingest.models import PageRecord, RuleRecord
from ingest.services.outcomes import fingerprint_of, matching_rules
from ingest.services.reviewing import reread_places
from ingest.services.settling import NOTHING_SETTLED, Settlement
from ingest.services.taking import RuleName, load_whole_catalogue
from ingest.sources import SOURCES
from matrix.domain.catalogue import Catalogue

# Framework and version, with the rules to read again.
Places = dict[tuple[str, str], set[RuleName]]


def _silent(_: str) -> None:
    """Takes a line of progress and shows it to nobody."""


def reparse(
    *,
    actor: str,
    now: datetime,
    sources: Iterable[Source] = SOURCES,
    progress: Callable[[str], None] = _silent,
) -> Settlement:
    """Reads every kept page again that its rules would read with newer eyes, version by version.

    What that changes is settled by the policy of the page's feed, as if the page had come anew.
    **Raises**: ``InvalidClaim``; the versions before it are settled then.
    """
    catalogue = load_whole_catalogue()
    places = outdated_places(list(sources), catalogue)
    settled = NOTHING_SETTLED
    for number, (place, rules) in enumerate(sorted(places.items()), 1):
        progress(f"[{number}/{len(places)}] {' '.join(place)}: {len(rules)} rules")
        settled += reread_places({place: rules}, actor=actor, now=now, catalogue=catalogue)
    return settled


def outdated_places(sources: list[Source], catalogue: Catalogue) -> Places:
    """Rules and versions whose last reading is older than parser, words or releases.

    **Queries**: 2 for each framework.
    """
    places: Places = {}
    for framework in sorted({source.framework for source in sources}):
        own = [source for source in sources if source.framework == framework]
        fingerprint = fingerprint_of(catalogue, framework)
        read = {
            (version, path, source, rule): (parser, snapshot, words)
            for version, path, source, rule, parser, snapshot, words in RuleRecord.objects.filter(
                page__framework=framework
            ).values_list(
                "page__version",
                "page__path",
                "source",
                "rule",
                "parser",
                "snapshot_sha256",
                "fingerprint",
            )
        }
        pages = PageRecord.objects.filter(framework=framework, snapshot__isnull=False)
        for version, path, sha256 in pages.values_list("version", "path", "snapshot_id"):
            for source, rule, parser in matching_rules(own, path):
                if read.get((version, path, source, rule)) != (parser, sha256, fingerprint):
                    places.setdefault((framework, version), set()).add((source, rule))
    return places
