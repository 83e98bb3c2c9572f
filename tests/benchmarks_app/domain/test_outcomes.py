"""What a run shows about its cell, and when it shows nothing."""

import pytest

from benchmarks_app.contract import Counts, Fact, Measurement, Tokens
from benchmarks_app.domain.levels import RunClass, RunOutcome, RunStatus
from benchmarks_app.domain.outcomes import REASONS, SIGNATURES, Shown, outcome_of, read_log
from benchmarks_app.domain.run_view import RunView

KNOWN = {
    "model.id": Fact("org/m"),
    "framework.name": Fact("vllm"),
    "framework.version": Fact("0.9.1"),
    "accelerator.name": Fact("H100"),
}
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20 GiB"


def make_view(
    status: RunStatus = RunStatus.OK,
    run_class: RunClass = RunClass.MEASURED,
    counts: Counts | None = None,
    *,
    facts: dict[str, Fact] | None = None,
    output: int | None = None,
    mocked: bool = False,
) -> RunView:
    return RunView(
        "u", "u", "vllm", run_class, status,
        facts=KNOWN if facts is None else facts,
        counts=counts or Counts(total=10, completed=10, failed=0),
        tokens=Tokens(output_total=output),
        measurements=(Measurement("ttft", "ttft/first-chunk", {"mean": 1.0}),),
        mocked=mocked,
    )  # fmt: skip


def test_a_run_with_all_requests_completed_shows_that_the_cell_works() -> None:
    assert outcome_of(make_view()) == Shown(RunOutcome.COMPLETED, "completed")


def test_a_test_without_requests_shows_it_by_its_numbers() -> None:
    assert outcome_of(make_view(counts=Counts())).outcome is RunOutcome.COMPLETED


@pytest.mark.parametrize(
    ("view", "notices", "reason"),
    [
        (make_view(mocked=True), (), "mocked"),
        (make_view(), ("mock_server",), "mocked"),
        (make_view(run_class=RunClass.DEMONSTRATION), (), "demonstration"),
        (make_view(), ("hosted_api",), "hosted-api"),
        (make_view(facts={"model.id": Fact("a")}), (), "no-subject"),
        (make_view(facts={**KNOWN, "accelerator.name": Fact("not captured")}), (), "no-subject"),
        (
            make_view(
                run_class=RunClass.PUBLISHED,
                facts={n: f for n, f in KNOWN.items() if n != "framework.version"},
            ),
            (),
            "published-without-environment",
        ),
        (make_view(RunStatus.SUSPECT), (), "suspect"),
        (make_view(RunStatus.CANCELLED), (), "cancelled"),
        (make_view(RunStatus.INVALID), (), "invalid"),
        (make_view(counts=Counts(completed=0)), (), "no-output"),
        (make_view(output=0), (), "no-output"),
        (make_view(counts=Counts(completed=-3)), (), "no-output"),
        (make_view(output=-5), (), "no-output"),
        (make_view(), ("negative_value",), "suspect"),
        (make_view(), ("absurd_value",), "suspect"),
        (make_view(RunStatus.PARTIAL, counts=Counts(completed=4, failed=6)), (), "mostly-failed"),
        (make_view(RunStatus.FAILED), (), "failed-unexplained"),
    ],
)
def test_what_proves_nothing_shows_nothing(
    view: RunView, notices: tuple[str, ...], reason: str
) -> None:
    assert outcome_of(view, notices=notices) == Shown(RunOutcome.NOT_SHOWN, reason)


def test_a_published_table_with_its_environment_shows_what_it_says() -> None:
    view = make_view(run_class=RunClass.PUBLISHED)
    assert outcome_of(view).outcome is RunOutcome.COMPLETED


def test_a_processor_that_is_named_is_enough_hardware() -> None:
    facts = {
        "model.file": Fact("m.gguf"), "framework.name": Fact("llama.cpp"), "host.cpu": Fact("EPYC")
    }  # fmt: skip
    assert outcome_of(make_view(facts=facts)).outcome is RunOutcome.COMPLETED


