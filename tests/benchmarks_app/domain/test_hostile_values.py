"""Rules over readings never crash, whatever numbers and texts a file holds."""

import json
import random

import numpy as np

from benchmarks_app.contract import (
    Counts,
    Fact,
    FileReading,
    FileRole,
    Load,
    Measurement,
    RunReading,
    Samples,
    Tokens,
)
from benchmarks_app.domain.comparability import barriers_between, compare_fingerprints
from benchmarks_app.domain.comparison import compare_runs, wanted_of
from benchmarks_app.domain.facts import FACTS
from benchmarks_app.domain.levels import LoadMode, RunClass, RunStatus
from benchmarks_app.domain.merging import NamedReading, merge_files
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.domain.notices import NOTICES
from benchmarks_app.domain.outcomes import REASONS, outcome_of
from benchmarks_app.domain.plausibility import flags_of
from benchmarks_app.domain.provenance import grade_run, missing_provenance
from benchmarks_app.domain.regression import HistoryPoint, detect_steps
from benchmarks_app.domain.reproduce import reproduce
from benchmarks_app.domain.run_view import RunView, SampledRun
from benchmarks_app.domain.sameness import identity_of
from benchmarks_app.domain.sample_codec import decode, encode
from benchmarks_app.domain.slo import Thresholds, attain
from benchmarks_app.domain.stability import describe_stability

NUMBERS = (
    0.0, -0.0, 1.0, -1.0, 5e-324, 1e-12, 0.1, 12.34, 500.0, 1e9, 1e15, 1.7e308, -1.7e308,
)  # fmt: skip
COUNTS = (None, 0, 1, -5, 100, 10**12, 10**400)
TEXTS = (
    "", " ", "?", "not captured", "org/m", "x" * 5000, "\0\n\r\t", "\ud800", "'\"`$(x)\\",
    "0" * 400, "1e999", "é‹›", "-" * 50, "@" * 300,
)  # fmt: skip


def make_run(chance: random.Random, index: int) -> RunReading:
    def number() -> float:
        return chance.choice(NUMBERS)

    def stats() -> dict[str, float]:
        names = ("value", "mean", "std", "min", "max", "p50", "p99", "count")
        return {name: number() for name in chance.sample(names, chance.randint(0, 6))}

    def column() -> np.ndarray:
        picked = [chance.choice((*NUMBERS, np.nan)) for _ in range(8)]
        return np.array(picked)

    columns = ("ok", "ttft_ms", "e2el_ms", "tpot_ms", "output_tokens", "start_s")
    return RunReading(
        index=index,
        status=chance.choice(list(RunStatus)),
        facts={
            name: Fact(chance.choice((*TEXTS, 10**400, 1.5, True)))
            for name in (*chance.sample(sorted(FACTS), 12), "env.A", "server_param.b", "env.;x")
        },
        load=Load(
            mode=chance.choice([None, *LoadMode]),
            request_rate=chance.choice((None, *NUMBERS)),
            max_concurrency=chance.choice(COUNTS),
            isl_mean=chance.choice((None, *NUMBERS)),
            osl_mean=chance.choice((None, *NUMBERS)),
            extra={"n_threads": chance.choice((1, 2.5, "x", True))},
        ),
        requests=Counts(*(chance.choice(COUNTS) for _ in range(4))),
        tokens=Tokens(
            chance.choice(COUNTS), chance.choice(COUNTS), None, chance.choice((None, *NUMBERS))
        ),
        metrics=tuple(
            Measurement(name, chance.choice(METRICS[name].definitions), stats())
            for name in chance.sample(sorted(METRICS), 6)
        ),
        samples=Samples(requests={name: column() for name in chance.sample(columns, 5)})
        if chance.random() < 0.6
        else None,
        failures={chance.choice(TEXTS): 3},
        complements=chance.random() < 0.1,
        command=chance.choice(TEXTS),
    )


def view_of(run: RunReading, uid: str, chance: random.Random) -> SampledRun:
    view = RunView(
        uid, uid, "vllm", chance.choice(list(RunClass)), run.status, facts=run.facts,
        load=run.load, counts=run.requests, tokens=run.tokens, measurements=run.metrics,
    )  # fmt: skip
    return SampledRun(view, run.samples)


def test_merging_flagging_and_grading_take_any_numbers_and_texts() -> None:
    chance = random.Random(20261130)
    for _ in range(80):
        runs = [make_run(chance, i) for i in range(4)]
        files = [
            NamedReading(
                f"{chance.choice('ab')}/{i % 2}.{form}",
                FileReading(form, "t", chance.choice(list(FileRole)), runs=tuple(runs[i:]),
                            facts=runs[i].facts, samples=runs[i].samples),
            )
            for i, form in enumerate(("json", "csv", "yaml"))
        ]  # fmt: skip
        for candidate in merge_files(files).runs:
            run = candidate.run
            assert all(notice.code in NOTICES for notice in flags_of(run))
            assert len(identity_of(run, tool="t")) == 64
            assert isinstance(missing_provenance(run), list)
            grade_run(run.facts, run.load, command=run.command)
            for tool in ("vllm", "sglang", "llama_bench", "guidellm", "aiperf", "other"):
                found = reproduce(run.facts, run.load, tool=tool, command=run.command)
                assert "\0" not in found.text
            json.dumps(candidate.sources)


def test_comparing_takes_any_numbers_and_texts() -> None:
    chance = random.Random(7)
    with np.errstate(all="ignore"):
        for _ in range(60):
            runs = [make_run(chance, i) for i in range(3)]
            views = [view_of(run, str(i), chance) for i, run in enumerate(runs)]
            compare_fingerprints([one.view for one in views])
            for metric in ("ttft", "output_token_throughput"):
                barriers_between(metric, views[0].view, views[1].view)
            compare_runs(views, wanted=wanted_of(views), draws=50)
            for run, sampled in zip(runs, views, strict=True):
                assert outcome_of(sampled.view, failures=run.failures).reason in REASONS
                attain(sampled, Thresholds(ttft_ms=100.0, tpot_ms=10.0))
                describe_stability(run.samples)
                if run.samples is not None:
                    again = decode(encode(run.samples)).requests
                    assert again.keys() == run.samples.requests.keys()
            detect_steps("ttft", [HistoryPoint(str(i), chance.choice(NUMBERS)) for i in range(9)])
