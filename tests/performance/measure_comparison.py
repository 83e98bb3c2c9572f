"""Prints the server time of a comparison of 20 runs of 10,000 samples, by step.

    python tests/performance/measure_comparison.py [RUNS] [SAMPLES]

Needs no database: the runs exist in memory. The page reads them with 4 queries more.
"""

import os
import sys
import time
from typing import Any
from unittest import mock


def main() -> None:
    """Builds the runs, then times the comparison, its figures and its page five times."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "matrix.site.settings")
    import django

    django.setup()
    from benchmarks_app.contract import Measurement
    from benchmarks_app.domain.sample_codec import decode, encode
    from benchmarks_app.domain.summary import summarise
    from benchmarks_app.models import Run
    from benchmarks_app.plots.comparison_figures import comparison_figures
    from benchmarks_app.queries import comparison, runs
    from tests.benchmarks_app import builders

    number, samples = (int(word) for word in (*sys.argv[1:3], "20", "10000")[:2])
    rows = [
        Run(pk=n, uid=f"r{n}", label=f"run {n}", digest=str(n), state="published",
            run_class="measured", status="ok", outcome="completed", tool="vllm",
            facts=builders.plain_facts(builders.FACTS), load=dict(builders.LOAD),
            load_mode="closed_loop", requests={"total": samples, "completed": samples})
        for n in range(number)
    ]  # fmt: skip
    kept = {
        run.pk: encode(builders.make_samples(count=samples, seed=run.pk, scale=1 + run.pk / 20))
        for run in rows
    }
    measured: dict[int, tuple[Measurement, ...]] = {
        pk: tuple(summarise(decode(encoded))) for pk, encoded in kept.items()
    }

    def sampled(chosen: Any) -> Any:
        found = []
        for run in chosen:
            view = runs.run_view(run, measured[run.pk], has_samples=True)
            found.append(runs.SampledRun(view, decode(kept[run.pk])))
        return found

    with mock.patch.object(comparison, "sampled_runs", sampled):
        for _ in range(5):
            started = time.process_time()
            sampled(rows)
            decoded = time.process_time()
            asked = comparison.Thresholds(ttft_ms=100.0, tpot_ms=12.0)
            built = comparison.build_comparison(rows, thresholds=asked)
            compared = time.process_time()
            comparison_figures(built, latency="ttft", stat="p99")
            drawn = time.process_time()
            print(
                f"decode {decoded - started:.3f} s, compare with decoding "
                f"{compared - decoded:.3f} s, figures {drawn - compared:.3f} s"
            )


if __name__ == "__main__":
    main()
