"""The processes of the compose file, started for real on this machine, by its command lines."""

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from django.db import connection
from psycopg import sql

from tests.benchmarks_app.importers import samples_llama_bench
from tests.ingest.tasks.brokers import BROKERS, free_port, wait_until, why_missing

REPOSITORY = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((REPOSITORY / "compose.yaml").read_text("utf-8"))
PATIENCE_SECONDS = 120.0
TOKEN = "token-of-the-monitoring"


class Installation:
    """The services of the file on this machine, without containers."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self.environ = dict(environ)
        self.running: list[subprocess.Popen[bytes]] = []

    def command(self, service: str, *more: str) -> list[str]:
        """The command line of a service with this machine's programs and folders."""
        program, *words = [str(word) for word in COMPOSE["services"][service]["command"]]
        programs = {"python": sys.executable, "celery": str(Path(sys.executable).parent / "celery")}
        places = ("/data/", "/tmp/")
        return (
            [programs[program]]
            + [
                f"{self.folder}/{word.removeprefix(start)}"
                if (start := next((one for one in places if word.startswith(one)), ""))
                else word
                for word in words
            ]
            + list(more)
        )

    def run(self, *words: str, **more: str) -> str:
        """What a command of manage.py prints."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words], cwd=REPOSITORY, env=self.environ | more,
            capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def start(self, service: str) -> subprocess.Popen[bytes]:
        """Starts a service; what it prints goes to a file."""
        with (self.folder / f"{service}.log").open("wb") as log:
            process = subprocess.Popen(
                self.command(service), cwd=REPOSITORY, env=self.environ, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        self.running.append(process)
        return process

    def log(self, service: str) -> str:
        """What a service printed so far."""
        return (self.folder / f"{service}.log").read_text("utf-8", "replace")

    def ask(
        self, path: str, *, data: bytes | None = None, token: str = "", **headers: str
    ) -> tuple[int, bytes]:
        """Status and body of an answer of the web process; 0 where nobody answers."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.environ['PORT']}{path}", data=data,
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )  # fmt: skip
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            return 0, b""

    def end(self) -> None:
        """Ends what is left, hard after a while."""
        for process in self.running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.running:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture
def installation(tmp_path: Path, django_db_setup: None) -> Iterator[Installation]:
    """A database and a Redis of its own; everything ends with the test."""
    if reason := why_missing("redis"):
        pytest.skip(reason)
    settings = connection.settings_dict
    name = f"{settings['NAME']}_composed"
    place = {"host": settings["HOST"], "port": settings["PORT"] or None, "user": settings["USER"]}
    if settings["PASSWORD"]:
        place["password"] = settings["PASSWORD"]
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    queue = tmp_path / "redis"
    queue.mkdir()
    with (
        psycopg.connect(dbname="postgres", autocommit=True, **place) as admin,
        BROKERS["redis"](queue) as redis,
    ):
        admin.execute(drop)
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        given = COMPOSE["services"]["web"]["environment"]
        environ = {one: str(given[one]) for one in given if "${" not in str(given[one])}
        environ |= {
            "DATABASE_URL": f"postgres://{place['user']}@:{place['port'] or 5432}/{name}"
            f"?host={place['host']}",
            "CELERY_BROKER_URL": redis,
            "RUNPROOF_CACHE_URL": redis.replace("/0", "/1"),
            "RUNPROOF_HOST": "127.0.0.1",
            "PORT": str(free_port()),
            "RUNPROOF_SECRET_KEY": "k" * 60,
            "RUNPROOF_VAR_DIR": str(tmp_path),
            "RUNPROOF_LOG_FORMAT": "json",
            "RUNPROOF_LOG_LEVEL": "INFO",
            "RUNPROOF_METRICS_TOKEN": TOKEN,
        }
        left = {one: os.environ[one] for one in ("PATH", "HOME", "LANG") if one in os.environ}
        made = Installation(tmp_path, left | environ)
        try:
            yield made
        finally:
            made.end()
            admin.execute(drop)


def test_an_upload_to_the_web_process_is_read_by_the_worker(installation: Installation) -> None:
    # The whole shipped knowledge takes longer than all else here; an installation may do without.
    prepare = installation.command("prepare", "--without-catalog")
    done = subprocess.run(
        prepare, cwd=REPOSITORY, env=installation.environ, capture_output=True, text=True,
        check=False, timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "migrations applied" in done.stdout
    web, beat = installation.start("web"), installation.start("beat")
    wait_until(
        lambda: installation.ask("/healthz/")[0] == 200, seconds=PATIENCE_SECONDS,
        what="an answer of the web process",
    )  # fmt: skip
    status, body = installation.ask("/readyz/")
    # Everything is well but for the knowledge that was left out.
    assert status == 503
    assert json.loads(body)["checks"] == {
        "database": "ok", "migrations": "ok", "knowledge": "failed", "cache": "ok", "broker": "ok",
    }  # fmt: skip

    installation.run("createsuperuser", "--noinput", "--username", "ada", "--email", "a@b.example",
                     DJANGO_SUPERUSER_PASSWORD="a-long-password-of-a-test")  # fmt: skip
    token = installation.run("create_token", "ada", "--name", "t", "--scopes", "read,upload")
    table = samples_llama_bench.as_csv(samples_llama_bench.ROW).encode()
    status, body = installation.ask(
        "/api/v1/benchmark-runs/?name=llama.csv", data=table, token=token,
        Content_Type="application/octet-stream",
    )  # fmt: skip
    assert status == 202, body
    upload = json.loads(body)
    address = f"/api/v1/benchmark-uploads/{upload['uid']}/"
    # Nobody reads it before there is a worker: the web process has handed it on.
    assert json.loads(installation.ask(address, token=token)[1])["state"] == "received"
    worker = installation.start("worker")
    wait_until(
        lambda: json.loads(installation.ask(address, token=token)[1])["state"] == "read",
        seconds=PATIENCE_SECONDS, what="the reading of the upload",
    )  # fmt: skip

    assert installation.ask("/metrics")[0] == 404
    text = installation.ask("/metrics", token=TOKEN)[1].decode()
    assert 'runproof_uploads{state="read"} 1.0' in text
    assert 'route="api-benchmark-runs",status="202"' in text

    lines = [json.loads(line) for line in installation.log("web").splitlines() if line[:1] == "{"]
    asked = [line for line in lines if line.get("route") == "api-benchmark-runs"]
    assert asked and asked[0]["user"] == "ada"
    assert token not in installation.log("web")
    wait_until(
        lambda: list(installation.folder.glob("celerybeat-schedule*")),
        seconds=PATIENCE_SECONDS, what="the schedule of the clock",
    )  # fmt: skip

    for process in (worker, beat, web):
        os.killpg(process.pid, signal.SIGTERM)
    assert worker.wait(60) == 0, installation.log("worker")
    assert beat.wait(60) == 0, installation.log("beat")
    assert web.wait(60) == 0, installation.log("web")


def test_the_commands_of_the_file_are_installed() -> None:
    assert shutil.which("celery", path=str(Path(sys.executable).parent))
