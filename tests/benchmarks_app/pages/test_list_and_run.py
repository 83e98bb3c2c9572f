"""The list of runs and the page of one: what is shown, what is not, and what it costs."""

import html
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client

from benchmarks_app.contract import Measurement
from benchmarks_app.models import Run
from benchmarks_app.queries.run_list import Order, slice_of
from matrix.index import forget_knowledge
from tests.benchmarks_app.builders import make_run, make_samples
from tests.matrix.pages_world import HOSTILE, fill_pages_world

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _world(db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


def text_of(client: Client, address: str, *, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, answer.content[:400]
    return answer.content.decode()


def test_an_empty_list_says_so(client: Client) -> None:
    assert "No run is published yet" in text_of(client, "/benchmarks/")


def test_the_list_names_subject_load_values_and_kind(client: Client) -> None:
    make_run(label="first")
    text = text_of(client, "/benchmarks/")
    for part in ("meta/Llama-3-8B", "vLLM", "0.7.0", "closed loop", "concurrency 4", "80 ms",
                 "333 tok/s", "measured", "grade B", "2026-10-30"):  # fmt: skip
        assert part in text, part


def test_drafts_are_never_listed_and_withdrawn_ones_only_when_asked_for(client: Client) -> None:
    make_run(label="hidden-draft", state="draft")
    make_run(label="taken-back", state="withdrawn", reason="wrong driver")
    make_run(label="standing")
    text = text_of(client, "/benchmarks/")
    assert "standing" in text
    assert "hidden-draft" not in text
    assert "taken-back" not in text
    asked = text_of(client, "/benchmarks/?state=any")
    assert "taken-back" in asked
    assert "hidden-draft" not in asked


def test_a_name_without_a_node_is_shown_and_marked(client: Client) -> None:
    make_run(model="", facts={"model.id": ("someone/Odd-7B", "file")})
    text = text_of(client, "/benchmarks/")
    assert "someone/Odd-7B" in text
    assert "unknown name" in text


def test_a_run_of_a_stand_in_server_is_marked_in_the_list(client: Client) -> None:
    make_run(run_class="demonstration", notices=[{"code": "mock_server"}])
    text = text_of(client, "/benchmarks/")
    assert "demonstration" in text
    assert "stand-in server" in text


def test_hardware_selects_everything_below_it(client: Client) -> None:
    make_run(label="on-t4")
    make_run(label="on-amd", hardware="amd-mi300x")
    text = text_of(client, "/benchmarks/?hardware=Turing")
    assert "on-t4" in text
    assert "on-amd" not in text


def test_wrong_filters_are_errors_that_say_what_is_accepted(client: Client) -> None:
    for address, part in (
        ("/benchmarks/?hardware=nowhere-1", "is no known hardware"),
        ("/benchmarks/?colour=red", "is no parameter here"),
        ("/benchmarks/?sort=best", "newest, oldest"),
        ("/benchmarks/?after=nothing", "cursor"),
        ("/benchmarks/?status=fine", "status"),
        ("/benchmarks/?framework=vllm&framework=vllm", "2 times"),
    ):
        assert part in text_of(client, address, status=400), address


def test_pages_meet_without_gap_and_without_repetition() -> None:
    wanted = [make_run(metrics={}).uid for _ in range(7)][::-1]
    runs = Run.objects.public()
    seen: list[str] = []
    after = ""
    while True:
        piece = slice_of(runs, order=Order.NEWEST, after=after, before="", size=3)
        seen += [run.uid for run in piece.rows]
        after = piece.after
        if not after:
            break
    assert seen == wanted
    back = slice_of(runs, order=Order.NEWEST, after="", before=wanted[5], size=3)
    assert [run.uid for run in back.rows] == wanted[2:5]
    assert (back.before, back.after) == (wanted[2], wanted[4])
    oldest = slice_of(runs, order=Order.OLDEST, after="", before="", size=3)
    assert [run.uid for run in oldest.rows] == wanted[::-1][:3]


@pytest.mark.parametrize("runs", [2, 12])
def test_the_list_costs_the_same_for_any_number_of_runs(
    client: Client, runs: int, django_assert_num_queries: Any
) -> None:
    for _ in range(runs):
        make_run()
    client.get("/benchmarks/")
    with django_assert_num_queries(6):
        client.get("/benchmarks/")
    with django_assert_num_queries(3):
        client.get("/benchmarks/?run_class=measured")


def test_the_run_page_says_what_was_measured_and_what_is_missing(client: Client) -> None:
    run = make_run(
        notices=[{"code": "zero_token_successes", "detail": "379", "pointer": "$.x"}],
        failures={"timeout": 3},
        samples=make_samples(),
    )
    text = text_of(client, f"/benchmarks/runs/{run.uid}/")
    for part in (
        "vLLM 0.7.0 with meta/Llama-3-8B in awq on 1 × nvidia-t4",
        "Requests that count as successful returned no token. (379)",
        "as the tool reports it",
        "made again from the samples",
        "(end-to-end − TTFT) ÷ (output tokens − 1)",
        "digest of the image",
        "550.54.15",
        "✎ declared",
        "vllm serve meta/Llama-3-8B",
        "timeout",
        "/cells/?framework=vllm",
    ):
        assert part in text, part


def test_what_a_file_says_is_shown_as_text_and_masked(client: Client) -> None:
    run = make_run(
        label=HOSTILE,
        facts={"user_meta.note": (HOSTILE, "file")},
        unmapped={"$.server.host": "10.0.0.7", "$.token": "api_key=sk-0123456789abcdefghij"},
        failures={HOSTILE: 1},
    )
    text = text_of(client, f"/benchmarks/runs/{run.uid}/")
    assert "<script>alert(1)" not in text
    assert "sk-0123456789" not in text
    assert "$.token" in text


def test_a_withdrawn_run_says_why_and_stays_readable(client: Client) -> None:
    run = make_run(state="withdrawn", reason="the driver was another one")
    text = text_of(client, f"/benchmarks/runs/{run.uid}/")
    assert "This run was withdrawn" in text
    assert "the driver was another one" in text


def test_a_draft_is_for_its_sender_and_for_curators_alone(client: Client) -> None:
    run = make_run(state="draft")
    address = f"/benchmarks/runs/{run.uid}/"
    text_of(client, address, status=404)
    users = get_user_model()
    client.force_login(users.objects.create_user("eve", password="x"))
    text_of(client, address, status=404)
    client.force_login(users.objects.create_user("ada", password="x"))
    assert "This run is a draft" in text_of(client, address)


def test_only_who_may_take_a_run_back_is_offered_to(client: Client) -> None:
    run = make_run()
    address = f"/benchmarks/runs/{run.uid}/"
    assert "Withdraw it" not in text_of(client, address)
    client.force_login(get_user_model().objects.create_user("ada", password="x"))
    assert "Withdraw it" in text_of(client, address)


@pytest.mark.parametrize("samples", [None, 50])
def test_the_run_page_costs_the_same_with_and_without_samples(
    client: Client, samples: int | None, django_assert_num_queries: Any
) -> None:
    run = make_run(samples=make_samples(count=samples) if samples else None)
    client.get(f"/benchmarks/runs/{run.uid}/")
    with django_assert_num_queries(7):
        client.get(f"/benchmarks/runs/{run.uid}/")


def test_no_template_leaves_a_blank_where_something_is_unknown(client: Client) -> None:
    run = make_run(
        framework="", model="", hardware="", quantization="", hardware_count=None,
        facts=dict.fromkeys(("model.id", "accelerator.name", "framework.name",
                             "quantization.weights", "framework.version")),
        framework_version="", load={"mode": None, "max_concurrency": None}, metrics={},
        measured_on=None,
    )  # fmt: skip
    text = text_of(client, f"/benchmarks/runs/{run.uid}/")
    assert "an unknown framework with an unknown model on unknown hardware" in text
    assert "No cell: its framework is unknown here." in text
    assert not re.search(r">None<|None ×", text)


def test_reviewers_see_drafts(client: Client) -> None:
    run = make_run(state="draft")
    user = get_user_model().objects.create_user("cleo", password="x")
    user.groups.add(Group.objects.get(name="curator"))
    client.force_login(user)
    text_of(client, f"/benchmarks/runs/{run.uid}/")


def test_the_order_of_measuring_puts_unknown_days_last_and_pages_meet() -> None:
    days = [date(2026, 3, 1), None, date(2026, 5, 1), date(2026, 3, 1), None, date(2026, 1, 1)]
    runs = [make_run(measured_on=day, measured_at=None) for day in days]
    wanted = [runs[n].uid for n in (2, 3, 0, 5, 4, 1)]
    seen: list[str] = []
    piece = slice_of(Run.objects.standing(), order=Order.MEASURED, size=2)
    while True:
        seen += [run.uid for run in piece.rows]
        if not piece.after:
            break
        piece = slice_of(Run.objects.standing(), order=Order.MEASURED, after=piece.after, size=2)
    assert seen == wanted
    back = slice_of(Run.objects.standing(), order=Order.MEASURED, before=wanted[4], size=2)
    assert [run.uid for run in back.rows] == wanted[2:4]


def test_values_of_a_printed_table_sum_a_run_up(client: Client) -> None:
    make_run(metrics={}, measurements=[Measurement("ttft", "ttft/unstated", {"value": 80.0})])
    assert "80 ms" in text_of(client, "/benchmarks/")


def test_the_first_page_links_comparisons_of_shipped_runs(client: Client) -> None:
    assert "To begin with" not in text_of(client, "/benchmarks/")
    for _ in range(2):
        make_run(run_class="demonstration", tool="guidellm")
    text = text_of(client, "/benchmarks/")
    address = re.search(r'To begin with, compare:.*?href="([^"]+)"', text, re.DOTALL)
    assert address is not None
    assert "Comparison of 2 runs" in text_of(client, html.unescape(address[1]))
    assert "To begin with" not in text_of(client, "/benchmarks/?framework=vllm")


def test_a_test_of_prompts_alone_has_no_arrow(client: Client) -> None:
    make_run(load_mode="microbench", input_tokens=64.0, output_tokens=0.0)
    text = text_of(client, "/benchmarks/")
    assert "64 prompt tokens" in text
    assert "→ 0" not in text


def test_a_value_alone_is_not_called_a_mean(client: Client) -> None:
    run = make_run(metrics={"output_token_throughput": {"value": 333.0, "mean": 321.0}})
    text = text_of(client, f"/benchmarks/runs/{run.uid}/")
    table = text.split('<table class="values">')[1].split("</table>")[0]
    heads = [one.split("<")[0] for one in table.split('class="number">')[1:]]
    assert heads[:2] == ["value", "mean"]
    assert heads[9:11] == ["333", "321"]


def test_bytes_are_grouped_and_a_stand_in_is_said_before_its_numbers(client: Client) -> None:
    run = make_run(
        facts={"host.memory_bytes": (25_769_803_776, "file")}, notices=[{"code": "mock_server"}]
    )
    text = text_of(client, f"/benchmarks/runs/{run.uid}/")
    assert "25,769,803,776 (24 GiB)" in text
    assert re.search(r'class="verdict"><span class="tag tag-warn">! stand-in server</span>', text)
