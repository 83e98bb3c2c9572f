"""What stands between runs before their numbers are compared."""

from dataclasses import replace

import pytest

from benchmarks_app.contract import Fact, Load, Measurement
from benchmarks_app.domain.comparability import (
    BARRIER_CODES,
    VARIABLES,
    Barrier,
    Role,
    Severity,
    Verdict,
    barriers,
    barriers_between,
    compare_fingerprints,
    fingerprint,
)
from benchmarks_app.domain.levels import LoadMode, RunClass, RunStatus
from benchmarks_app.domain.run_view import RunView


def make_view(uid: str = "a", **changes: object) -> RunView:
    view = RunView(
        uid=uid,
        label=uid,
        tool="vllm",
        run_class=RunClass.MEASURED,
        status=RunStatus.OK,
        facts={"model.id": Fact("org/M"), "load.streaming": Fact(True)},
        load=Load(mode=LoadMode.CLOSED_LOOP, max_concurrency=8, isl_mean=1024.0, osl_mean=128.0),
        measurements=(
            Measurement("ttft", "ttft/first-chunk", {"p50": 1.0}, percentile_method="linear"),
            Measurement("request_throughput", "request_throughput/successful", {"value": 2.0}),
        ),
    )
    return replace(view, **changes)  # type: ignore[arg-type]


def rows(*runs: RunView, **options: object) -> dict[str, Verdict]:
    found = compare_fingerprints(runs, **options)  # type: ignore[arg-type]
    return {one.variable.name: one.verdict for one in found}


def test_a_fingerprint_says_what_is_known_and_what_is_not() -> None:
    found = fingerprint(make_view())
    assert found["model.id"] == "org/M"
    assert found["load.mode"] == "closed_loop"
    assert found["load.input_length"] == 1024.0
    assert found["model.revision"] is None
    assert set(found) == {one.name for one in VARIABLES}


def test_equal_different_and_unknown_are_told_apart() -> None:
    other = make_view(
        "b",
        facts={"model.id": Fact("org/m"), "tokenizer.id": Fact("t")},
        load=Load(mode=LoadMode.OPEN_LOOP, isl_mean=1050.0, osl_mean=300.0),
    )
    found = rows(make_view(), other)
    assert found["model.id"] is Verdict.EQUAL
    assert found["load.mode"] is Verdict.DIFFERENT
    assert found["load.input_length"] is Verdict.EQUAL
    assert found["load.output_length"] is Verdict.DIFFERENT
    assert found["tokenizer.id"] is Verdict.UNKNOWN
    assert found["model.revision"] is Verdict.UNKNOWN
    assert "host.cpu" not in found


def test_two_that_differ_are_different_even_when_a_third_is_unknown() -> None:
    stated = ({"dtype": Fact("bf16")}, {}, {"dtype": Fact("fp16")})
    views = [make_view(str(number), facts=facts) for number, facts in enumerate(stated)]
    assert rows(*views)["dtype"] is Verdict.DIFFERENT


def test_the_framework_is_expected_to_differ_and_a_varied_variable_is_marked() -> None:
    found = compare_fingerprints(
        [make_view(facts={"framework.version": Fact("1")})], varied=("load.max_concurrency",)
    )
    by_name = {one.variable.name: one for one in found}
    assert by_name["framework.version"].variable.role is Role.EXPECTED
    assert by_name["load.max_concurrency"].varied
    assert not by_name["load.mode"].varied


def test_equal_runs_have_nothing_between_them() -> None:
    assert barriers_between("ttft", make_view(), make_view("b")) == ()


LOAD = make_view().load


