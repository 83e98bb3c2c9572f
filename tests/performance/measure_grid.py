"""Server time of the matrix page and of one verdict, on the knowledge in the database.

Run from the repository root: ``.venv/bin/python -m tests.performance.measure_grid [ROWS COLUMNS]``.
The page is asked through Django's test client, each time for another day, so every verdict of the
grid is computed; then for the same day again. Nothing is asserted: the machine is shared.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "matrix.site.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from matrix.domain.coordinates import Cell  # noqa: E402
from matrix.domain.levels import Axis  # noqa: E402
from matrix.domain.sharing import SharedLegs  # noqa: E402
from matrix.index import build_knowledge, current_knowledge  # noqa: E402

FRAMEWORKS = ("vllm", "sglang", "llama.cpp", "tensorrt-llm", "tgi")
AS_OF = date(2026, 11, 30)
ROUNDS = 7
# The standard grid; schemes, models and features by hardware on every level of both trees.
PAGES = (
    "framework=vllm",
    "framework=vllm&rows=quantization&columns=hardware&rows_level=any&columns_level=any&all=1",
    "framework=sglang&rows=model&columns=hardware&rows_level=any&columns_level=any&all=1",
    "framework=vllm&rows=feature&columns=hardware&rows_level=any&columns_level=any&all=1",
)


def measured(title: str, action: Callable[[], object], *, per: int = 1, unit: str = "ms") -> None:
    """Runs the action some times; prints median and best of wall and of processor time."""
    factor = {"ms": 1e3, "µs": 1e6}[unit] / per
    walls, processors = [], []
    for _ in range(ROUNDS):
        wall, processor = time.perf_counter(), time.process_time()
        action()
        processors.append((time.process_time() - processor) * factor)
        walls.append((time.perf_counter() - wall) * factor)
    print(
        f"{title}: wall median {statistics.median(walls):.1f} {unit}, best {min(walls):.1f}; "
        f"CPU median {statistics.median(processors):.1f}, best {min(processors):.1f}"
    )


def nodes_named(axis: Axis) -> list[str]:
    """The nodes of an axis that claims name."""
    found: set[str] = set()
    for claim in current_knowledge().index.claims():
        if axis in claim.scope.nodes:
            found |= claim.scope.nodes[axis].include
    return sorted(found)


def single_cells(rows: list[str], columns: list[str]) -> list[Cell]:
    """One cell for each row, over frameworks and columns in turn."""
    return [
        Cell(
            framework=FRAMEWORKS[n % len(FRAMEWORKS)],
            nodes={Axis.QUANTIZATION: row, Axis.HARDWARE: columns[n * 7 % len(columns)]},
        )
        for n, row in enumerate(rows * 10)
    ]


def main() -> None:
    row_count, column_count = (int(text) for text in (sys.argv[1:3] or ("50", "40")))
    print(f"load averages {os.getloadavg()}, cores {os.cpu_count()}")
    measured("knowledge from the database", build_knowledge)
    knowledge = current_knowledge()
    print(f"{knowledge.index.claim_count:,} claims, revision {knowledge.revision}")
    rows, columns = nodes_named(Axis.QUANTIZATION), nodes_named(Axis.HARDWARE)
    cells = single_cells(rows, columns)

    def ask_each() -> None:
        for cell in cells:
            knowledge.index.verdict_for(cell, as_of=AS_OF)

    measured("one verdict, quantization × hardware", ask_each, per=len(cells), unit="µs")
    for framework in FRAMEWORKS:

        def ask_grid(framework: str = framework) -> None:
            shared = SharedLegs()
            for row in rows[:row_count]:
                for column in columns[:column_count]:
                    cell = Cell(
                        framework=framework, nodes={Axis.QUANTIZATION: row, Axis.HARDWARE: column}
                    )
                    knowledge.index.glance_at(cell, as_of=AS_OF, shared=shared)

        measured(f"cells of a {row_count} × {column_count} grid, {framework}", ask_grid)
    # Pages name their style sheets by content, which needs the collected files.
    call_command("collectstatic", interactive=False, verbosity=0)
    client = Client(SERVER_NAME="127.0.0.1")
    for query in PAGES:
        days = iter(AS_OF - timedelta(days=n) for n in range(2 * ROUNDS))

        def ask_new_page(query: str = query, days: Iterator[date] = days) -> None:
            get_page(client, f"{query}&as_of={next(days)}")

        def ask_same_page(query: str = query) -> None:
            get_page(client, f"{query}&as_of={AS_OF}")

        page = get_page(client, f"{query}&as_of={AS_OF - timedelta(days=99)}")
        print(f"page {query}: {page.count(b'<td')} cells, {len(page) / 1024:.0f} KiB")
        measured("  every cell computed", ask_new_page)
        measured("  cells known", ask_same_page)


def get_page(client: Client, query: str) -> bytes:
    """The page of the matrix; ends the script when it is not one."""
    response = client.get("/matrix/?" + query)
    if response.status_code != 200:
        raise SystemExit(f"/matrix/?{query} answers {response.status_code}")
    return bytes(response.content)


if __name__ == "__main__":
    main()
