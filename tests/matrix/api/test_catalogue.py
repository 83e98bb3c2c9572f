"""Catalogue endpoints."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests import builders
from tests.matrix.api.problems import problem


@pytest.fixture
def get(world: None, client: Client) -> Any:
    """Gets an address below the root of the interface."""

    def get_path(path: str, **words: Any) -> Any:
        return client.get(f"/api/v1/{path}", words)

    return get_path


def slugs(answer: Any) -> list[str]:
    """The slugs of a page."""
    assert answer.status_code == 200, answer.content
    return [row["slug"] for row in answer.json()["results"]]


def test_a_node_has_its_names_facts_sources_and_place(get: Any) -> None:
    node = get("hardware/nvidia-t4/").json()
    assert node["facts"] == {"memory_bytes": 16 * 2**30}
    assert node["ancestors"] == ["nvidia", "nvidia-turing"]
    assert node["children"] == []
    assert node["sources"][0]["url"] == "https://example.org/notes"
    assert get("hardware/nvidia/").json()["children"] == [
        "nvidia-ampere", "nvidia-turing", "nvidia-volta",
    ]  # fmt: skip


def test_nodes_are_filtered_by_kind_parent_and_text(get: Any) -> None:
    assert slugs(get("hardware/", kind="architecture")) == [
        "amd-mi300x", "nvidia-ampere", "nvidia-turing", "nvidia-volta",
    ]  # fmt: skip
    assert slugs(get("hardware/", parent="nvidia-turing")) == ["nvidia-t4"]
    assert slugs(get("hardware/", q="TURI")) == ["nvidia-turing"]
    assert slugs(get("features/", q="100%_")) == []


@pytest.mark.parametrize(
    ("path", "words", "parameter"),
    [
        ("hardware/", {"kind": "moon"}, "kind"),
        ("hardware/", {"parent": "turing"}, "parent"),
        ("hardware/", {"q": "x" * 101}, "q"),
        ("hardware/", {"page_size": "many"}, "page_size"),
        ("releases/", {"line": "golden"}, "line"),
        ("releases/", {"yanked": "maybe"}, "yanked"),
        ("releases/", {"released_from": "01/02/2025"}, "released_from"),
        ("maintenance-periods/", {"component": "engine"}, "component"),
        ("maintenance-periods/", {"status": "asleep"}, "status"),
        ("maintenance-periods/", {"as_of": "2030-01-01"}, "as_of"),
        ("frameworks/", {"as_of": "tomorrow"}, "as_of"),
        ("aliases/", {"area": "colour"}, "area"),
        ("aliases/", {"kind": "colour"}, "kind"),
    ],
)
def test_a_value_that_nothing_has_is_an_error_and_no_empty_list(
    get: Any, path: str, words: dict[str, str], parameter: str
) -> None:
    members = problem(get(path, **words), 400, "invalid-value")
    assert members["parameter"] == parameter
    assert members["accepted"]


def test_an_unknown_framework_is_answered_with_near_names(get: Any) -> None:
    for path in ("releases/", "maintenance-periods/"):
        assert problem(get(path, framework="vlm"), 400, "unknown-name")["nearest"][0] == "vLLM"
    assert "nvidia-turing" in problem(get("hardware/turing/"), 404, "not-found")["nearest"]


@pytest.mark.parametrize("path", ["hardware/", "releases/", "frameworks/", "aliases/"])
def test_pages_join_without_gap_or_repetition(get: Any, client: Client, path: str) -> None:
    whole = get(path, page_size="1000").json()["results"]
    assert len(whole) >= 2
    answer, joined = get(path, page_size="2").json(), []
    while True:
        joined += answer["results"]
        if answer["next"] is None:
            break
        answer = client.get(answer["next"]).json()
    assert joined == whole


@pytest.mark.parametrize("cursor", ["zzz", "cD1i", "cD0lMDA=", "bz0xMDAw", "ÿ", "cj0xJnA9eA=="])
@pytest.mark.parametrize("path", ["hardware/", "releases/", "aliases/", "maintenance-periods/"])
def test_a_made_up_cursor_never_breaks_a_list(get: Any, path: str, cursor: str) -> None:
    answer = get(path, cursor=cursor)
    if answer.status_code != 200:
        problem(answer, 400, "invalid-cursor")


@pytest.mark.parametrize(
    ("path", "queries"),
    [("hardware/", 2), ("frameworks/", 2), ("releases/", 2), ("maintenance-periods/", 2),
     ("aliases/", 1), ("hardware/nvidia-t4/", 1), ("releases/vllm/0.6.0/", 4)],
)  # fmt: skip
def test_a_page_costs_the_same_queries_however_long(get: Any, path: str, queries: int) -> None:
    get(path)
    sizes = ({"page_size": "1"}, {"page_size": "50"}) if path.count("/") == 1 else ({},)
    for words in sizes:
        with CaptureQueriesContext(connection) as counted:
            assert get(path, **words).status_code == 200
        assert len(counted) == queries


def test_a_page_that_the_client_holds_is_not_sent_again(get: Any, client: Client) -> None:
    first = get("hardware/", kind="device")
    known = {"if-none-match": first.headers["ETag"]}
    path = reverse("api-hardware")
    assert client.get(path, {"kind": "device"}, headers=known).status_code == 304
    assert client.get(path, {"kind": "vendor"}, headers=known).status_code == 200


def test_a_framework_shows_its_state_on_the_day(get: Any) -> None:
    then = get("frameworks/vllm/", as_of="2025-07-01").json()
    assert then["latest_release"] == {
        "version": "0.6.0",
        "released_on": "2025-06-14",
        "age_days": 17,
    }
    assert then["maintenance"]["status"] == "active"
    first = get("frameworks/", as_of="2025-07-01").json()["results"][0]
    assert first["latest_release"] == then["latest_release"]
    assert get("frameworks/vllm/", as_of="2024-01-01").json()["latest_release"] is None


def test_releases_come_newest_first_and_one_is_found_by_its_tag(get: Any) -> None:
    answer = get("releases/", framework="vLLM", released_to="2025-04-01").json()
    assert [row["version"] for row in answer["results"]] == ["0.3.0", "0.2.0", "0.1.0"]
    one = get("releases/vllm/v0.3.0/").json()
    assert one["version"] == "0.3.0"
    assert one["released_at"].startswith(builders.released_on("0.3.0").isoformat())
    near = problem(get("releases/vllm/0.99.0/"), 404, "not-found")["nearest"]
    assert "0.12.0" in near


def test_periods_are_those_that_cover_the_day(get: Any) -> None:
    assert len(get("maintenance-periods/", as_of="2025-11-30").json()["results"]) == 1
    assert get("maintenance-periods/", as_of="2025-12-01").json()["results"] == []
    (period,) = get("maintenance-periods/", framework="vLLM").json()["results"]
    assert period["component"] is None
    assert period["evidence"]["stated_on"] == "2025-11-01"


def test_a_name_leads_to_what_it_means(get: Any) -> None:
    (turing,) = get("aliases/turing/").json()["meanings"]
    assert turing == {"area": "hardware", "name": "Turing", "kind": "name",
                      "nodes": ["nvidia-turing"]}  # fmt: skip
    (cards,) = get("aliases/", area="hardware", kind="split").json()["results"]
    assert cards["nodes"] == ["nvidia-v100", "nvidia-t4"]
    assert get("aliases/meta/Llama-3-8B/").json()["meanings"][0]["area"] == "model"
