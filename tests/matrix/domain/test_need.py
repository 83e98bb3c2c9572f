"""The need of a dossier is read strictly, and an error names the member."""

from typing import Any

import pytest

from matrix.domain.errors import InvalidValue
from matrix.domain.need import Need, read_need

WHOLE: dict[str, Any] = {
    "purpose": " Answer customers ",
    "workload": {
        "input_tokens_p50": 900,
        "input_tokens_p95": 3000,
        "output_tokens_p50": 180,
        "concurrency": 512,
        "request_rate_req_s": 300,
        "peak_factor": 2,
    },
    "objectives": {"ttft_ms": 800, "tpot_ms": 60.5, "e2el_ms": None, "error_rate": 0},
    "models": ["a/b", "a/b", "c"],
    "precision": "",
    "hardware": [{"hardware": "nvidia-t4", "count": 8}, {"hardware": "nvidia-l4"}],
    "required_features": ["lora"],
    "limits": {"team": "four people"},
    "currency": "eur",
}


def test_a_whole_need_is_read_and_what_is_left_out_stays_unknown() -> None:
    need = read_need(WHOLE)
    assert need.purpose == "Answer customers"
    assert need.models == ("a/b", "c")
    assert need.currency == "EUR"
    assert need.objectives.e2el_ms is None
    assert need.objectives.error_rate == 0
    assert need.hardware[1].count is None
    assert need.workload.output_tokens_p95 is None
    assert need.workload.peak_rate_req_s == 600
    assert need.workload.context_tokens == 3180
    assert read_need({}) == Need()
    assert read_need({}).workload.context_tokens is None


def test_the_objectives_become_the_question_to_measurements() -> None:
    slo = read_need(WHOLE).slo
    assert (slo.ttft_ms, slo.tpot_ms, slo.e2el_ms, slo.share) == (800, 60.5, None, 0.95)
    assert (slo.input_tokens, slo.output_tokens, slo.concurrency) == (900, 180, 512)
    assert slo.request_rate_req_s == 300


@pytest.mark.parametrize(
    ("plain", "name"),
    [
        ([], "need"),
        ({"modells": []}, "need.modells"),
        ({"workload": {"concurrency": 0}}, "need.workload.concurrency"),
        ({"workload": {"concurrency": -3}}, "need.workload.concurrency"),
        ({"workload": {"concurrency": 1.5}}, "need.workload.concurrency"),
        ({"workload": {"concurrency": True}}, "need.workload.concurrency"),
        ({"workload": {"concurrency": "8"}}, "need.workload.concurrency"),
        ({"workload": {"input_tokens_p50": 10, "input_tokens_p95": 9}},
         "need.workload.input_tokens_p95"),
        ({"workload": {"peak_factor": 0.5}}, "need.workload.peak_factor"),
        ({"workload": {"request_rate_req_s": float("nan")}}, "need.workload.request_rate_req_s"),
        ({"workload": {"request_rate_req_s": float("inf")}}, "need.workload.request_rate_req_s"),
        ({"objectives": {"share": 1.2}}, "need.objectives.share"),
        ({"objectives": {"share": 0}}, "need.objectives.share"),
        ({"objectives": {"ttft_ms": -1}}, "need.objectives.ttft_ms"),
        ({"objectives": {"error_rate": 2}}, "need.objectives.error_rate"),
        ({"models": "one"}, "need.models"),
        ({"models": [""]}, "need.models.0"),
        ({"models": ["x"] * 51}, "need.models"),
        ({"hardware": [{"count": 3}]}, "need.hardware.0.hardware"),
        ({"hardware": ["t4"]}, "need.hardware.0"),
        ({"hardware": [{"hardware": "t4", "count": 0}]}, "need.hardware.0.count"),
        ({"limits": {"team": "x" * 4001}}, "need.limits.team"),
        ({"purpose": "a\x00b"}, "need.purpose"),
        ({"purpose": "a\ud800b"}, "need.purpose"),
        ({"currency": "EURO"}, "need.currency"),
        ({"currency": "12€"}, "need.currency"),
    ],
)  # fmt: skip
def test_an_error_names_the_member_and_what_is_accepted(plain: Any, name: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        read_need(plain)
    assert caught.value.facts["parameter"] == name
    assert caught.value.facts["accepted"]
