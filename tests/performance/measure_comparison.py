"""Prints the server time of the comparison page of 20 runs of 10,000 samples, and of its exports.

Run from the repository root: ``.venv/bin/python -m tests.performance.measure_comparison [RUNS]
[SAMPLES]``. Works in a throw-away database beside the one that the settings name.
"""

import itertools
import os
import statistics
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "matrix.site.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks_app.models import Run  # noqa: E402
from benchmarks_app.plots.comparison_figures import comparison_figures  # noqa: E402
from benchmarks_app.queries.comparison import Thresholds, build_comparison  # noqa: E402
from benchmarks_app.queries.runs import sampled_runs  # noqa: E402
from tests.benchmarks_app import builders  # noqa: E402
from tests.matrix.pages_world import fill_pages_world  # noqa: E402

TIMES = 7
GOAL_MS = 500.0
ASKED = "&ttft_ms=100&tpot_ms=12"


def add_runs(number: int, samples: int) -> list[Run]:
    """Published runs of one cell with samples of their own."""
    return [
        builders.make_run(
            samples=builders.make_samples(count=samples, seed=n, scale=1 + n / 20),
            requests={"total": samples, "completed": samples, "failed": 0},
        )
        for n in range(number)
    ]


def print_steps(runs: list[Run]) -> None:
    """Prints where the time of the page goes. **Units**: processor milliseconds."""
    moments = [time.process_time()]
    sampled_runs(runs)
    moments.append(time.process_time())
    built = build_comparison(runs, thresholds=Thresholds(ttft_ms=100.0, tpot_ms=12.0))
    moments.append(time.process_time())
    comparison_figures(built, latency="", stat="")
    moments.append(time.process_time())
    pairs = itertools.pairwise(moments)
    read, compared, drawn = ((later - earlier) * 1000 for earlier, later in pairs)
    print(
        f"  of it read and decode {read:.0f} ms, compare {compared - read:.0f} ms, "
        f"figures {drawn:.0f} ms"
    )


def print_time(client: Client, address: str) -> None:
    """Prints the median time of one address, and of it the time of the processor.

    The second is what counts on a machine that does other things as well.
    """
    taken, worked = [], []
    for _ in range(TIMES):
        started, busy = time.perf_counter(), time.process_time()
        answer = client.get(address)
        worked.append((time.process_time() - busy) * 1000)
        taken.append((time.perf_counter() - started) * 1000)
        assert answer.status_code == 200, answer.content[:300]
    middle = statistics.median(taken)
    size = len(answer.content) / 1024
    name = address.partition("?")[0]
    of_goal = f"{middle / GOAL_MS:.2f} of the goal"
    processor = f"processor {statistics.median(worked):.0f}, least {min(worked):.0f}"
    print(f"{middle:6.0f} ms, {of_goal}; {processor} ms; {size:,.0f} KiB  {name}", flush=True)


def main() -> None:
    """Fills the database and prints the times."""
    number, samples = (int(word) for word in (*sys.argv[1:3], "20", "10000")[:2])
    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    settings.ALLOWED_HOSTS.append("testserver")
    old = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = f"measured_by_{os.getpid()}"
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        fill_pages_world()
        runs = add_runs(number, samples)
        query = f"?runs={','.join(run.uid for run in runs)}{ASKED}"
        print(f"{number} runs of {samples:,} samples", flush=True)
        client = Client()
        print_time(client, f"/benchmarks/compare/{query}")
        print_steps(runs)
        for kind in ("csv", "json", "markdown", "html"):
            print_time(client, f"/benchmarks/compare/export/{kind}/{query}")
    finally:
        connection.creation.destroy_test_db(old, verbosity=0)


if __name__ == "__main__":
    main()
