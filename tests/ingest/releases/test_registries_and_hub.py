"""Images with digests, and facts of checkpoints, polled for real."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ingest.domain.feeds import Feed, FeedKind
from ingest.models import ReviewItem, Snapshot
from ingest.services.polling import FeedFailed, PollResult
from ingest.services.reviewing import accept_items
from matrix.catalog_loading import load_shipped
from matrix.models import CuratedFacts, LanguageModel, ReleaseImage
from tests.ingest.releases.conftest import NOW
from tests.ingest.releases.dated_host import DatedHost

Poll = Callable[[Feed], PollResult]
INDEX = {
    "mediaType": "application/vnd.oci.image.index.v1+json",
    "manifests": [{"platform": {"os": "linux", "architecture": "amd64"}}],
}


def registry_feed(host: DatedHost, **changes: Any) -> Feed:
    feed = Feed(
        name="vllm-image",
        kind=FeedKind.CONTAINER_REGISTRY,
        framework="vllm",
        repository="org/engine",
        host="registry.example",
        cadence=timedelta(hours=12),
        media_types=("application/json",),
        endpoints=(host.url + "/v2/{repository}/tags/list?n=1000",),
    )
    return replace(feed, **changes)


def serve(host: DatedHost, answers: dict[str, Any], *, token: str = "") -> None:
    """Answers by path; with a token everything else but the token itself wants it."""

    def special(path: str, headers: Any) -> tuple[int, Any]:
        if path.startswith("/token"):
            return 200, {"token": token}
        if token and headers.get("Authorization") != f"Bearer {token}":
            return 401, {}
        return (200, answers[path]) if path in answers else (404, {})

    host.special = special


def test_a_bare_list_of_tags_gets_digests_from_the_manifests_of_releases(
    host: DatedHost, poll: Poll
) -> None:
    answers = {
        "/v2/org/engine/tags/list?n=1000": {"tags": ["v0.12.0", "v0.11.0-rocm", "latest"]},
        "/v2/org/engine/manifests/v0.12.0": INDEX,
        "/v2/org/engine/manifests/v0.11.0-rocm": INDEX,
    }
    serve(host, answers, token="secret-of-the-registry")
    feed = registry_feed(host, token_url=host.url + "/token?scope={repository}")
    poll(feed)
    digest = "sha256:" + hashlib.sha256(json.dumps(INDEX).encode()).hexdigest()
    rows = ReleaseImage.objects.order_by("tag")
    assert [(r.release.version, r.tag, r.variant, r.digest) for r in rows] == [
        ("0.11.0", "v0.11.0-rocm", "rocm", digest),
        ("0.12.0", "v0.12.0", "", digest),
    ]
    assert rows[1].platforms == ["linux/amd64"]
    assert rows[1].pushed_at is None
    kept = b"".join(bytes(body) for body in Snapshot.objects.values_list("body", flat=True))
    assert b"secret-of-the-registry" not in kept
    asked = len(host.asked)
    host.now += timedelta(hours=12)
    assert poll(feed).changed is False
    assert not any("manifests" in path for path in host.asked[asked:])


def test_a_registry_s_list_is_read_to_its_last_page(host: DatedHost, poll: Poll) -> None:
    first, second = "/v2/org/engine/tags/list?n=1000", "/v2/org/engine/tags/list?last=x"
    tags = {first: ["v0.11.0"], second: ["v0.12.0"]}
    manifests = {f"/v2/org/engine/manifests/v0.1{n}.0": INDEX for n in (1, 2)}
    serve(host, {path: {"tags": names} for path, names in tags.items()} | manifests)
    # The list names its next page in its Link header, which the special answers leave out.
    plain = host.special

    def paged(path: str, headers: Any) -> tuple[int, Any] | None:
        return None if path == first else plain(path, headers)

    host.special = paged
    link = '</v2/org/engine/tags/list?last=x>; rel="next"'
    host.answer = lambda *_: (200, {"tags": tags[first]}, link)  # type: ignore[method-assign]
    poll(registry_feed(host))
    assert set(ReleaseImage.objects.values_list("tag", flat=True)) == {"v0.11.0", "v0.12.0"}
    host.now += timedelta(hours=12)
    tags[second] = ["v0.12.0", "v0.12.0-cu129"]
    serve(host, {second: {"tags": tags[second]}, "/v2/org/engine/manifests/v0.12.0-cu129": INDEX})
    plain = host.special
    host.special = lambda path, headers: None if path == first else plain(path, headers)
    poll(registry_feed(host))
    assert ReleaseImage.objects.filter(tag="v0.12.0-cu129").exists()


def hub_tag(name: str, digest: str) -> dict[str, Any]:
    return {"name": name, "digest": digest, "last_updated": "2026-01-31T00:00:00Z",
            "images": [{"architecture": "amd64", "os": "linux", "digest": digest}]}  # fmt: skip


def test_a_hub_s_list_is_enough_and_a_tag_that_moved_keeps_both_digests(
    host: DatedHost, poll: Poll
) -> None:
    path = "/v2/repositories/org/engine/tags/?page_size=100"
    feed = registry_feed(host, endpoints=(host.url + path.replace("org/engine", "{repository}"),))
    serve(host, {path: {"next": None, "results": [hub_tag("v0.12.0", "sha256:1")]}})
    poll(feed)
    host.now += timedelta(hours=12)
    serve(host, {path: {"next": None, "results": [hub_tag("v0.12.0", "sha256:2")]}})
    poll(feed)
    rows = list(ReleaseImage.objects.order_by("digest"))
    assert [row.digest for row in rows] == ["sha256:1", "sha256:2"]
    assert rows[0].pushed_at == datetime(2026, 1, 31, tzinfo=UTC)


def test_a_list_never_leads_to_another_host(host: DatedHost, poll: Poll) -> None:
    path = "/v2/repositories/org/engine/tags/?page_size=100"
    feed = registry_feed(host, endpoints=(host.url + path.replace("org/engine", "{repository}"),))
    elsewhere = "http://127.0.0.2:9/v2/more"
    serve(host, {path: {"next": elsewhere, "results": [hub_tag("v0.12.0", "sha256:1")]}})
    poll(feed)
    assert ReleaseImage.objects.count() == 1


def test_a_registry_without_token_or_tags_is_a_feed_error(host: DatedHost, poll: Poll) -> None:
    serve(host, {}, token="")
    feed = registry_feed(host, token_url=host.url + "/token")
    with pytest.raises(FeedFailed, match="without token"):
        poll(feed)
    serve(host, {"/v2/org/engine/tags/list?n=1000": {"errors": [{"code": "DENIED"}]}})
    with pytest.raises(FeedFailed):
        poll(registry_feed(host))
    assert not ReleaseImage.objects.exists()


MODELS = """
[[model]]
slug = "llama"
name = "Llama"
kind = "family"
source = ["page"]

