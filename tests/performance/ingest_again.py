"""Times a full ingest of a captures folder and the same again: seconds, memory, writes.

    DJANGO_SETTINGS_MODULE=matrix.site.settings python tests/performance/ingest_again.py FOLDER

Works in a throw-away database beside the one that the settings name.
"""

import io
import resource
import sys
import time
from collections import Counter
from pathlib import Path

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from matrix.catalog_loading import load_shipped  # noqa: E402


def run(folder: str) -> tuple[float, str]:
    """Seconds of one run, and its last line."""
    out, err = io.StringIO(), io.StringIO()
    started = time.perf_counter()
    call_command(
        "ingest", "--source", "all", "--from", folder, "--skip-unexpected", stdout=out, stderr=err
    )
    return time.perf_counter() - started, out.getvalue().strip().splitlines()[-1]


def main(folder: str) -> None:
    """Runs it twice and prints both."""
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        started = time.perf_counter()
        load_shipped()
        print(f"shipped knowledge: {time.perf_counter() - started:.1f} s")
        first, said = run(folder)
        print(f"first run:  {first:.1f} s; {said}")
        with CaptureQueriesContext(connection) as asked:
            second, said = run(folder)
        kinds = Counter(query["sql"].split(None, 1)[0] for query in asked)
        writes = {kind: kinds[kind] for kind in ("INSERT", "UPDATE", "DELETE")}
        print(f"second run: {second:.1f} s ({second / first:.1%} of the first); {said}")
        print(f"writes of the second run: {writes}; queries: {len(asked)}")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory: {peak:.0f} MiB")
    finally:
        connection.creation.destroy_test_db("", verbosity=0)


if __name__ == "__main__":
    main(sys.argv[1])
