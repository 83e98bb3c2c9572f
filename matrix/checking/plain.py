"""A check as plain data, numbers with their unit in the name."""

from collections.abc import Mapping
from typing import Any

from matrix.checking.answering import CheckAnswer, FrameworkAnswer, Measured
from matrix.checking.asking import CheckQuestion
from matrix.domain.check_outcomes import Change
from matrix.domain.levels import Axis
from matrix.domain.measured import MeasuredRun, Slo, SloThroughput
from matrix.domain.memory.values import MemoryEstimate
from matrix.domain.verdict_values import RULESET_VERSION, LegResult, Verdict
from matrix.queries.answers import cell_plain, condition_plain, summary_plain

Plain = dict[str, Any]
MOST_NEAR = 3


def check_plain(answer: CheckAnswer, results: list[Plain]) -> Plain:
    """The whole answer around the results of the frameworks."""
    question = answer.question
    return {
        "question": question_plain(question),
        "as_of": question.as_of.isoformat(),
        "known_at": question.known_at.isoformat() if question.known_at else None,
        "revision": answer.revision,
        "ruleset": RULESET_VERSION,
        "count": len(results),
        "results": results,
        "nothing_known": list(answer.silent),
        "notes": [{"code": code, "facts": dict(facts)} for code, facts in answer.notes],
    }


def question_plain(question: CheckQuestion) -> Plain:
    """What was asked, under the names of its parameters; ``null`` for what was not."""
    plain = cell_plain(question.cell)
    plain.pop("framework")
    plain.pop("version")
    slo = question.slo
    return {
        **plain,
        "model": question.cell.nodes.get(Axis.MODEL),
        "quantization": question.cell.nodes.get(Axis.QUANTIZATION),
        "quantization_of_checkpoint": question.implied_scheme or None,
        "hardware": question.cell.nodes.get(Axis.HARDWARE),
        "count": question.count,
        "context_tokens": question.context_tokens,
        "concurrency": question.concurrency,
        "frameworks": list(question.frameworks),
        "version": question.version,
        "has_config": question.config is not None,
        "slo": _slo_plain(slo) if slo else None,
    }


def _slo_plain(slo: Slo) -> Plain:
    return {
        "ttft_ms": slo.ttft_ms,
        "tpot_ms": slo.tpot_ms,
        "e2el_ms": slo.e2el_ms,
        "share": slo.share,
    }


def answer_plain(
    answer: FrameworkAnswer, measured: Measured, *, sentence: str, links: Mapping[str, str]
) -> Plain:
    """One framework's answer."""
    verdict = answer.verdict
    newest = answer.newest
    return {
        "framework": answer.framework,
        "version": verdict.version,
        "outcome": answer.outcome.value,
        "sentence": sentence,
        "concerns_question": answer.is_relevant,
        "verdict": verdict_plain_in_short(verdict),
        "memory": _memory_plain(answer),
        "measured_runs": [_run_plain(run) for run in measured.runs],
        "throughput_at_slo": _throughput_plain(measured.throughput)
        if measured.throughput
        else None,
        "changes": [_change_plain(change) for change in answer.changes],
        "maintenance": answer.maintenance,
        "newest_release": {
            "version": newest.version,
            "released_on": newest.released_on.isoformat(),
        }
        if newest
        else None,
        "links": dict(links),
    }


def verdict_plain_in_short(verdict: Verdict) -> Plain:
    """The verdict with its conditions, and its legs in short."""
    return {
        **summary_plain(verdict),
        "conditions": [condition_plain(condition) for condition in verdict.conditions],
        "depends_on": list(verdict.depends_on),
        "legs": [_leg_plain(leg) for leg in verdict.legs],
    }


def _leg_plain(leg: LegResult) -> Plain:
    """A leg in short: the claims that decide it, or come nearest where none does."""
    near = leg.deciding or (*leg.others, *leg.gates)
    return {
        "kind": leg.kind.value,
        "subject": leg.subject,
        "level": leg.level.value,
        "unknown_reason": leg.unknown_reason.value if leg.unknown_reason else None,
        "claims": [candidate.claim.uid for candidate in near[:MOST_NEAR]],
    }


def _memory_plain(answer: FrameworkAnswer) -> Plain:
    estimate = answer.estimate
    if estimate is None:
        error = answer.no_estimate
        return {
            "level": "unknown",
            "why_unknown": error.code if error else "no-model",
            "detail": str(error) if error else "No model was asked about.",
        }
    return {**_fit_plain(estimate), "why_unknown": None, "detail": None}


def _fit_plain(estimate: MemoryEstimate) -> Plain:
    fit, request = estimate.fit, estimate.request
    return {
        "level": fit.level.value,
        "engine": request.engine,
        "context_tokens": request.context_tokens,
        "sequences": request.sequences,
        "tensor_parallel": request.layout.tensor_parallel,
        "pipeline_parallel": request.layout.pipeline_parallel,
        "needed_low_bytes": fit.needed_low_bytes,
        "needed_high_bytes": fit.needed_high_bytes,
        "usable_bytes": fit.usable_bytes,
        "engine_bytes": fit.engine_bytes,
        "weights_bytes": estimate.share.weights_bytes,
        "kv_cache_bytes": estimate.share.cache_bytes,
        "largest_context_tokens": fit.largest_context_tokens,
        "largest_context_at_best_tokens": fit.largest_context_at_best_tokens,
        "largest_sequences": fit.largest_sequences,
        "largest_sequences_at_best": fit.largest_sequences_at_best,
        "devices_needed": fit.devices_needed,
        "failure_points": {point.value: level.value for point, level in fit.points.items()},
        "warnings": [{"code": code, **dict(facts)} for code, facts in estimate.warnings],
    }


def _run_plain(run: MeasuredRun) -> Plain:
    return {
        "reference": run.reference,
        "label": run.label,
        "url": run.url,
        "framework": run.framework,
        "version": run.version,
        "model": run.model or None,
        "quantization": run.quantization or None,
        "hardware": run.hardware or None,
        "hardware_count": run.hardware_count,
        "is_exact": run.is_exact,
        "is_performance": run.is_performance,
        "differs_on": list(run.distance),
        "measured_on": run.measured_on.isoformat() if run.measured_on else None,
        "metrics": dict(run.metrics),
    }


def _throughput_plain(throughput: SloThroughput) -> Plain:
    return {
        "output_tok_s": throughput.output_tok_s,
        "low_output_tok_s": throughput.low_output_tok_s,
        "high_output_tok_s": throughput.high_output_tok_s,
        "total_tok_s": throughput.total_tok_s,
        "goodput_req_s": throughput.goodput_req_s,
        "attained_share": throughput.attained_share,
        "marks": list(throughput.marks),
        "why_unknown": throughput.why_unknown or None,
        "runs": [run.reference for run in throughput.runs],
    }


def _change_plain(change: Change) -> Plain:
    return {
        "kind": change.kind.value,
        "values": list(change.values),
        "level": change.level.value if change.level else None,
        "fit": change.fit.value if change.fit else None,
        "earlier_release": change.earlier,
        "claims": list(change.claims),
        "cell": cell_plain(change.cell) if change.cell else None,
    }