@pytest.mark.parametrize(
    ("change", "barrier"),
    [
        ({"measurements": ()}, Barrier("no-metric", Severity.BLOCKS, "ttft/first-chunk", None)),
        (
            {"measurements": (Measurement("ttft", "ttft/first-output", {"p50": 1.0},
                                          percentile_method="linear"),)},
            Barrier("definition", Severity.BLOCKS, "ttft/first-chunk", "ttft/first-output"),
        ),
        (
            {"measurements": (Measurement("ttft", "ttft/first-chunk", {"p50": 1.0},
                                          percentile_method="nearest_rank"),)},
            Barrier("percentile-method", Severity.MARKS, "linear", "nearest_rank"),
        ),
        (
            {"load": replace(LOAD, mode=LoadMode.OPEN_LOOP)},
            Barrier("load-mode", Severity.BLOCKS, "closed_loop", "open_loop"),
        ),
        (
            {"load": replace(LOAD, mode=None)},
            Barrier("load-mode-unknown", Severity.MARKS, "closed_loop", None),
        ),
        (
            {"load": replace(LOAD, osl_mean=140.0)},
            Barrier("output-length", Severity.BLOCKS, 128.0, 140.0),
        ),
        (
            {"load": replace(LOAD, max_concurrency=16)},
            Barrier("concurrency", Severity.BLOCKS, 8, 16),
        ),
        (
            {"facts": {"model.id": Fact("org/M"), "load.streaming": Fact(False)}},
            Barrier("streaming", Severity.BLOCKS, True, False),
        ),
        (
            {"run_class": RunClass.PUBLISHED},
            Barrier("run-class", Severity.MARKS, "measured", "published"),
        ),
        ({"mocked": True}, Barrier("mocked", Severity.BLOCKS, False, True)),
        ({"status": RunStatus.FAILED}, Barrier("not-completed", Severity.MARKS, "ok", "failed")),
    ],
)  # fmt: skip
def test_each_barrier_is_named_with_both_values(
    change: dict[str, object], barrier: Barrier
) -> None:
    found = barriers("ttft", [make_view(), make_view("b", **change)])
    assert found == {"b": (barrier,)}
    assert barrier.code in BARRIER_CODES


def test_streaming_does_not_matter_for_throughput() -> None:
    other = make_view("b", facts={"model.id": Fact("org/M"), "load.streaming": Fact(False)})
    assert barriers_between("request_throughput", make_view(), other) == ()


def test_what_the_axis_shows_may_vary() -> None:
    other = make_view("b", load=replace(LOAD, max_concurrency=64))
    assert barriers_between("ttft", make_view(), other, varied={"load.max_concurrency"}) == ()


def test_two_stand_ins_may_be_compared_with_the_mark() -> None:
    found = barriers_between("ttft", make_view(mocked=True), make_view("b", mocked=True))
    assert found == (Barrier("mocked", Severity.MARKS, True, True),)


@pytest.mark.parametrize(
    ("model", "severity"), [("org/M", Severity.MARKS), ("org/Other", Severity.BLOCKS)]
)
def test_tokens_of_another_models_tokenizer_are_another_unit(
    model: str, severity: Severity
) -> None:
    one = make_view(facts={"model.id": Fact("org/M"), "tokenizer.id": Fact("org/M")})
    other = make_view("b", facts={"model.id": Fact(model), "tokenizer.id": Fact("/models/m")})
    found = {barrier.code: barrier.severity for barrier in barriers_between("ttft", one, other)}
    assert found["tokenizer"] is severity
    varied = barriers_between("ttft", one, other, varied={"tokenizer.id", "model.id"})
    assert varied == ()


@pytest.mark.parametrize(
    ("definition", "tool", "severity"),
    [
        ("ttft/unstated", "sglang", Severity.BLOCKS),
        ("ttft/reported", "sglang", Severity.MARKS),
        ("ttft/unstated", "vllm", None),
        ("ttft/first-chunk", "sglang", None),
    ],
)
def test_two_tools_that_do_not_say_what_they_computed_are_not_one(
    definition: str, tool: str, severity: Severity | None
) -> None:
    measured = (Measurement("ttft", definition, {"p50": 1.0}),)
    found = barriers_between(
        "ttft", make_view(measurements=measured), make_view("b", measurements=measured, tool=tool)
    )
    unstated = [one.severity for one in found if one.code == "definition-unstated"]
    assert unstated == ([severity] if severity else [])
