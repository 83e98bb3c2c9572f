"""Runs over REST: filtered, paged, looked at; what must not be shown stays hidden."""

import csv
import io
import json
from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from benchmarks_app.models import Run, UnknownName
from tests.benchmarks_app.builders import make_run, make_samples
from tests.matrix.api.problems import problem

RUNS = "/api/v1/benchmark-runs/"


def found(client: Client, query: str = "") -> list[str]:
    answer = client.get(f"{RUNS}{query}")
    assert answer.status_code == 200, answer.content
    return [row["uid"] for row in answer.json()["results"]]


def test_only_standing_runs_are_listed_unless_asked_otherwise(world: None, client: Client) -> None:
    standing = make_run()
    withdrawn = make_run(state="withdrawn")
    make_run(state="draft")
    assert found(client) == [standing.uid]
    assert found(client, "?state=withdrawn") == [withdrawn.uid]
    assert set(found(client, "?state=any")) == {standing.uid, withdrawn.uid}


@pytest.mark.parametrize(
    ("query", "changes"),
    [
        ("?hardware=nvidia-turing", {"hardware": "nvidia-ampere"}),
        ("?hardware=Turing", {"hardware": ""}),
        ("?model=llama-3", {"model": "qwen3forcausallm"}),
        ("?quantization=awq", {"quantization": "fp8"}),
        ("?framework=vLLM", {"framework": "vllm-ascend"}),
        ("?framework_version=0.7.0", {"framework_version": "0.6.0"}),
        ("?tool=vllm", {"tool": "sglang"}),
        ("?status=ok", {"status": "failed"}),
        ("?outcome=completed", {"outcome": "fails"}),
        ("?run_class=measured", {"run_class": "published"}),
        ("?load_mode=closed_loop", {"load_mode": "burst"}),
        ("?concurrency_min=3&concurrency_max=5", {"max_concurrency": 64}),
        ("?concurrency_max=5", {"max_concurrency": None}),
        ("?measured_from=2025-10-01&measured_to=2025-11-30", {"measured_on": date(2025, 1, 1)}),
        ("?q=wanted", {"label": "other"}),
    ],
)
def test_a_filter_finds_what_it_names_and_nothing_else(
    world: None, client: Client, query: str, changes: dict[str, Any]
) -> None:
    known: dict[str, Any] = {
        "hardware": "nvidia-t4", "model": "meta--llama-3-8b", "quantization": "awq-w4a16",
        "framework": "vllm", "framework_version": "0.7.0", "tool": "vllm", "status": "ok",
        "outcome": "completed", "run_class": "measured", "load_mode": "closed_loop",
        "max_concurrency": 4, "measured_on": date(2025, 10, 30), "label": "wanted run",
    }  # fmt: skip
    wanted = make_run(**known)
    make_run(**(known | changes))
    assert found(client, query) == [wanted.uid]


def test_a_metric_bound_holds_for_the_named_statistic(world: None, client: Client) -> None:
    fast = make_run(metrics={"ttft": {"p50": 10.0, "p99": 90.0}})
    make_run(metrics={"ttft": {"p50": 10.0, "p99": 900.0}})
    make_run(metrics={"tpot": {"p99": 10.0}})
    assert found(client, "?metric=ttft&stat=p99&max=100") == [fast.uid]
    assert len(found(client, "?metric=ttft&stat=p50&max=100")) == 2
    assert found(client, "?metric=ttft&stat=p99&min=90&max=90") == [fast.uid]


@pytest.mark.parametrize(
    ("query", "code", "named"),
    [
        ("?hardwear=x", "unknown-parameter", "hardware"),
        ("?hardware=nvidia-t5", "unknown-name", "nvidia-t4"),
        ("?metric=speed", "invalid-value", "ttft"),
        ("?metric=ttft&stat=q99", "invalid-value", "stat"),
        ("?max=3", "invalid-value", "metric"),
        ("?metric=ttft&min=5&max=3", "invalid-value", "min"),
        ("?metric=ttft&max=nan", "invalid-value", "max"),
        ("?metric=ttft&max=1e999", "invalid-value", "max"),
        ("?concurrency_min=0", "invalid-value", "concurrency_min"),
        ("?concurrency_min=99999999999999999999", "invalid-value", "concurrency_min"),
        ("?state=draft", "invalid-value", "published"),
        ("?ordering=speed", "invalid-value", "-created"),
        ("?measured_from=2025-13-01", "invalid-value", "measured_from"),
        ("?tool=a&tool=b", "repeated-parameter", "tool"),
        ("?q=%00", "invalid-value", "q"),
        ("?cursor=abc", "invalid-cursor", "cursor"),
    ],
)
def test_a_wrong_parameter_is_refused_and_named(
    world: None, client: Client, query: str, code: str, named: str
) -> None:
    members = problem(client.get(f"{RUNS}{query}"), 400, code)
    assert named in members["detail"] + str(members.get("parameter"))


