"""What was measured on a cell, as the apps further in ask for it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from benchmarks_app.contract import Samples
from benchmarks_app.measured import runs_of_cell, runs_of_references, throughput_of_cell
from benchmarks_app.models import Run
from matrix.domain.coordinates import Cell
from matrix.domain.errors import InvalidValue
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.measured import Slo
from matrix.index import forget_knowledge
from tests.benchmarks_app.builders import SENT_AT, make_run, make_samples
from tests.matrix.api.rows import make_world

pytestmark = pytest.mark.django_db

CELL = Cell(
    framework="vllm",
    nodes={
        Axis.MODEL: "meta--llama-3-8b",
        Axis.QUANTIZATION: "awq",
        Axis.HARDWARE: "nvidia-t4",
    },
)
EASY = Slo(ttft_ms=10_000.0, share=0.9)
NOTHING = Slo()


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


def rate(value: float) -> dict[str, dict[str, float]]:
    """The values of a run of one output rate."""
    return {"output_token_throughput": {"value": value}, "ttft": {"p50": 80.0, "p95": 120.0}}


def throughput(slo: Slo = NOTHING, *, cell: Cell = CELL, **more: Any) -> Any:
    return throughput_of_cell(cell, slo, **({"version": "0.7.0"} | more))


def test_the_settings_name_these_functions() -> None:
    assert import_string(settings.MATRIX_MEASURED_RUNS) is runs_of_cell
    assert import_string(settings.MATRIX_SLO_THROUGHPUT) is throughput_of_cell
    assert import_string(settings.MATRIX_RUNS_BY_REFERENCE) is runs_of_references


class TestRunsOfCell:
    def test_runs_on_the_cell_come_first_with_their_values(self) -> None:
        other = make_run(framework_version="0.8.0")
        run = make_run(metrics=rate(500.0), samples=make_samples())
        found = runs_of_cell(CELL, version="0.7.0")
        assert [one.reference for one in found] == [
            f"benchmarks:run:{run.uid}",
            f"benchmarks:run:{other.uid}",
        ]
        mine = found[0]
        assert mine.is_exact and mine.distance == () and mine.is_performance
        assert mine.metrics["output_token_throughput_tok_s"] == 500.0
        assert mine.metrics["ttft_p95_ms"] < 200.0
        assert (mine.hardware, mine.hardware_count, mine.grade) == ("nvidia-t4", 1, "B")
        assert mine.has_samples and mine.state == "published"
        assert mine.url == f"/benchmarks/runs/{run.uid}/"
        assert found[1].distance == ("other version",) and not found[1].is_exact

    @pytest.mark.parametrize(
        "change",
        [
            {"run_class": "published"},
            {"run_class": "demonstration"},
            {"status": "partial"},
            {"status": "suspect"},
            {"notices": [{"code": "mock_server", "detail": "", "pointer": ""}]},
            {"notices": [{"code": "hosted_api", "detail": "", "pointer": ""}]},
        ],
    )
    def test_what_is_no_performance_is_shown_as_none(self, change: dict[str, Any]) -> None:
        make_run(**change)
        (found,) = runs_of_cell(CELL, version="0.7.0")
        assert not found.is_performance
        assert throughput().why_unknown == "not-performance"

    def test_of_a_past_moment_are_the_runs_that_stood_then(self) -> None:
        early = make_run(published_at=SENT_AT, state="withdrawn")
        make_run(published_at=SENT_AT + timedelta(days=9))
        ended_at = Run.objects.get(pk=early.pk).ended_at
        assert ended_at is not None
        then = runs_of_cell(CELL, version="0.7.0", known_at=SENT_AT + timedelta(minutes=5))
        assert [one.reference for one in then] == [f"benchmarks:run:{early.uid}"]
        assert then[0].state == "withdrawn"
        now = runs_of_cell(CELL, version="0.7.0", known_at=ended_at)
        assert now == []

    def test_a_run_on_another_number_of_devices_is_near_and_not_exact(self) -> None:
        make_run(hardware_count=8)
        two = replace(CELL, numbers={NumberAxis.HARDWARE_COUNT: 2})
        (found,) = runs_of_cell(two, version="0.7.0")
        assert not found.is_exact and len(found.distance) == 1
        (same,) = runs_of_cell(
            replace(CELL, numbers={NumberAxis.HARDWARE_COUNT: 8}), version="0.7.0"
        )
        assert same.is_exact and same.distance == ()

    def test_as_of_a_day_are_the_runs_measured_by_then(self) -> None:
        make_run(measured_on=date(2026, 3, 10), metrics=rate(500.0))
        for day, count in ((date(2026, 3, 10), 1), (date(2026, 3, 8), 0)):
            assert len(runs_of_cell(CELL, version="0.7.0", as_of=day)) == count
            assert (throughput(as_of=day).output_tok_s == 500.0) is bool(count)

    def test_queries_do_not_grow_with_runs(self, django_assert_max_num_queries: Any) -> None:
        for _ in range(6):
            make_run(samples=make_samples(count=100))
        runs_of_cell(CELL, version="0.7.0")
        with django_assert_max_num_queries(5):
            assert len(runs_of_cell(CELL, version="0.7.0")) == 6
        with django_assert_max_num_queries(6):
            assert throughput(EASY).output_tok_s == 333.0

    def test_a_cell_without_model_and_hardware_has_no_runs(self) -> None:
        make_run()
        assert runs_of_cell(Cell("vllm"), version="0.7.0") == []


class TestReferences:
    def test_runs_come_in_the_asked_order_as_they_stand_now(self) -> None:
        one, two = make_run(), make_run(state="withdrawn")
        draft = make_run(state="draft")
        asked = [f"benchmarks:run:{run.uid}" for run in (two, one, draft)]
        found = runs_of_references([*asked, "benchmarks:run:nobody", "other:1", asked[0]])
        assert [run.reference for run in found] == asked[:2]
        assert [run.state for run in found] == ["withdrawn", "published"]
        assert found[0].digest == two.digest


class TestThroughput:
    def test_no_run_is_no_throughput(self) -> None:
        found = throughput(EASY)
        assert (found.why_unknown, found.output_tok_s) == ("no-run", None)

    @pytest.mark.parametrize(
        "change",
        [
            {"framework_version": "0.8.0"},
            {"hardware": "nvidia-turing"},
            {"hardware": "nvidia-a100"},
            {"quantization": "fp8"},
            {"model": "llama-3"},
            {"state": "withdrawn"},
            {"state": "draft"},
        ],
    )
    def test_only_runs_on_the_cell_itself_answer(self, change: dict[str, Any]) -> None:
        make_run(samples=make_samples(), **change)
        assert throughput(EASY).why_unknown == "no-run"

    def test_without_a_release_nothing_was_measured(self) -> None:
        make_run(samples=make_samples())
        assert throughput(EASY, version=None).why_unknown == "no-run"

    def test_a_run_that_meets_the_objectives_answers(self) -> None:
        run = make_run(samples=make_samples(), metrics=rate(500.0))
        found = throughput(EASY)
        assert found.why_unknown == ""
        assert found.output_tok_s == 500.0
        assert found.attained_share == 1.0
        assert found.goodput_req_s == pytest.approx(200 / 38.4)
        assert (found.hardware, found.hardware_count) == ("nvidia-t4", 1)
        assert [one.reference for one in found.runs] == [f"benchmarks:run:{run.uid}"]
        assert found.runs[0].is_exact
        assert found.marks == ()

    def test_requests_beyond_a_latency_do_not_count(self) -> None:
        make_run(samples=make_samples(), metrics=rate(500.0))
        assert throughput(Slo(ttft_ms=1.0)).why_unknown == "slo-not-met"
        elsewhere = throughput(Slo(ttft_ms=1.0, concurrency=999))
        assert elsewhere.marks == ("other-concurrency",)
        # Half of the requests are within the median.
        samples = make_samples()
        half = float(np.median(samples.requests["ttft_ms"]))
        assert throughput(Slo(ttft_ms=half, share=0.49)).output_tok_s == 500.0
        assert throughput(Slo(ttft_ms=half, share=0.51)).why_unknown == "slo-not-met"

    def test_a_slower_run_that_meets_them_comes_before_a_faster_one_that_does_not(self) -> None:
        make_run(metrics=rate(900.0), samples=make_samples(scale=20.0),
                 load={"max_concurrency": 64})  # fmt: skip
        make_run(metrics=rate(300.0), samples=make_samples(), load={"max_concurrency": 2})
        make_run(metrics=rate(500.0), samples=make_samples(), load={"max_concurrency": 4})
        assert throughput(Slo(ttft_ms=300.0)).output_tok_s == 500.0

    def test_without_samples_a_latency_cannot_be_judged(self) -> None:
        make_run(metrics=rate(500.0))
        assert throughput(EASY).why_unknown == "no-samples"

    def test_without_the_column_a_latency_cannot_be_judged(self) -> None:
        samples = make_samples()
        bare = {name: column for name, column in samples.requests.items() if name != "ttft_ms"}
        make_run(metrics=rate(500.0), samples=Samples(requests=bare))
        assert throughput(EASY).why_unknown == "no-column"

    def test_without_a_latency_the_load_speaks_for_itself_and_is_marked(self) -> None:
        make_run(metrics=rate(500.0))
        found = throughput(NOTHING)
        assert found.output_tok_s == 500.0
        assert found.marks == ("load-own-terms",)
        assert found.attained_share is None
        assert found.goodput_req_s is None

    @pytest.mark.parametrize("mode", ["microbench", "offline_batch"])
    def test_a_test_without_a_server_never_answers(self, mode: str) -> None:
        make_run(load={"mode": mode}, metrics={"decode_throughput": {"mean": 50.0}})
        make_run(load={"mode": mode}, metrics=rate(500.0))
        assert throughput(NOTHING).why_unknown == "no-serving"

    def test_an_unknown_number_of_devices_is_no_deployment(self) -> None:
        make_run(hardware_count=None, metrics=rate(500.0))
        assert throughput(NOTHING).why_unknown == "count-unknown"

    def test_an_asked_number_of_devices_is_held(self) -> None:
        make_run(hardware_count=2, metrics=rate(900.0))
        make_run(hardware_count=1, metrics=rate(500.0))
        for count, value in ((1, 500.0), (2, 900.0)):
            cell = Cell("vllm", nodes=CELL.nodes, numbers={NumberAxis.HARDWARE_COUNT: count})
            assert throughput(cell=cell).output_tok_s == value
        four = Cell("vllm", nodes=CELL.nodes, numbers={NumberAxis.HARDWARE_COUNT: 4})
        assert throughput(cell=four).why_unknown == "no-run"

    def test_a_run_of_other_lengths_is_another_load(self) -> None:
        make_run(metrics=rate(500.0))
        assert throughput(Slo(input_tokens=520, output_tokens=128)).output_tok_s == 500.0
        assert throughput(Slo(input_tokens=4096)).why_unknown == "other-load"
        make_run(metrics=rate(700.0), load={"isl_mean": None, "osl_mean": None})
        unknown = throughput(Slo(input_tokens=4096))
        assert (unknown.output_tok_s, "length-unknown" in unknown.marks) == (700.0, True)

    def test_failures_beyond_the_allowed_share_do_not_count(self) -> None:
        requests = {"total": 100, "completed": 97, "failed": 3}
        make_run(metrics=rate(500.0), requests=requests)
        assert throughput(Slo(error_rate=0.02)).why_unknown == "slo-not-met"
        assert throughput(Slo(error_rate=0.03)).output_tok_s == 500.0

    def test_unknown_failures_are_not_none(self) -> None:
        make_run(metrics=rate(500.0), requests={})
        assert throughput(Slo(error_rate=0.5)).why_unknown == "no-column"

    def test_like_runs_give_their_middle_and_their_spread(self) -> None:
        for value in (480.0, 500.0, 530.0):
            make_run(metrics=rate(value), samples=make_samples())
        found = throughput(EASY)
        assert (found.low_output_tok_s, found.output_tok_s, found.high_output_tok_s) == (
            480.0, 500.0, 530.0,
        )  # fmt: skip
        assert found.interval_of == "runs"
        assert len(found.runs) == 3
        assert found.runs[0].metrics["output_token_throughput_tok_s"] == 500.0

    def test_a_repetition_that_missed_is_told(self) -> None:
        make_run(metrics=rate(500.0), samples=make_samples())
        make_run(metrics=rate(510.0), samples=make_samples(scale=50.0))
        found = throughput(Slo(ttft_ms=300.0))
        assert found.output_tok_s == 500.0
        assert "some-runs-missed" in found.marks

    def test_one_run_gives_the_spread_of_its_requests(self) -> None:
        make_run(metrics=rate(500.0), samples=make_samples())
        found = throughput(EASY)
        assert found.interval_of == "requests"
        assert found.low_output_tok_s is not None and found.high_output_tok_s is not None
        assert 400.0 < found.low_output_tok_s < 500.0 < found.high_output_tok_s < 600.0

    def test_few_requests_have_no_spread(self) -> None:
        make_run(metrics=rate(500.0), samples=make_samples(count=5))
        found = throughput(EASY)
        assert (found.interval_of, found.low_output_tok_s) == ("", None)

    def test_rates_follow_from_totals_where_none_is_reported(self) -> None:
        make_run(metrics={"ttft": {"p50": 80.0}})
        found = throughput(NOTHING)
        assert found.output_tok_s == pytest.approx(12800 / 38.4)
        assert found.total_tok_s == pytest.approx(64000 / 38.4)

    def test_a_total_below_the_output_is_unknown(self) -> None:
        make_run(metrics={**rate(500.0), "total_token_throughput": {"value": 100.0}})
        found = throughput(NOTHING)
        assert (found.output_tok_s, found.total_tok_s) == (500.0, None)

    def test_another_concurrency_and_unstated_features_are_marked(self) -> None:
        make_run(metrics=rate(500.0))
        cell = Cell("vllm", nodes=CELL.nodes, features=frozenset({"lora"}))
        found = throughput(Slo(concurrency=32), cell=cell)
        assert found.marks == ("load-own-terms", "other-concurrency", "features-not-stated")

    def test_an_impossible_latency_is_refused(self) -> None:
        make_run(metrics=rate(500.0), samples=make_samples())
        with pytest.raises(InvalidValue):
            throughput(Slo(ttft_ms=-1.0))

    def test_a_misleading_run_does_not_answer(self) -> None:
        notices = [{"code": "aggregate_over_stages", "detail": "", "pointer": ""}]
        make_run(metrics=rate(900.0), notices=notices)
        assert throughput(NOTHING).why_unknown == "not-performance"
        make_run(metrics=rate(500.0))
        assert throughput(NOTHING).output_tok_s == 500.0