[[model]]
slug = "org--a"
name = "org/A"
kind = "checkpoint"
parent = "llama"
num_layers = 40
source = ["page"]

[[model]]
slug = "org--gated"
name = "org/Gated"
kind = "checkpoint"
parent = "llama"
source = ["page"]
"""
CONFIG = {"num_hidden_layers": 32, "num_key_value_heads": 8, "architectures": ["LlamaForCausalLM"]}
MODEL = {"id": "org/A", "sha": "a" * 40, "safetensors": {"parameters": {"BF16": 1000}}}


def hub_feed(host: DatedHost) -> Feed:
    return Feed(
        name="models-hub",
        kind=FeedKind.MODEL_HUB,
        framework="",
        cadence=timedelta(days=1),
        media_types=("application/json",),
        endpoints=(host.url + "/api/models/{model}", host.url + "/{model}/raw/main/config.json"),
    )


def test_facts_of_a_checkpoint_are_kept_and_contradictions_wait_for_a_curator(
    host: DatedHost, poll: Poll, folder: Any
) -> None:
    (folder / "models.toml").write_text(MODELS, encoding="utf-8")
    load_shipped(folder, force=True)
    serve(host, {"/api/models/org/A": MODEL, "/org/A/raw/main/config.json": CONFIG})
    poll(hub_feed(host))
    facts = LanguageModel.objects.get(slug="org--a").facts
    assert facts["num_kv_heads"] == 8
    assert facts["safetensors_bytes"] == 2000
    assert facts["num_layers"] == 40
    assert "num_kv_heads" not in LanguageModel.objects.get(slug="org--gated").facts
    item = ReviewItem.objects.get()
    assert (item.code, item.old, item.new["facts"]) == (
        "model-facts", {"num_layers": 40}, {"num_layers": 32},
    )  # fmt: skip
    accept_items([item.pk], actor="curator", now=NOW, reason="the catalogue was wrong")
    load_shipped(folder, force=True)
    facts = LanguageModel.objects.get(slug="org--a").facts
    assert (facts["num_layers"], facts["num_kv_heads"]) == (32, 8)
    assert CuratedFacts.objects.get().actor == "curator"


def test_the_same_answers_again_write_nothing(host: DatedHost, poll: Poll, folder: Any) -> None:
    (folder / "models.toml").write_text(MODELS, encoding="utf-8")
    load_shipped(folder, force=True)
    serve(host, {"/api/models/org/A": MODEL, "/org/A/raw/main/config.json": CONFIG})
    poll(hub_feed(host))
    before = CuratedFacts.objects.get().recorded_at
    host.now += timedelta(days=1)
    assert poll(hub_feed(host)).changed is False
    assert CuratedFacts.objects.get().recorded_at == before
    assert ReviewItem.objects.count() == 1
