"""Real release dates replayed with a fake clock; the whole record: tests/performance."""

import pytest

from matrix.catalog_files import read_catalogue
from tests.ingest.releases.dated_host import DatedHost
from tests.ingest.releases.replaying import publications, replay

MANY = 15


@pytest.mark.parametrize("framework", ["vllm", "sglang", "llama.cpp", "tgi"])
def test_the_newest_real_releases_are_seen_within_one_poll(host: DatedHost, framework: str) -> None:
    from matrix.models import Framework, Release

    Framework.objects.get_or_create(slug=framework, defaults={"name": framework, "kind": "engine"})
    Release.objects.all().delete()
    listed = publications(framework, read_catalogue().releases[framework])[-MANY:]
    found = replay(host, framework, listed)
    assert (found.missed, found.late, found.wrong) == ([], [], [])
    assert len(found.lags) == MANY
    assert found.idle_polls == found.idle_not_modified > 0
