"""The captured pages of whole frameworks: read twice, the record stays as it is."""

from dataclasses import replace

import pytest

from ingest.captures import read_captures
from ingest.domain.derive import claims_from, collect_sightings, coverage_of
from ingest.domain.difference import compare_claims
from ingest.domain.run_rules import run_rules
from ingest.domain.sightings import document_of
from ingest.sources import sources_named
from matrix.catalog_files import read_catalogue
from matrix.domain.claims import problems_of
from tests.builders import TODAY
from tests.ingest.sources.captured import CAPTURES, needs_captures

pytestmark = [needs_captures, pytest.mark.captures]


@pytest.mark.parametrize("framework", ["tgi", "tensorrt-llm", "llama.cpp"])
def test_every_claim_is_sound_and_a_second_reading_only_confirms(framework: str) -> None:
    catalogue = read_catalogue()
    history = catalogue.histories[framework]
    pages = read_captures(CAPTURES / framework, framework=framework, catalogue=catalogue).pages
    runs = run_rules(sources_named(framework), pages, catalogue.vocabulary)
    run = [latest for _, latest in runs][-1]
    assert [str(refusal) for refusal in run.refusals] == []
    sightings = collect_sightings(run.readings, history)
    coverage = coverage_of(run.readings, history)
    derived = claims_from(sightings, framework=framework, coverage=coverage, history=history)
    claims = [replace(claim, uid=f"u{number}") for number, claim in enumerate(derived)]
    assert len(claims) > 100
    assert [p for claim in claims for p in problems_of(claim, today=TODAY.replace(year=2027))] == []
    difference = compare_claims(
        claims,
        sightings,
        framework=framework,
        coverage=coverage,
        read_again=frozenset((r.claim_source, document_of(r.page).key) for r in run.readings),
        read_before={},
        history=history,
    )
    assert len(difference.confirmed) == len(claims)
    assert not (difference.new or difference.changed or difference.gone or difference.replaced)
    assert difference.evidence == 0