def test_some_failed_requests_are_said_with_their_number() -> None:
    view = make_view(RunStatus.PARTIAL, counts=Counts(completed=9, failed=1))
    assert outcome_of(view, failures={"HTTP 500": 1}) == Shown(
        RunOutcome.COMPLETED, "completed-partly", "1/10"
    )
    found = outcome_of(view, failures={OOM: 1})
    assert (found.outcome, found.reason) == (RunOutcome.COMPLETED, "out-of-memory-under-load")
    assert found.detail.startswith("1/10 torch.OutOfMemoryError")
    mostly = make_view(RunStatus.PARTIAL, counts=Counts(completed=1, failed=9))
    assert outcome_of(mostly, failures={OOM: 9}).outcome is RunOutcome.FAILS


def test_running_out_of_memory_shows_that_it_does_not_fit() -> None:
    failed = make_view(RunStatus.FAILED, counts=Counts(total=5, completed=0, failed=5))
    for told in ({"failures": {OOM: 5}}, {"logs": (f"INFO start\nERROR {OOM}\n",)}):
        found = outcome_of(failed, **told)  # type: ignore[arg-type]
        assert (found.outcome, found.reason) == (RunOutcome.DOES_NOT_FIT, "out-of-memory")
        assert "CUDA out of memory" in found.detail


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        ("ClientConnectorError: Cannot connect to host", "client-error"),
        ("HTTP 404 Not Found", "client-error"),
        ("Internal Server Error", "server-error"),
    ],
)
def test_a_server_that_does_not_answer_is_no_proof_against_the_cell(
    failure: str, reason: str
) -> None:
    found = outcome_of(make_view(RunStatus.FAILED), failures={failure: 3})
    assert (found.outcome, found.reason) == (RunOutcome.NOT_SHOWN, reason)


def test_a_run_that_worked_is_not_called_broken_by_an_old_line_of_the_log() -> None:
    assert outcome_of(make_view(), logs=(OOM,)).outcome is RunOutcome.COMPLETED


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ValueError: No available memory for the cache blocks. Try", "cache-too-small"),
        ("the max seq len (131072) is larger than the maximum number of tokens that can be stored "
         "in KV cache (53712)", "cache-too-small"),
        ("ggml_backend_cuda_buffer_type_alloc_buffer: cudaMalloc failed: out of memory",
         "out-of-memory"),
        ("vk::Device::allocateMemory: ErrorOutOfDeviceMemory", "out-of-memory"),
        ("RuntimeError: NPU out of memory. Tried to allocate", "out-of-memory"),
        ("Memory cgroup out of memory: Killed process 12", "host-out-of-memory"),
        ("error loading model: unknown model architecture: 'qwen9'", "not-supported"),
        ("CUDA error: no kernel image is available for execution on the device", "not-supported"),
        ("Model architectures ['X'] are not supported for now.", "not-supported"),
        ("CUDA error: an illegal memory access was encountered", "crashed"),
    ],
)  # fmt: skip
def test_the_signs_of_logs_are_known(line: str, reason: str) -> None:
    found = read_log(f"INFO fine\n{line}\nlater: illegal memory access")
    assert found is not None
    assert found.reason == reason


@pytest.mark.parametrize(
    "line", ["INFO memory profiling took 2 s", "out of range", "gpu_memory_utilization=0.9", ""]
)
def test_lines_without_a_sign_say_nothing(line: str) -> None:
    assert read_log(line) is None


def test_quoted_lines_are_masked_and_short() -> None:
    found = read_log(f"user@host7 /home/anna/x {OOM} hf_{'a' * 30} " + "y" * 900)
    assert found is not None
    assert "hf_aaaa" not in found.detail
    assert "anna" not in found.detail
    assert len(found.detail) <= 200


def test_every_reason_is_listed() -> None:
    assert {reason for _outcome, reason, _pattern in SIGNATURES} <= set(REASONS)
    assert {"suspect", "invalid", "cancelled"} <= set(REASONS)


def test_answers_without_a_token_show_nothing_where_no_token_was_counted() -> None:
    shown = outcome_of(make_view(), notices=("zero_token_successes",))
    assert (shown.outcome, shown.reason) == (RunOutcome.NOT_SHOWN, "no-output")
    counted = outcome_of(make_view(output=9), notices=("zero_token_successes",))
    assert counted.outcome is RunOutcome.COMPLETED
