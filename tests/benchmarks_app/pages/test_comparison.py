"""The comparison page: comparable first, honest intervals, thresholds, permalinks, exports."""

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from benchmarks_app.contract import Measurement
from benchmarks_app.models import Run
from benchmarks_app.queries import runs
from matrix.index import forget_knowledge
from tests.benchmarks_app.builders import make_run, make_samples
from tests.matrix.pages_world import HOSTILE, fill_pages_world

pytestmark = pytest.mark.django_db
COMPARE = "/benchmarks/compare/"


@pytest.fixture(autouse=True)
def _world(db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


def figure_data(text: str, key: str) -> Any:
    """What the script draws of a figure."""
    found = re.search(rf'<script id="plot-data-{key}"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def text_of(client: Client, address: str, *, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, answer.content[:400]
    return answer.content.decode()


def compare(client: Client, *runs: Run, options: str = "") -> str:
    return text_of(client, f"{COMPARE}?runs={','.join(run.uid for run in runs)}{options}")


def pair(**changes: Any) -> tuple[Run, Run]:
    """Two runs that differ in the framework's version and in what ``changes`` says of the later."""
    first = make_run(label="old", samples=make_samples(seed=1))
    later = {"facts": {"framework.version": ("0.8.0", "file")}, "framework_version": "0.8.0"}
    second = make_run(label="new", samples=make_samples(seed=2, scale=0.5), **(later | changes))
    return first, second


def test_comparable_runs_get_a_ratio_with_its_interval(client: Client) -> None:
    text = compare(client, *pair())
    assert "Yes: everything that must be equal is" in text or "As far as is known" in text
    assert re.search(r"0\.\d+×</strong> <small>better</small>", text)
    assert re.search(r"0\.\d+–0\.\d+×", text)


def test_one_reported_number_has_no_interval_and_says_so(client: Client) -> None:
    text = compare(client, make_run(), make_run())
    assert "one run, no interval" in text
    assert "better" not in re.sub(r"(lower|higher|right|down) is better", "", text)


def test_different_lengths_forbid_the_ratio_and_say_why(client: Client) -> None:
    text = compare(client, *pair(load={"isl_mean": 4096.0}))
    assert "Not in everything" in text
    assert "the inputs have different lengths: 512 and 4,096" in text
    assert "⊘ not comparable" in text
    assert "×</strong>" not in text


def test_other_definitions_under_one_name_are_never_divided(client: Client) -> None:
    first = make_run(metrics={}, measurements=[Measurement("itl", "itl/chunk", {"p50": 10.0})])
    second = make_run(metrics={}, measurements=[Measurement("itl", "itl/token", {"p50": 5.0})])
    text = compare(client, first, second)
    assert "the tools compute different things under this name" in text
    assert "×</strong>" not in text


def test_a_load_that_differs_may_be_what_is_compared(client: Client) -> None:
    runs = pair(load={"max_concurrency": 32})
    assert "⊘ not comparable" in compare(client, *runs)
    varied = compare(client, *runs, options="&vary=load")
    assert "⊘ not comparable" not in varied
    assert "×</strong>" in varied


def test_the_baseline_can_be_chosen(client: Client) -> None:
    first, second = pair()
    text = compare(client, first, second, options=f"&baseline={second.uid}")
    row = text.split('class="baseline"')[1][:300]
    assert "new" in row
    assert "worse" in text


def test_thresholds_are_counted_again_from_the_samples(client: Client) -> None:
    slow = make_run(label="slow", samples=make_samples(seed=3, scale=2.0))
    fast = make_run(label="fast", samples=make_samples(seed=3, scale=0.2))
    none = make_run(label="none")
    text = compare(client, slow, fast, none, options="&ttft_ms=60&share=0.9")
    assert "100.00%" in text
    assert "the run has no samples of single requests" in text
    assert text.count("✓ yes") == 1
    assert text.count("✕ no") == 1
    assert "? unknown" in text


def test_published_and_demonstration_runs_are_marked_in_words(client: Client) -> None:
    text = compare(client, make_run(run_class="published"), make_run(run_class="demonstration"))
    assert "Runs 1: printed in a table, not measured here." in text
    assert "Runs 2: demonstrations, no statement about performance." in text


def test_the_permalink_says_the_same_until_a_run_is_withdrawn(client: Client) -> None:
    first, second = pair()
    text = compare(client, first, second, options="&ttft_ms=100")
    link = re.search(r'id="permalink" readonly value="([^"]+)"', text)
    assert link is not None
    address = link[1].replace("&amp;", "&")
    assert "digest=" in address
    assert "ttft_ms=100" in address
    assert "no longer say" not in text_of(client, address)
    second.state, second.reason, second.ended_by = "withdrawn", "other driver", "ada"
    second.save()
    changed = text_of(client, address)
    assert "no longer say" in changed
    assert "withdrawn" in changed
    assert "other driver" in changed


def test_filters_choose_all_runs_of_a_cell(client: Client) -> None:
    make_run(label="here-1")
    make_run(label="here-2")
    make_run(label="elsewhere", hardware="amd-mi300x")
    text = text_of(client, f"{COMPARE}?framework=vllm&hardware=turing")
    assert "Comparison of 2 runs" in text
    assert "elsewhere" not in text


def test_ticked_runs_become_one_list_in_the_address(client: Client) -> None:
    first, second = pair()
    answer = client.get(f"{COMPARE}?runs={first.uid}&runs={second.uid}")
    assert answer.status_code == 302
    assert answer["Location"] == f"{COMPARE}?runs={first.uid},{second.uid}"


def test_too_few_runs_are_explained_and_wrong_ones_are_errors(client: Client) -> None:
    run = make_run()
    draft = make_run(state="draft")
    assert "at least two runs" in text_of(client, COMPARE)
    assert "One run is chosen" in text_of(client, f"{COMPARE}?runs={run.uid}")
    for query, part in (
        (f"runs={run.uid},nobody", "nobody"),
        (f"runs={run.uid},{draft.uid}", draft.uid),
        (f"runs={run.uid},{make_run().uid}&baseline=other", "baseline"),
        (f"runs={run.uid}&ttft_ms=-1", "milliseconds above 0"),
        (f"runs={run.uid}&share=2", "a share above 0"),
        (f"runs={run.uid}&latency=speed", "ttft, tpot"),
        ("runs=" + ",".join(f"x{n}" for n in range(51)), "up to 50"),
        ("colour=red", "is no parameter here"),
    ):
        assert part in text_of(client, f"{COMPARE}?{query}", status=400), query


def test_figures_hold_their_data_and_a_reason_where_they_cannot_be_drawn(client: Client) -> None:
    text = compare(client, make_run(), make_run())
    assert "No chosen run has samples of single requests." in text
    assert 'id="plot-data-frontier"' in text
    assert "do not differ in a known concurrency" in text


def test_hostile_labels_stay_text_in_page_and_exports(client: Client) -> None:
    first, second = make_run(label=HOSTILE), make_run(label="=cmd()", samples=make_samples())
    assert "<script>alert(1)" not in compare(client, first, second)
    for kind in ("csv", "json", "markdown", "html"):
        address = f"{COMPARE}export/{kind}/?runs={first.uid},{second.uid}"
        text = text_of(client, address)
        if kind in {"html", "markdown"}:
            assert "<script>alert(1)" not in text, kind
        if kind == "csv":
            assert "'=cmd()" in text


def test_the_exports_say_what_the_page_says(client: Client) -> None:
    first, second = pair()
    query = f"?runs={first.uid},{second.uid}&ttft_ms=60"
    plain = json.loads(text_of(client, f"{COMPARE}export/json/{query}"))
    assert [run["uid"] for run in plain["runs"]] == [first.uid, second.uid]
    ttft = next(v for v in plain["values"] if (v["metric"], v["stat"]) == ("ttft", "p50"))
    assert ttft["unit"] == "ms"
    assert ttft["runs"][1]["ratio_interval"][0] < ttft["runs"][1]["ratio"]
    assert plain["attainment"][0]["total"] == 200
    lines = list(csv.DictReader(io.StringIO(text_of(client, f"{COMPARE}export/csv/{query}"))))
    line = next(
        one
        for one in lines
        if (one["run"], one["metric"], one["stat"]) == (second.uid, "ttft", "p50")
    )
    assert float(line["ratio"]) == pytest.approx(ttft["runs"][1]["ratio"])
    markdown = text_of(client, f"{COMPARE}export/markdown/{query}")
    assert "## Values" in markdown
    assert plain["digest"] in markdown
    assert client.get(f"{COMPARE}export/pdf/{query}").status_code == 404


def test_the_kept_page_needs_nothing_from_outside(client: Client) -> None:
    first, second = pair()
    text = text_of(client, f"{COMPARE}export/html/?runs={first.uid},{second.uid}")
    head = text[: text.index("</head>")]
    assert "default-src 'none'" in head
    assert not re.search(r"<(link|script|img)[^>]*(src|href)=", text[:200_000])
    assert text.count("<script") >= 3
    assert "plot-data-frontier" in text


@pytest.mark.parametrize("runs", [2, 8])
def test_a_comparison_costs_the_same_for_any_number_of_runs(
    client: Client, runs: int, django_assert_num_queries: Any
) -> None:
    made = [make_run(samples=make_samples(seed=n)) for n in range(runs)]
    compare(client, *made)
    with django_assert_num_queries(4):
        compare(client, *made)


def test_a_reason_for_many_pairs_of_values_is_said_once(client: Client) -> None:
    runs = [make_run(load={"isl_mean": 100.0 * 2**n}) for n in range(7)]
    text = compare(client, *runs)
    assert text.count('<th scope="row" class="wrap">the inputs have different lengths') == 1
    assert "2–7" in text


def test_a_setting_that_no_list_names_is_seen_where_it_differs(client: Client) -> None:
    runs = [make_run(load={"extra": {"n_threads": n, "poll": 50}}) for n in (1, 2)]
    text = compare(client, *runs)
    row = re.search(r'<tr[^>]*><th scope="row">n_threads</th>.*?</tr>', text)
    assert row is not None
    assert "different" in row[0]
    assert "1 further setting differs nowhere" in text


def test_what_no_run_states_is_said_in_one_sentence_and_takes_no_row(client: Client) -> None:
    text = compare(client, *pair())
    unstated = re.search(r'<p class="small unstated">.*?</p>', text, re.DOTALL)
    assert unstated is not None
    assert "speculative decoding" in unstated[0]
    assert '<th scope="row">speculative decoding</th>' not in text
    assert "something that must be equal is not stated" in text


def test_models_are_told_by_their_files_where_no_run_has_an_identifier(client: Client) -> None:
    facts: dict[str, Any] = {"model.id": None, "model.file": ("a-Q4.gguf", "file")}
    other = {**facts, "model.file": ("b-Q4.gguf", "file")}
    assert "the models differ: a-Q4.gguf and b-Q4.gguf" in compare(
        client, make_run(facts=facts), make_run(facts=other)
    )


def test_a_picture_names_the_kind_of_runs_that_were_not_measured_here(client: Client) -> None:
    made = [make_run(run_class="demonstration", samples=make_samples(seed=n)) for n in range(2)]
    text = compare(client, *made)
    names = [trace["name"] for trace in figure_data(text, "cdf-ttft")["data"]]
    assert all(name.endswith("(demonstration)") for name in names)


def test_figures_show_what_most_runs_have_where_nothing_is_chosen(client: Client) -> None:
    runs = [
        make_run(metrics={"ttft": {"value": 80.0 + n}, "output_token_throughput": {"value": 9.0}})
        for n in range(2)
    ]
    text = compare(client, *runs)
    assert "Time to first token (TTFT), value [ms]" in text
    named = compare(client, *runs, options="&latency=ttft&latency_stat=p99")
    assert "Time to first token (TTFT), value [ms]" not in named


def test_many_runs_are_folded_and_many_lines_are_not_named(client: Client) -> None:
    runs = [
        make_run(samples=make_samples(seed=n), facts={"framework.version": (f"0.{n}.0", "file")})
        for n in range(21)
    ]
    text = compare(client, *runs)
    assert "21 runs; the baseline is 1." in text
    assert figure_data(text, "cdf-ttft")["layout"]["showlegend"] is False
    assert "Too many lines to name here" in text


def test_runs_that_do_not_compare_share_no_axis_over_their_time(client: Client) -> None:
    first = make_run(samples=make_samples())
    other = make_run(samples=make_samples(seed=2), load={"osl_mean": 999.0})
    third = make_run(samples=make_samples(seed=3))
    text = compare(client, first, other, third)
    for key in ("stability-completed_per_s", "stability-ttft"):
        names = [trace["name"] for trace in figure_data(text, key)["data"]]
        assert [name[:2] for name in names] == ["1.", "3."], key


def test_the_texts_of_a_picture_are_no_markup(client: Client) -> None:
    first = make_run(label="<a href='https://example.org'>x</a> & y", samples=make_samples())
    data = figure_data(compare(client, first, make_run(samples=make_samples())), "percentiles")
    assert data["data"][0]["name"].startswith("1. &lt;a href='https://example.org'&gt;x")
    assert data["data"][0]["hovertemplate"].endswith("</extra>")


def test_what_nobody_captured_is_unknown_and_never_equal(client: Client) -> None:
    stated = {"tokenizer.id": ("not captured", "uploader"), "dtype": ("bf16", "file")}
    first, second = make_run(facts=stated), make_run(facts=stated)
    address = f"{COMPARE}export/json/?runs={first.uid},{second.uid}"
    found = {one["name"]: one for one in json.loads(text_of(client, address))["variables"]}
    assert (found["tokenizer.id"]["verdict"], found["tokenizer.id"]["values"]) == (
        "unknown",
        [None, None],
    )
    assert found["dtype"]["verdict"] == "equal"


def test_the_exports_mark_what_was_not_measured_here_and_name_units_truly(client: Client) -> None:
    memory = {"peak_gpu_memory": {"value": 2.0 * 2**30}}
    first = make_run(metrics=memory)
    mock = [{"code": "mock_server", "detail": "", "pointer": ""}]
    second = make_run(metrics=memory, run_class="demonstration", notices=mock)
    query = f"?runs={first.uid},{second.uid}"
    lines = list(csv.DictReader(io.StringIO(text_of(client, f"{COMPARE}export/csv/{query}"))))
    assert {(one["run_class"], one["mocked"]) for one in lines} == {
        ("measured", "no"),
        ("demonstration", "yes"),
    }
    markdown = text_of(client, f"{COMPARE}export/markdown/{query}")
    assert "(demonstration, stand-in server)" in markdown
    line = next(one for one in markdown.splitlines() if "GiB" in one)
    assert "| 2 |" in line and "not comparable" in line
    assert "run 2: a stand-in answered" in markdown


def test_requests_without_a_latency_make_reached_unknown_and_not_a_no(client: Client) -> None:
    whole, lacking = make_samples(), make_samples(seed=2)
    lacking.requests["ttft_ms"][:50] = float("nan")
    text = compare(
        client, make_run(samples=whole), make_run(samples=lacking), options="&ttft_ms=100000"
    )
    table = text.split('id="slo"')[1]
    assert "✓ yes" in table and "? unknown" in table and "✕ no" not in table


def test_a_share_that_does_not_compare_with_the_baseline_says_why(client: Client) -> None:
    first = make_run(samples=make_samples())
    other = make_run(samples=make_samples(seed=2), load={"osl_mean": 999.0})
    text = compare(client, first, other, options="&ttft_ms=100").split('id="slo"')[1]
    assert "not comparable with the baseline: the answers have different lengths" in text


def test_more_samples_than_a_page_may_hold_are_refused_with_a_sentence(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pair()
    monkeypatch.setattr(runs, "MOST_SAMPLE_BYTES", 100)
    address = f"{COMPARE}?runs={first.uid},{second.uid}"
    assert "of samples" in text_of(client, address, status=400)
