"""Runs a second: a thousand small result files here, the same metrics logged to MLflow.

Run from the repository root:
``.venv/bin/python -m tests.performance.measure_small_files_against_mlflow [FILES]``.
Both happen in this run on this machine, on databases of the same PostgreSQL server. MLflow gets a
fair set-up: a venv of its own under ``var/performance``, its tracking server on loopback with one
worker, and a client that sends each run in three requests (create, one batch with all metrics,
parameters and tags, end). Here ``import_runs`` reads the folder from disk, recognises each file,
resolves its names, grades it and writes runs with their values; MLflow stores what it is sent.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "matrix.site.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from benchmarks_app.models import Measurement, Run  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "var" / "performance"
VENV = FOLDER / "mlflow"
DATABASE = "performance_mlflow"
START_SECONDS = 120

CLIENT = """
import json, sys, time
from pathlib import Path
from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunTag
client = MlflowClient(sys.argv[1])
experiment = client.create_experiment("measure")
files = sorted(Path(sys.argv[2]).glob("*.json"))
warm = client.create_run(experiment)
client.set_terminated(warm.info.run_id)
started = time.perf_counter()
metrics = 0
for file in files:
    values = json.loads(file.read_text())
    numbers = [Metric(k, float(v), 0, 0) for k, v in values.items() if isinstance(v, (int, float))]
    texts = [Param(k, v) for k, v in values.items() if isinstance(v, str)]
    run = client.create_run(experiment)
    tags = [RunTag("file", file.name)]
    client.log_batch(run.info.run_id, metrics=numbers, params=texts, tags=tags)
    client.set_terminated(run.info.run_id)
    metrics += len(numbers)
print(json.dumps({"seconds": time.perf_counter() - started, "metrics": metrics}))
"""


def write_files(folder: Path, count: int) -> None:
    """Results of vLLM's serving benchmark, each with values of its own.

    They are others in each run of this script, because the same ones would be known already.
    """
    shift = time.time() % 1_000
    for number in range(count):
        base = 1.0 + (number + shift) / 7_919
        values: dict[str, object] = {
            "date": f"2026{1 + number % 12:02d}{1 + number % 28:02d}-{number % 24:02d}1530",
            "endpoint_type": "openai", "backend": "openai", "model_id": "Qwen/Qwen3-8B",
            "tokenizer_id": "Qwen/Qwen3-8B", "num_prompts": 200, "request_rate": "inf",
            "burstiness": 1.0, "max_concurrency": 1 + number % 64, "duration": 40.0 * base,
            "completed": 200, "failed": 0, "total_input_tokens": 102_400,
            "total_output_tokens": 25_600, "request_throughput": 5.0 / base,
            "output_throughput": 640.0 / base, "total_token_throughput": 3_200.0 / base,
        }  # fmt: skip
        for name, middle in (("ttft", 80.0), ("tpot", 11.0), ("itl", 10.5), ("e2el", 1_500.0)):
            for stat, factor in (("mean", 1.0), ("median", 0.95), ("std", 0.2), ("p99", 2.1)):
                values[f"{stat}_{name}_ms"] = middle * factor * base
        (folder / f"run-{number:05d}.json").write_text(json.dumps(values))


def free_port() -> int:
    """A port of loopback that is free now."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def install() -> None:
    """MLflow in a venv of its own."""
    if not (VENV / "bin" / "mlflow").exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [str(VENV / "bin" / "pip"), "install", "--quiet", "mlflow", "psycopg[binary]"]
        subprocess.run(pip, check=True)


@contextmanager
def database(name: str) -> Iterator[str]:
    """An empty database of the running server, dropped at the end; its address for SQLAlchemy."""
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{name}"')
    settings = connection.settings_dict
    user, host = settings["USER"], settings["HOST"]
    password = f":{quote(settings['PASSWORD'])}" if settings["PASSWORD"] else ""
    port = f"&port={settings['PORT']}" if settings["PORT"] else ""
    try:
        yield f"postgresql+psycopg://{user}{password}@/{name}?host={quote(host, safe='')}{port}"
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def measure_mlflow(folder: Path) -> tuple[float, int]:
    """Seconds to log all files, and the number of metrics."""
    port = free_port()
    with database(DATABASE) as store, tempfile.TemporaryDirectory() as artefacts:
        command = [
            str(VENV / "bin" / "mlflow"), "server", "--host", "127.0.0.1", "--port", str(port),
            "--workers", "1", "--backend-store-uri", store, "--artifacts-destination", artefacts,
        ]  # fmt: skip
        environment = {**os.environ, "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}"}
        environment["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"
        with (FOLDER / "mlflow.log").open("wb") as log:
            server = subprocess.Popen(
                command, stdout=log, stderr=log, env=environment, cwd=artefacts,
                start_new_session=True,
            )  # fmt: skip
        try:
            wait_for(port)
            client = [str(VENV / "bin" / "python"), "-c", CLIENT, f"http://127.0.0.1:{port}"]
            answer = subprocess.run(
                [*client, str(folder)], check=True, capture_output=True, text=True, cwd=artefacts
            )
        finally:
            os.killpg(server.pid, 15)
            server.wait(30)
    said = json.loads(answer.stdout.strip().splitlines()[-1])
    return float(said["seconds"]), int(said["metrics"])


def wait_for(port: int) -> None:
    """Returns once something listens."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.5)
        else:
            time.sleep(2)
            return
    raise SystemExit(f"MLflow did not start within {START_SECONDS} s; see its log")


def measure_ours(folder: Path) -> tuple[float, int]:
    """Seconds to import all files, and the number of values."""
    before = Measurement.objects.count(), Run.objects.count()
    started = time.perf_counter()
    with Path(os.devnull).open("w") as silent:
        call_command("import_runs", str(folder), actor="measure", stdout=silent, stderr=silent)
    seconds = time.perf_counter() - started
    runs = Run.objects.count() - before[1]
    assert runs == len(list(folder.glob("*.json"))), f"only {runs} runs were written"
    return seconds, Measurement.objects.count() - before[0]


def main() -> None:
    """Both, and their ratio; ours runs on the database that the settings name."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    FOLDER.mkdir(parents=True, exist_ok=True)
    install()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, count)
        ours, values = measure_ours(folder)
        theirs, metrics = measure_mlflow(folder)
    print(f"{os.cpu_count()} cores, {count} files")
    print(f"here:   {ours:7.2f} s, {count / ours:7.1f} runs/s, {values} values")
    print(f"MLflow: {theirs:7.2f} s, {count / theirs:7.1f} runs/s, {metrics} metrics")
    print(f"ratio of runs per second: {theirs / ours:.1f}")


if __name__ == "__main__":
    main()
