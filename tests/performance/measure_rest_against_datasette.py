"""REST verdicts a second against Datasette answering the same filter on the same claims.

Run from the repository root:
``.venv/bin/python -m tests.performance.measure_rest_against_datasette [REQUESTS] [CONNECTIONS]``.
Both servers run in this run on this machine, one process each, on loopback. The same client asks
both the same cells with the same number of requests and connections, in rounds that take turns.

Datasette gets a fair set-up: a venv of its own under ``var/performance``, an immutable file with
one row for each claim and node, indexes on what is filtered, ``_shape=array``, no counting and no
facets. It answers with rows that the reader has to judge; Runproof with a verdict and its reasons.
Runproof keeps answers for as long as the knowledge stands, so it is asked twice: the cells again
and again, and each question once only. Datasette works out its rows each time in both cases.
The limit of requests by address is raised for the run; all else are the settings as shipped.
"""

import http.client
import itertools
import os
import random
import socket
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import django
import psutil

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "matrix.site.settings")
django.setup()

from django.core.management import call_command  # noqa: E402

from matrix.domain.claims import Claim  # noqa: E402
from matrix.domain.coordinates import Trees  # noqa: E402
from matrix.domain.levels import Axis  # noqa: E402
from matrix.index import current_knowledge  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "var" / "performance"
DATASETTE = FOLDER / "datasette" / "bin" / "datasette"
FILE = FOLDER / "claims.db"
AXES = (Axis.QUANTIZATION, Axis.HARDWARE, Axis.MODEL)
CELLS = 300
ROUNDS = 3
FRAMEWORKS = ("vllm", "sglang", "llama.cpp", "tensorrt-llm", "tgi")
Asked = tuple[str, str, str]  # framework, quantization, hardware


# -- the claims as a table --------------------------------------------------------------------


def standing_claims() -> list[Claim]:
    """The claims that are neither superseded nor withdrawn."""
    return [
        claim
        for claim in current_knowledge().index.claims()
        if claim.superseded_at is None and claim.withdrawn_at is None
    ]


def rows_of(claim: Claim) -> Iterator[tuple[object, ...]]:
    """One row for each combination of the nodes that a claim names."""
    named = [sorted(claim.scope.nodes[a].include) if a in claim.scope.nodes else [] for a in AXES]
    named.append(sorted(claim.scope.features))
    newest = max(claim.observations, key=lambda seen: seen.stated_on)
    for nodes in itertools.product(*(slugs or [None] for slugs in named)):
        yield (
            claim.uid, claim.framework, *nodes, claim.level.value, claim.kind.value,
            claim.tier.value, claim.validity.first, claim.validity.last, claim.note,
            newest.stated_on.isoformat(), newest.document.url, newest.locator.line,
        )  # fmt: skip


def export_claims() -> int:
    """Writes the standing claims to the file; returns the number of rows."""
    FILE.unlink(missing_ok=True)
    columns = (
        "claim, framework, quantization, hardware, model, feature, level, kind, tier,"
        " first_release, last_release, note, stated_on, url, line"
    )
    with sqlite3.connect(FILE) as file:
        file.execute(f"CREATE TABLE statements ({columns})")
        rows = [row for claim in standing_claims() for row in rows_of(claim)]
        file.executemany(f"INSERT INTO statements VALUES ({','.join('?' * 15)})", rows)
        for index in ("quantization, hardware", "hardware, quantization", "model", "feature"):
            name = index.replace(", ", "_")
            file.execute(f"CREATE INDEX by_{name} ON statements (framework, {index})")
        file.execute("ANALYZE")
    return len(rows)


# -- the questions ----------------------------------------------------------------------------