@pytest.mark.parametrize("ordering", ["-created", "created", "-measured", "measured"])
def test_pages_hold_every_run_once_in_either_direction(
    world: None, client: Client, ordering: str
) -> None:
    days = [date(2025, 10, 1), None, date(2025, 10, 1), date(2025, 9, 1), None]
    uids = {make_run(measured_on=day).uid for day in days}
    seen: list[str] = []
    address = f"{RUNS}?ordering={ordering}&page_size=2"
    while address:
        page = client.get(address).json()
        seen += [row["uid"] for row in page["results"]]
        address = page["next"]
    assert len(seen) == len(days)
    assert set(seen) == uids
    backward = found(client, f"?ordering={ordering.removeprefix('-')}")
    assert seen == (backward if not ordering.startswith("-") else backward[::-1])


def test_the_list_takes_a_constant_number_of_queries(
    world: None, client: Client, django_assert_max_num_queries: Any
) -> None:
    for _ in range(12):
        make_run()
    client.get(RUNS)
    with django_assert_max_num_queries(8):
        assert len(found(client)) == 12


def test_a_list_is_not_sent_twice_until_a_run_changes(world: None, client: Client) -> None:
    run = make_run()
    answer = client.get(RUNS)
    headers = {"If-None-Match": answer["ETag"]}
    assert client.get(RUNS, headers=headers).status_code == 304
    make_run()
    assert client.get(RUNS, headers=headers).status_code == 200
    headers = {"If-None-Match": client.get(RUNS)["ETag"]}
    Run.objects.filter(pk=run.pk).update(state="withdrawn", ended_at=run.published_at)
    assert client.get(RUNS, headers=headers).status_code == 200


def test_a_run_shows_facts_with_origin_and_values_with_definition(
    world: None, client: Client
) -> None:
    run = make_run()
    plain = client.get(f"{RUNS}{run.uid}/").json()
    facts = {fact["name"]: fact for fact in plain["facts"]}
    assert facts["framework.commit"]["origin"] == "uploader"
    assert facts["framework.version"]["origin"] == "file"
    ttft = next(
        row for row in plain["measurements"] if (row["metric"], row["stat"]) == ("ttft", "p99")
    )
    assert ttft["unit"] == "ms"
    assert ttft["better"] == "lower"
    assert ttft["definition"].startswith("ttft/")
    alone = client.get(f"{RUNS}{run.uid}/measurements/").json()
    assert alone["measurements"] == plain["measurements"]


def test_nothing_private_leaves_through_a_run(world: None, client: Client) -> None:
    run = make_run(
        state="draft",
        unmapped={"$.note": "host=gpu7.internal key hf_abcdefghijklmnopqrst /data/secret/place/x"},
        command="bench --api-key sk-abcdefghijklmnopqrstuvwx --model /home/eve/models/m",
        failures={"connect to 10.1.2.3:8000 failed": 3},
        withheld=["$.prompts"],
    )
    Run.objects.filter(pk=run.pk).update(state="published", published_at=run.created_at)
    text = client.get(f"{RUNS}{run.uid}/").content.decode()
    for private in ("gpu7", "hf_abc", "/data/secret", "sk-abc", "eve", "10.1.2.3"):
        assert private not in text
    assert "$.prompts" in text


@pytest.mark.parametrize("uid", ["nothing", "a" * 60, "%00", "é"])
def test_an_unknown_run_is_not_found(world: None, client: Client, uid: str) -> None:
    problem(client.get(f"{RUNS}{uid}/"), 404, "not-found")


