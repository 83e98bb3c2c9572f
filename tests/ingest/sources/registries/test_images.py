"""Tags, digests and platforms of image registries."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.registries import read_hub_tags, read_index, read_tag_list

URL = "https://registry.example/v2/x"
DIGEST = "sha256:" + "d" * 64


def test_a_hub_page_has_digest_platforms_and_date() -> None:
    answer = {"count": 1, "next": None, "results": [{
        "name": "v0.5.9-cu129", "digest": DIGEST, "tag_last_pushed": "2026-02-01T10:00:00.123Z",
        "images": [
            {"architecture": "amd64", "os": "linux", "variant": None, "digest": "sha256:1"},
            {"architecture": "arm64", "os": "linux", "variant": "v8", "digest": "sha256:2"},
            {"architecture": "unknown", "os": "unknown", "digest": "sha256:3"},
        ],
    }]}  # fmt: skip
    (found,) = read_hub_tags(answer, url=URL)
    assert (found.tag, found.digest) == ("v0.5.9-cu129", DIGEST)
    assert found.platforms == ("linux/amd64", "linux/arm64/v8")
    assert found.pushed_at is not None and found.pushed_at.isoformat().startswith("2026-02-01T10")


def test_a_tag_without_digest_has_that_of_its_only_image_or_none() -> None:
    one = {"name": "a", "images": [{"architecture": "amd64", "os": "linux", "digest": DIGEST}]}
    two = {"name": "b", "images": [{"digest": "sha256:1"}, {"digest": "sha256:2"}]}
    found = read_hub_tags({"results": [one, two]}, url=URL)
    assert [image.digest for image in found] == [DIGEST, ""]


def test_a_tag_list_may_be_empty_and_must_be_a_list() -> None:
    assert read_tag_list({"name": "x", "tags": ["1.0", "latest"]}, url=URL) == ("1.0", "latest")
    assert read_tag_list({"name": "x", "tags": None}, url=URL) == ()
    broken: tuple[object, ...] = ({}, {"tags": "1.0"}, {"tags": [1]}, [])
    for answer in broken:
        with pytest.raises(UnexpectedPage):
            read_tag_list(answer, url=URL)


def test_an_index_names_its_platforms_but_not_its_attestations() -> None:
    answer = {
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [
            {"digest": "sha256:1", "platform": {"architecture": "amd64", "os": "linux"}},
            {"digest": "sha256:2", "platform": {"architecture": "unknown", "os": "unknown"}},
            {"digest": "sha256:3"},
        ],
        "annotations": {"org.opencontainers.image.created": "2026-02-01T00:00:00Z"},
    }
    found = read_index(answer, tag="3.3.7", digest=DIGEST, url=URL)
    assert found.platforms == ("linux/amd64",)
    assert found.digest == DIGEST
    assert found.pushed_at is not None


def test_a_single_manifest_has_no_platform_and_no_date_of_its_own() -> None:
    found = read_index({"config": {"digest": "x"}, "layers": []}, tag="t", digest=DIGEST, url=URL)
    assert (found.platforms, found.pushed_at) == ((), None)
    with pytest.raises(UnexpectedPage):
        read_index({"errors": [{"code": "UNAUTHORIZED"}]}, tag="t", digest=DIGEST, url=URL)