def asked_cells(count: int) -> list[Asked]:
    """Cells that claims speak about: pairs of a scheme and hardware of one claim, drawn once.

    Claims of an earlier catalogue may name nodes that are gone; nobody can ask about those.
    """
    catalogue = current_knowledge().catalogue
    schemes, devices = catalogue.area("quantization"), catalogue.area("hardware")
    pairs = sorted(
        {
            (claim.framework, scheme, device)
            for claim in standing_claims()
            if claim.framework in FRAMEWORKS
            and Axis.QUANTIZATION in claim.scope.nodes
            and Axis.HARDWARE in claim.scope.nodes
            for scheme in claim.scope.nodes[Axis.QUANTIZATION].include
            for device in claim.scope.nodes[Axis.HARDWARE].include
            if scheme in schemes and device in devices
        }
    )
    draw = random.Random(7)
    return draw.sample(pairs, min(count, len(pairs)))


def runproof_path(asked: Asked, as_of: date | None = None) -> str:
    """The verdict of a cell, now or on a day."""
    framework, scheme, device = asked
    query = {"framework": framework, "quantization": scheme, "hardware": device}
    if as_of is not None:
        query["as_of"] = as_of.isoformat()
    return "/api/v1/verdicts/?" + urlencode(query)


def new_paths(cells: Sequence[Asked]) -> Iterator[str]:
    """The same cells on one day after the other, backwards: each address comes once only."""
    today = datetime.now(UTC).date()
    for days in itertools.count(1):
        yield from (runproof_path(asked, today - timedelta(days=days)) for asked in cells)


def plain_path(asked: Asked) -> str:
    """The rows that name exactly these nodes."""
    framework, scheme, device = asked
    query = {"framework": framework, "quantization": scheme, "hardware": device}
    return _datasette_path(query)


def ancestors_path(asked: Asked, trees: Trees) -> str:
    """The rows that name these nodes or an ancestor: what a verdict looks at first."""
    framework, scheme, device = asked
    query = {
        "framework": framework,
        "quantization__in": ",".join(trees.tree(Axis.QUANTIZATION).up(scheme)),
        "hardware__in": ",".join(trees.tree(Axis.HARDWARE).up(device)),
    }
    return _datasette_path(query)


def _datasette_path(query: dict[str, str]) -> str:
    lean = {"_shape": "array", "_nocount": "1", "_nofacet": "1", "_nosuggest": "1"}
    return "/claims/statements.json?" + urlencode(query | lean)


# -- servers and client -----------------------------------------------------------------------


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: Sequence[str], port: int, path: str) -> Iterator[int]:
    """A server that answers the path; it ends with the block."""
    environment = os.environ | {"RUNPROOF_RATE_ANONYMOUS": "100000000/minute"}
    log_path = FOLDER / f"{Path(command[0]).name}.log"
    with log_path.open("wb") as log:
        server = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            wait_until_answering(server, port, path, log_path)
            yield port
        finally:
            server.terminate()
            try:
                server.wait(timeout=30)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def wait_until_answering(
    server: subprocess.Popen[bytes], port: int, path: str, log_path: Path
) -> None:
    """Returns once the path answers 200; ends the script after three minutes."""
    for _ in range(180):
        if server.poll() is not None:
            break
        try:
            status, body = fetch(http.client.HTTPConnection("127.0.0.1", port, timeout=20), path)
        except OSError:
            time.sleep(1)
            continue
        if status == 200:
            return
        raise SystemExit(f"{path} answers {status}: {body[:400]!r}")
    raise SystemExit(f"the server does not answer; see {log_path.relative_to(ROOT)}")


def fetch(connection: http.client.HTTPConnection, path: str) -> tuple[int, bytes]:
    """Status and body of one request; the connection stays open."""
    connection.request("GET", path, headers={"Accept": "application/json"})
    response = connection.getresponse()
    return response.status, response.read()


def processor_seconds(port: int) -> float:
    """Processor time so far of the processes that listen on a port, their children included."""
    own = psutil.Process()
    total = 0.0
    for server in own.children():
        # A program that only started the database has ended and has no command line any more.
        if server.status() != psutil.STATUS_ZOMBIE and str(port) in server.cmdline():
            for process in (server, *server.children(recursive=True)):
                used = process.cpu_times()
                total += used.user + used.system
    return total


