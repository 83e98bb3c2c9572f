"""Changes that claims rest on, by the number of their thread."""

from dataclasses import replace

from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim, Validity
from matrix.domain.index import ClaimIndex
from matrix.domain.levels import EndpointKind
from matrix.questions.changes import Change, cited_change, read_changes
from tests.matrix.questions.worlds import state


def _claim(catalogue: Catalogue, url: str, release: str, kind: EndpointKind) -> Claim:
    said = state("supported", catalogue=catalogue, release=release, hardware="nvidia-t4")
    seen = said.observations[0]
    after = "0.10.0" if kind is EndpointKind.BETWEEN else ""
    return replace(
        said,
        uid=f"{url}@{release}",
        validity=Validity(first=release, last=release, first_kind=kind, after=after),
        observations=(replace(seen, document=replace(seen.document, key=url, url=url)),),
    )


def test_a_dated_claim_places_the_change_it_cites_and_the_earliest_counts(
    catalogue: Catalogue,
) -> None:
    pull = "https://github.com/vllm-project/vllm/pull/1234"
    index = ClaimIndex(
        [
            _claim(catalogue, pull, "0.11.0", EndpointKind.EXACT),
            _claim(catalogue, pull + "#issuecomment-1", "0.10.2", EndpointKind.BETWEEN),
            _claim(catalogue, pull + "5", "0.9.0", EndpointKind.EXACT),
        ],
        catalogue.surroundings,
    )
    assert read_changes(index)["vllm", "1234"] == Change(first="0.10.2", before="0.10.0")


def test_an_issue_or_an_undated_claim_places_nothing(catalogue: Catalogue) -> None:
    base = "https://github.com/vllm-project/vllm"
    index = ClaimIndex(
        [
            _claim(catalogue, f"{base}/issues/77", "0.11.0", EndpointKind.EXACT),
            _claim(catalogue, f"{base}/pull/78", "0.11.0", EndpointKind.AT_OR_BEFORE),
        ],
        catalogue.surroundings,
    )
    assert read_changes(index) == {}


def test_a_number_of_another_framework_is_none_of_this_one() -> None:
    changes = {("vllm", "1234"): Change(first="0.11.0")}
    assert cited_change("after PR #1234", "vllm", changes) == Change(first="0.11.0")
    assert cited_change("after #1234", "sglang", changes) is None
    assert cited_change("after 1234 builds", "vllm", changes) is None
