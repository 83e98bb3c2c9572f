"""Replays every real release date of the catalogue with a fake clock and prints the lags.

    export DJANGO_SETTINGS_MODULE=matrix.site.settings
    python tests/performance/release_lag.py [FRAMEWORK …]

A code host on loopback answers as it would have at each moment; each framework is polled at the
cadence of its own feed, from an empty record on, in a throw-away database.
"""

import os
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
django.setup()

from django.db import connection  # noqa: E402

from matrix.catalog_files import read_catalogue  # noqa: E402
from tests.ingest.releases.dated_host import DatedHost, RunningDatedHost  # noqa: E402
from tests.ingest.releases.replaying import (  # noqa: E402
    Replay,
    add_frameworks,
    publications,
    replay,
)


def describe(found: Replay) -> str:
    """One line: how many, the distribution of the lags, and what went wrong."""
    lags = sorted(found.lags.values())
    if not lags:
        return f"{found.framework}: no release"
    minutes = [lag / timedelta(minutes=1) for lag in lags]
    hours = found.cadence / timedelta(hours=1)
    return (
        f"{found.framework}: {len(lags)} releases, cadence {hours:g} h, lag in minutes: "
        f"median {minutes[len(minutes) // 2]:.0f}, 95 % {minutes[int(len(minutes) * 0.95)]:.0f}, "
        f"longest {minutes[-1]:.0f}; late {len(found.late)}, missed {len(found.missed)}, "
        f"wrong {len(found.wrong)}; polls {found.polls}, "
        f"idle without change {found.idle_not_modified} of {found.idle_polls}"
    )


def main(names: Sequence[str]) -> int:
    """Replays the frameworks one after the other; 0 when nothing was late, missed or wrong."""
    catalogue = read_catalogue()
    started = time.perf_counter()
    connection.settings_dict["TEST"]["NAME"] = f"release_lag_{os.getpid()}"
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    host = DatedHost()
    running = RunningDatedHost(host)
    bad = seen = left_out = 0
    try:
        add_frameworks(catalogue)
        for slug, releases in sorted(catalogue.releases.items(), key=lambda item: len(item[1])):
            if names and slug not in names:
                continue
            listed = publications(slug, releases)
            left_out += len(releases) - len(listed)
            found = replay(host, slug, listed)
            bad += len(found.late) + len(found.missed) + len(found.wrong)
            seen += len(found.lags)
            print(describe(found), flush=True)
            for line in [*found.missed[:5], *found.wrong[:5]]:
                print(f"    {line}", flush=True)
    finally:
        running.close()
        connection.creation.destroy_test_db("", verbosity=0)
    print(
        f"all: {seen} releases seen, {bad} late, missed or wrong; {left_out} rows are commits "
        f"or names that no code host publishes; {time.perf_counter() - started:.0f} s"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
