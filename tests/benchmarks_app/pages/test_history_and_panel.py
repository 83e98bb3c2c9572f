"""Histories with their steps and marks, and the panel of runs on the cell page."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client

from benchmarks_app.models import ChangeMark, Run
from matrix.index import forget_knowledge
from matrix.models import AuditEntry
from tests.benchmarks_app.builders import make_run
from tests.matrix.pages_world import HOSTILE, fill_pages_world

pytestmark = pytest.mark.django_db
HISTORY = "/benchmarks/history/?framework=vllm"
NOISE = (0.0, 0.6, -0.4, 0.3, -0.5, 0.2, -0.1, 0.5)


@pytest.fixture(autouse=True)
def _world(db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


def text_of(client: Client, address: str, *, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, answer.content[:400]
    return answer.content.decode()


def make_series(*levels: float, **changes: Any) -> list[Run]:
    """One run a day; eight around each level."""
    found = []
    for level in levels:
        for noise in NOISE:
            day = date(2026, 1, 1) + timedelta(days=len(found))
            value = {"output_token_throughput": {"value": level + noise}}
            found.append(make_run(metrics=value, measured_on=day, **changes))
    return found


def curator(client: Client) -> None:
    user = get_user_model().objects.create_user("cleo", password="x")
    user.groups.add(Group.objects.get(name="curator"))
    client.force_login(user)


def test_a_drop_is_a_regression_with_effect_and_p_value(client: Client) -> None:
    runs = make_series(100.0, 80.0)
    text = text_of(client, HISTORY)
    assert "▼</span> regression" in text
    assert "-20" in text
    assert f"runs={runs[7].uid},{runs[8].uid}" in text
    assert "False alarms" in text


def test_a_steady_series_has_no_step_and_a_short_one_says_so(client: Client) -> None:
    make_series(100.0)
    assert "No step was found." in text_of(client, HISTORY)
    Run.objects.filter(framework="vllm").update(state="withdrawn")
    make_run()
    assert "Too few runs to look for steps" in text_of(client, HISTORY)


def test_another_load_or_kind_is_another_series(client: Client) -> None:
    make_series(100.0)
    make_series(50.0, load={"max_concurrency": 64})
    make_series(10.0, run_class="demonstration")
    text = text_of(client, HISTORY)
    assert text.count('class="card history-series"') == 3
    assert "regression" not in text.split('id="power"')[0]


def test_a_measured_length_that_differs_a_little_is_the_same_load(client: Client) -> None:
    for length in (500.0, 503.0, 497.5, 900.0):
        make_run(load={"isl_mean": length})
    text = text_of(client, HISTORY)
    assert text.count('class="card history-series"') == 2
    assert "500 input tokens" in text


def test_a_mark_with_its_reason_parts_what_is_compared(client: Client) -> None:
    runs = make_series(100.0, 80.0)
    address = text_of(client, HISTORY)
    assert "Set a mark" not in address
    curator(client)
    text = text_of(client, HISTORY)
    series = text.split('name="series" value="')[1].split('"')[0]
    sent = {"series": series, "run": runs[8].uid, "reason": "new driver", "next": HISTORY}
    answer = client.post("/benchmarks/history/marks/", sent)
    assert answer["Location"] == HISTORY
    marked = text_of(client, HISTORY)
    assert "⚑ new driver" in marked
    assert "▼</span> regression" not in marked
    mark = ChangeMark.objects.get()
    assert AuditEntry.objects.filter(action="benchmarks.set-mark").count() == 1
    client.post(f"/benchmarks/history/marks/{mark.pk}/remove/", {"next": "https://evil.example/"})
    assert "▼</span> regression" in text_of(client, HISTORY)
    assert ChangeMark.objects.get().removed_by == "cleo"


def test_only_reviewers_mark_and_a_mark_needs_a_reason(client: Client) -> None:
    run = make_run()
    sent = {"series": "a" * 32, "run": run.uid, "reason": " "}
    assert client.post("/benchmarks/history/marks/", sent).status_code == 302
    client.force_login(get_user_model().objects.create_user("eve", password="x"))
    assert client.post("/benchmarks/history/marks/", sent).status_code == 403
    curator(client)
    assert client.post("/benchmarks/history/marks/", sent).status_code == 422
    assert not ChangeMark.objects.exists()


def test_along_releases_follows_the_order_of_releases(client: Client) -> None:
    for version in ("0.12.0", "0.6.0", "0.8.0"):
        make_run(framework_version=version)
    text = text_of(client, f"{HISTORY}&along=release")
    order = '"categoryarray": ["0.6.0", "0.8.0", "0.12.0"]'
    assert order in text


def test_runs_without_a_day_are_left_out_of_dates_and_named(client: Client) -> None:
    make_run(label="dated")
    make_run(label="nobody-knows-when", measured_on=None)
    assert "nobody says when they were measured: nobody-knows-when" in " ".join(
        text_of(client, HISTORY).split()
    )


def test_a_history_without_a_cell_asks_for_one(client: Client) -> None:
    make_run()
    assert "a history is of one cell" in text_of(client, "/benchmarks/history/")
    assert "is no parameter" in text_of(client, "/benchmarks/history/?colour=red", status=400)
    assert "metric" in text_of(client, "/benchmarks/history/?metric=speed", status=400)


@pytest.mark.parametrize("levels", [(100.0,), (100.0, 80.0, 60.0)])
def test_a_history_costs_the_same_for_any_number_of_runs(
    client: Client, levels: tuple[float, ...], django_assert_num_queries: Any
) -> None:
    make_series(*levels)
    client.get(HISTORY)
    with django_assert_num_queries(4):
        client.get(HISTORY)


CELL = "/cells/?framework=vllm&version=0.7.0&quantization=awq&hardware=turing"


def test_the_cell_page_shows_runs_on_it_first_and_near_ones_after(client: Client) -> None:
    make_run(label="other", framework_version="0.8.0")
    exact = make_run(label="exact")
    text = text_of(client, CELL)
    panel = text.split('id="cell-runs"')[1]
    assert "1 run on this cell" in panel
    assert panel.index("this cell</td>") < panel.index("other version</td>")
    assert panel.index(exact.uid) < panel.index("other version</td>")
    assert "Compare these runs" in panel


def test_runs_elsewhere_and_withdrawn_ones_make_no_panel(client: Client) -> None:
    make_run(hardware="amd-mi300x")
    make_run(hardware="")
    make_run(state="withdrawn")
    make_run(state="draft")
    make_run(quantization="fp8")
    assert 'id="cell-runs"' not in text_of(client, CELL)


def test_a_run_on_a_wider_node_says_on_which_axis(client: Client) -> None:
    make_run(hardware="nvidia")
    panel = text_of(client, CELL).split('id="cell-runs"')[1]
    assert "No run on this very cell" in panel
    assert "wider: hardware" in panel.lower()


@pytest.mark.parametrize(("runs", "queries"), [(1, 5), (2, 5), (9, 4)])
def test_the_panel_costs_three_queries_and_two_where_the_cell_has_runs_enough(
    client: Client, runs: int, queries: int, django_assert_num_queries: Any
) -> None:
    client.get(CELL)
    for _ in range(runs):
        make_run(label=HOSTILE)
    with django_assert_num_queries(queries):
        text = client.get(CELL).content.decode()
    assert "<script>alert(1)" not in text


def test_runs_with_differently_filled_contexts_are_no_history_of_each_other(
    client: Client,
) -> None:
    make_series(100.0, load={"n_depth": 0})
    make_series(50.0, load={"n_depth": 4096})
    text = text_of(client, HISTORY)
    assert text.count('class="card history-series"') == 2
    assert "tokens already in the context: 4096" in text
    assert "regression" not in text.split('id="power"')[0]


def test_what_nobody_captured_is_no_condition_that_runs_share(client: Client) -> None:
    make_run(facts={"tokenizer.id": ("not captured", "uploader")})
    make_run(facts={"tokenizer.id": ("not captured", "uploader")})
    text = text_of(client, HISTORY)
    assert text.count('class="card history-series"') == 1
    assert "tokenizer: " not in text


def test_the_overview_counts_runs_by_kind_and_claims_nothing_of_others(client: Client) -> None:
    assert "Benchmark runs" not in client.get("/").content.decode()
    make_run(run_class="published")
    make_run(state="draft")
    text = client.get("/").content.decode()
    assert "1 published table" in text
    assert "None of them was measured here" in text
    make_run()
    assert "1 measured" in client.get("/").content.decode()


def test_series_without_days_are_named_once_and_point_to_the_releases(client: Client) -> None:
    for tokens in (128.0, 512.0):
        make_run(measured_on=None, measured_at=None, input_tokens=tokens)
    text = client.get("/benchmarks/history/?framework=vllm").content.decode()
    assert "Of 2 series nobody says when their runs were measured" in text
    assert "along=release" in text
    assert "0 runs" not in text