def rate(port: int, paths: Sequence[str], *, requests: int, connections: int) -> float:
    """Requests a second of so many connections that ask one after the other.

    **Raises**: ``SystemExit`` when any answer is not 200.
    """
    share = requests // connections
    bad: list[str] = []

    def ask(first: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for number in range(share):
            path = paths[(first + number * connections) % len(paths)]
            status, body = fetch(connection, path)
            if status != 200:
                bad.append(f"{status} for {path}: {body[:300]!r}")
        connection.close()

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(connections)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - started
    if bad:
        raise SystemExit(f"{len(bad)} answers were not 200, the first: {bad[0]}")
    return share * connections / seconds


def install_datasette() -> None:
    """Datasette in a venv of its own; ends the script where the package cannot be had."""
    if DATASETTE.exists():
        return
    home = DATASETTE.parents[1]
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "datasette"]
    if subprocess.run(pip, check=False).returncode:
        raise SystemExit("Datasette cannot be installed here, so there is nothing to compare with.")


def main() -> None:
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
    connections = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    FOLDER.mkdir(parents=True, exist_ok=True)
    install_datasette()
    # As the server does when it starts, so that the questions are drawn from what it will hold.
    call_command("load_catalog")
    rows = export_claims()
    cells = asked_cells(CELLS)
    trees = current_knowledge().catalogue.trees
    print(f"{rows:,} rows, {len(cells)} cells, {requests} requests, {connections} connections")
    ours, theirs = free_port(), free_port()
    serve = [sys.executable, "manage.py", "serve", "--port", str(ours), "--workers", "1"]
    explore = [str(DATASETTE), "serve", "--immutable", str(FILE), "--port", str(theirs)]
    kinds = {
        "Runproof, asked again": (ours, itertools.cycle([runproof_path(c) for c in cells])),
        "Runproof, asked once": (ours, new_paths(cells)),
        "Datasette, exact nodes": (theirs, itertools.cycle([plain_path(c) for c in cells])),
        "Datasette, nodes and ancestors": (
            theirs, itertools.cycle([ancestors_path(c, trees) for c in cells]),
        ),
    }  # fmt: skip
    rates: dict[str, list[float]] = {name: [] for name in kinds}
    costs: dict[str, list[float]] = {name: [] for name in kinds}
    with ExitStack() as servers:
        servers.enter_context(running(serve, ours, runproof_path(cells[0])))
        servers.enter_context(running(explore, theirs, plain_path(cells[0])))
        for name, (port, source) in kinds.items():
            paths = list(itertools.islice(source, len(cells)))
            rate(port, paths, requests=len(paths), connections=connections)
            _, body = fetch(http.client.HTTPConnection("127.0.0.1", port, timeout=20), paths[0])
            print(f"{name}: {paths[0]} → {len(body)} bytes")
        for _ in range(ROUNDS):
            for name, (port, source) in kinds.items():
                paths = list(itertools.islice(source, requests))
                before = processor_seconds(port)
                found = rate(port, paths, requests=requests, connections=connections)
                used_ms = (processor_seconds(port) - before) / requests * 1e3
                rates[name].append(found)
                costs[name].append(used_ms)
                print(
                    f"  {name}: {found:,.0f} requests/s, server {used_ms:.2f} ms CPU each; "
                    f"load {os.getloadavg()[0]:.1f}"
                )
    report(rates, costs)


def report(rates: dict[str, list[float]], costs: dict[str, list[float]]) -> None:
    """Prints medians and ratios; processor time hardly depends on what else the machine does."""
    rate_of = {name: statistics.median(found) for name, found in rates.items()}
    cost_of = {name: statistics.median(found) for name, found in costs.items()}
    own = [name for name in rate_of if name.startswith("Runproof")]
    for name in rate_of:
        print(f"{name}: {rate_of[name]:,.0f} requests/s, {cost_of[name]:.2f} ms CPU each")
    for ours, theirs in itertools.product(own, [name for name in rate_of if name not in own]):
        print(
            f"{ours} / {theirs}: {rate_of[ours] / rate_of[theirs]:.2f} by rate, "
            f"{cost_of[theirs] / cost_of[ours]:.2f} by processor time"
        )


if __name__ == "__main__":
    main()
