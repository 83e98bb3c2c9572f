"""What every test gets: no network but this machine, its run's database, a browser on demand."""

import os
import re
import shutil
import socket
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connections
from django.utils import translation

from matrix.site.translations import compile_translations

CHROMIUM_INSTALL_LINE = "apt-get install --yes chromium"
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # Nothing but this machine has a name, so a stray address in a page fails at once.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
LOOPBACK_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost")


class NetworkRefusedError(RuntimeError):
    """Says that a test reached for another machine; no OSError, which retries would swallow."""

    code = "network-refused-in-tests"


def is_loopback(host: object) -> bool:
    """Returns whether the host is this machine; a name that only a resolver knows is not."""
    name = host.decode() if isinstance(host, bytes) else str(host)
    return name in LOOPBACK_NAMES or name.startswith("127.") or name in ("", "::1", "0.0.0.0", "::")


def refuse_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes Python's sockets and name look-ups fail for every address outside loopback."""

    def checked(name: str, *, host_of: Any) -> None:
        genuine = getattr(socket.socket, name)

        def guarded(self: socket.socket, *args: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                host = host_of(args)
                if not is_loopback(host):
                    raise NetworkRefusedError(
                        f"A test tried to reach {host!r}; only loopback is open."
                    )
            return genuine(self, *args)

        monkeypatch.setattr(socket.socket, name, guarded)

    checked("connect", host_of=lambda args: args[0][0])
    checked("connect_ex", host_of=lambda args: args[0][0])
    checked("sendto", host_of=lambda args: args[-1][0])

    genuine_look_up = socket.getaddrinfo

    def look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host is not None and not is_loopback(host):
            raise NetworkRefusedError(f"A test tried to look up {host!r}; only loopback is open.")
        return genuine_look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def pytest_configure() -> None:
    """Adjusts the settings that only a deployment needs, before anything reads them."""
    # Hashed names need collectstatic first; its own test asks for that storage itself.
    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    settings.WHITENOISE_AUTOREFRESH = True
    settings.WHITENOISE_USE_FINDERS = True
    # A strong hash is slow by purpose, and no test's password protects anything.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.DATABASES["default"]["CONN_MAX_AGE"] = 0
    compile_translations()


@pytest.fixture(autouse=True, scope="session")
def _loopback_only() -> Iterator[None]:
    """Keeps the whole run on this machine."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        refuse_other_machines(monkeypatch)
        yield


@pytest.fixture(autouse=True)
def _language_of_the_settings() -> Iterator[None]:
    """Forgets the language of an earlier request, which stays with the thread."""
    translation.activate(settings.LANGUAGE_CODE)
    yield
    translation.activate(settings.LANGUAGE_CODE)


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """Clears throttle counters and cached fragments that an earlier test left."""
    cache.clear()


@pytest.fixture(scope="session")
def django_db_modify_db_settings_xdist_suffix(
    request: pytest.FixtureRequest, django_db_blocker: Any
) -> None:
    """Names the test database after this process, so that runs beside each other do not meet.

    `--reuse-db` keeps one name for each worker instead.
    """
    connection = connections["default"]
    base = connection.settings_dict["TEST"]["NAME"]
    if request.config.getvalue("reuse_db"):
        suffix = os.environ.get("PYTEST_XDIST_WORKER", "main")
    else:
        suffix = str(os.getpid())
        if "EMBEDDED_DATA_DIR" in connection.settings_dict:
            with django_db_blocker.unblock():
                drop_databases_of_dead_runs(base)
    connection.settings_dict["TEST"]["NAME"] = f"{base}_{suffix}"
    # A test's data need not survive a power cut; this saves one disk wait for each commit.
    options = connection.settings_dict.setdefault("OPTIONS", {})
    options["options"] = f"{options.get('options', '')} -c synchronous_commit=off".strip()


def drop_databases_of_dead_runs(base: str) -> None:
    """Drops the test databases whose process is gone; only on the embedded server, whose
    clients are all on this machine."""
    with connections["default"]._nodb_cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [f"{base}_%"])
        for (name,) in cursor.fetchall():
            number = re.fullmatch(re.escape(base) + r"_(\d+)", name)
            if number and not psutil.pid_exists(int(number[1])):
                cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def redis_url() -> str:
    """Returns the address of a Redis that the run may fill and empty."""
    url = os.environ.get("RUNPROOF_TEST_REDIS_URL", "")
    if not url:
        pytest.skip("RUNPROOF_TEST_REDIS_URL names no Redis; .ci/run starts one")
    return url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Returns a running Chromium as a Playwright browser; skips where it is not installed."""
    names = ("chromium", "chromium-browser")
    path = os.environ.get("RUNPROOF_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if not path:
        pytest.skip(f"Chromium is not installed: {CHROMIUM_INSTALL_LINE}")
    from playwright.sync_api import sync_playwright

    with pytest.MonkeyPatch.context() as monkeypatch:
        # Playwright runs an event loop in this thread, in which Django would refuse its ORM.
        monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
            yield browser
            browser.close()


@pytest.fixture
def page(chromium: Any, live_server: Any) -> Iterator[Any]:
    """Returns a fresh page whose relative addresses are the live server's.

    The test fails when the page raised a script error or broke its own content policy.
    """
    problems: list[str] = []
    context = chromium.new_context(
        base_url=live_server.url, viewport={"width": 1280, "height": 800}
    )
    new_page = context.new_page()
    new_page.on("pageerror", lambda error: problems.append(str(error)))
    new_page.on(
        "console",
        lambda message: (
            problems.append(message.text) if "Content Security Policy" in message.text else None
        ),
    )
    yield new_page
    context.close()
    assert not problems, "\n".join(problems)
