"""Prints the server time of the list of runs, its filters and the cell panel at growing sizes.

Run from the repository root: ``.venv/bin/python -m tests.performance.measure_run_list [RUNS …]``.
Works in a throw-away database beside the one that the settings name.
"""

import os
import re
import statistics
import sys
import time
from datetime import UTC, date, datetime, timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "matrix.site.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks_app.models import Measurement, Run  # noqa: E402
from tests.benchmarks_app import builders  # noqa: E402
from tests.matrix.pages_world import fill_pages_world  # noqa: E402

SIZES = (1_000, 10_000, 100_000)
TIMES = 7
BATCH = 2_000
OTHERS = 100  # The oldest runs are of another kind, so that finding them must not read all others.
STARTED = datetime(2026, 1, 1, tzinfo=UTC)
VALUES = {"ttft": "p50", "tpot": "p50", "e2el": "p50", "output_token_throughput": "value"}
ADDRESSES = (
    "/benchmarks/",
    "/benchmarks/?sort=oldest",
    "/benchmarks/?sort=measured",
    "/benchmarks/?run_class=demonstration",
    "/benchmarks/?hardware=turing&grade=B&sort=measured",
    "/benchmarks/?framework=vllm&hardware=turing",
    "/benchmarks/?framework=vllm&framework_version=0.6.0&load_mode=burst",
    "/benchmarks/?metric=ttft&stat=p50&max=5",
    "/cells/?framework=vllm&version=0.7.0&quantization=awq&hardware=turing",
)


def day_of(number: int) -> date | None:
    """A day of three years in no order of the runs; of one run in ten nobody knows it."""
    return date(2023, 1, 1) + timedelta(days=number * 37 % 1_095) if number % 10 else None


def class_of(number: int) -> str:
    """The kind of a run."""
    return "measured" if number > OTHERS else "demonstration"


def add_runs(first: int, last: int) -> None:
    """Published runs with four values each."""
    upload = builders.make_upload()
    facts = builders.plain_facts(builders.FACTS)
    for start in range(first, last, BATCH):
        numbers = range(start, min(start + BATCH, last))
        runs = Run.objects.bulk_create(
            Run(uid=f"m{n}", upload=upload, number=n, state="draft", run_class=class_of(n),
                status="ok", outcome="completed", label=f"run {n}", tool="vllm", digest=str(n),
                format="vllm.bench_serve", framework="vllm", framework_version="0.7.0",
                model="meta--llama-3-8b", quantization="awq" if n % 3 else "fp8",
                hardware="nvidia-t4" if n % 5 else "amd-mi300x", hardware_count=1,
                load_mode="closed_loop", max_concurrency=1 + n % 64, facts=facts,
                load=dict(builders.LOAD), measured_on=day_of(n), created_by="ada",
                created_at=STARTED, grade="B")
            for n in numbers
        )  # fmt: skip
        Measurement.objects.bulk_create(
            Measurement(run=run, metric=metric, definition=metric, stat=stat, value=10.0 + n % 97)
            for n, run in zip(numbers, runs, strict=True)
            for metric, stat in VALUES.items()
        )
        for n, run in zip(numbers, runs, strict=True):
            run.state, run.published_at = "published", STARTED + timedelta(seconds=n)
        Run.objects.bulk_update(runs, ["state", "published_at"], batch_size=BATCH)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def measure(client: Client, address: str) -> float:
    """The median time of one address. **Units**: milliseconds."""
    taken = []
    for _ in range(TIMES):
        started = time.perf_counter()
        answer = client.get(address)
        taken.append(time.perf_counter() - started)
        assert answer.status_code == 200, answer.content[:300]
    return statistics.median(taken) * 1000


def main() -> None:
    """Grows the table and prints the times at each size."""
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    settings.ALLOWED_HOSTS.append("testserver")
    old = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = f"measured_by_{os.getpid()}"
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        fill_pages_world()
        there, first = 0, dict[str, float]()
        for size in sizes:
            add_runs(there, size)
            there = size
            client = Client()
            middle = f"/benchmarks/?after=m{size // 2}"
            measured = f"/benchmarks/?sort=measured&after=m{size // 2}"
            print(f"{size:,} runs", flush=True)
            for address in (*ADDRESSES, middle, measured):
                taken, name = measure(client, address), re.sub(r"after=m\d+", "after=…", address)
                first.setdefault(name, taken)
                ratio = taken / first[name]
                print(f"  {taken:6.1f} ms, {ratio:5.2f} of the first size  {name}", flush=True)
    finally:
        connection.creation.destroy_test_db(old, verbosity=0)


if __name__ == "__main__":
    main()