def test_samples_come_as_lines_of_json_or_csv(world: None, client: Client) -> None:
    run = make_run(samples=make_samples(count=30, failed=2))
    address = reverse("api-benchmark-run-samples", args=[run.uid])
    answer = client.get(address)
    assert answer["Content-Type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert len(lines) == 30
    assert lines[0]["ok"] is False
    assert lines[2]["ok"] is True
    assert lines[0]["output_tokens"] == 128
    table = client.get(address, headers={"Accept": "text/csv"})
    rows = list(csv.DictReader(io.StringIO(b"".join(table.streaming_content).decode())))
    assert float(rows[5]["ttft_ms"]) == pytest.approx(lines[5]["ttft_ms"])
    assert client.get(f"{address}?format=csv")["Content-Type"] == "text/csv"
    pooled = client.get(f"{address}?part=pooled")
    first = json.loads(next(iter(b"".join(pooled.streaming_content).splitlines())))
    assert first["metric"] == "itl_ms"
    problem(client.get(f"{address}?part=repeats"), 404, "not-found")
    problem(client.get(f"{address}?format=arrow"), 400, "invalid-value")
    assert client.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304


def test_a_run_without_samples_says_so(world: None, client: Client) -> None:
    run = make_run()
    problem(client.get(reverse("api-benchmark-run-samples", args=[run.uid])), 404, "not-found")
    assert client.get(f"{RUNS}{run.uid}/").json()["samples"] is None


def test_a_closed_installation_shows_nothing_to_strangers(
    world: None, client: Client, settings: Any
) -> None:
    settings.RUNPROOF_PUBLIC = False
    run = make_run()
    for address in (RUNS, f"{RUNS}{run.uid}/", f"{RUNS}{run.uid}/samples/"):
        problem(client.get(address), 401, "not-authenticated")


COMPARE = "/api/v1/benchmark-comparisons/"


def test_a_comparison_says_what_is_comparable_before_values(world: None, client: Client) -> None:
    one = make_run(samples=make_samples(seed=1), label="one")
    two = make_run(samples=make_samples(seed=2, scale=1.5), label="two")
    answer = client.get(f"{COMPARE}?runs={one.uid},{two.uid}&baseline={two.uid}&ttft_ms=100")
    assert answer.status_code == 200, answer.content
    plain = answer.json()
    assert plain["baseline"] == two.uid
    assert [run["uid"] for run in plain["runs"]] == [one.uid, two.uid]
    assert {row["verdict"] for row in plain["variables"]} >= {"equal", "unknown"}
    cells = {(row["metric"], row["stat"]): row["runs"] for row in plain["values"]}
    assert cells["ttft", "p99"][0]["ratio"] < 1
    assert len(plain["attainment"]) == 2
    assert 0 < plain["attainment"][0]["share"] <= 1
    assert plain["links"]["page"].startswith("/benchmarks/compare/?runs=")
    known = {"If-None-Match": answer["ETag"]}
    address = f"{COMPARE}?runs={one.uid},{two.uid}&baseline={two.uid}&ttft_ms=100"
    assert client.get(address, headers=known).status_code == 304


def test_a_comparison_of_filtered_runs_takes_all_that_pass(world: None, client: Client) -> None:
    uids = {make_run().uid, make_run().uid}
    make_run(hardware="nvidia-a100")
    plain = client.get(f"{COMPARE}?hardware=nvidia-t4").json()
    assert {run["uid"] for run in plain["runs"]} == uids
    assert plain["more_exist"] is False


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "invalid-value"),
        ("?runs=nothing,else", "invalid-value"),
        ("?hardware=nvidia-v100", "invalid-value"),
        ("?hardware=nvidia-t5", "unknown-name"),
        ("?ttft_ms=-1", "invalid-value"),
        ("?share=2", "invalid-value"),
        ("?colour=red", "unknown-parameter"),
    ],
)
def test_a_wrong_comparison_is_refused(world: None, client: Client, query: str, code: str) -> None:
    problem(client.get(f"{COMPARE}{query}"), 400, code)


def test_a_series_holds_runs_in_order_and_the_steps_between_them(
    world: None, client: Client
) -> None:
    days = [date(2025, 10, day) for day in range(1, 13)]
    values = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 60.0, 61.0, 59.5, 60.3, 60.1, 59.9]
    runs = [
        make_run(measured_on=day, metrics={"output_token_throughput": {"value": value}})
        for day, value in zip(days, values, strict=True)
    ]
    answer = client.get("/api/v1/benchmark-series/?hardware=nvidia-t4")
    plain = answer.json()
    assert plain["unit"] == "tok/s"
    (series,) = plain["series"]
    assert [point["run"] for point in series["points"]] == [run.uid for run in runs]
    (step,) = series["steps"]
    assert (step["run"], step["kind"]) == (runs[6].uid, "regression")
    known = {"If-None-Match": answer["ETag"]}
    address = "/api/v1/benchmark-series/?hardware=nvidia-t4"
    assert client.get(address, headers=known).status_code == 304
    problem(client.get("/api/v1/benchmark-series/"), 400, "missing-parameter")
    problem(client.get("/api/v1/benchmark-series/?metric=speed&tool=x"), 400, "invalid-value")


def test_a_decision_changes_the_tag_although_other_names_wait(world: None, client: Client) -> None:
    seen = {"axis": "hardware", "first_seen_at": timezone.now()}
    UnknownName.objects.create(name="waits", **seen)
    decided = UnknownName.objects.create(name="Lab Card", **seen)
    known = {"If-None-Match": client.get(RUNS)["ETag"]}
    assert client.get(RUNS, headers=known).status_code == 304
    decided.decided_at = timezone.now()
    decided.save()
    assert client.get(RUNS, headers=known).status_code == 200
