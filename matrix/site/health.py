"""Whether this process lives and whether it can serve, for whoever starts and watches it.

Answered before any other middleware: whoever watches does not know the site's host names, comes
without https, and must get an answer where the database gives none. Strangers learn names of parts
and whether each is well, nothing more; why one is not stands in the log.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from enum import StrEnum

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from matrix.site.celery import app
from matrix.site.metrics import may_read, metrics_response

logger = logging.getLogger(__name__)

LIVE, READY, METRICS = "/healthz/", "/readyz/", "/metrics"
# Strangers may ask as often as they like; the parts are asked no more often than this.
_KEPT_S = 2.0
_BROKER_WAIT_S = 2.0
# Migrations that were applied once stay so while a process runs, or it is started anew.
_MIGRATIONS_KEPT_S = 60.0


class Health(StrEnum):
    """How a part stands."""

    OK = "ok"
    FAILED = "failed"


class NotReadyError(RuntimeError):
    """Says in one sentence why a part is not well."""

    code = "not-ready"


class HealthChecks:
    """The first middleware: answers the three addresses of monitoring itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        self._readiness = _Readiness()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The answer about health, else whatever the site answers."""
        path = request.path_info
        if path not in (LIVE, READY, METRICS):
            return self._get_response(request)
        if path == METRICS and not (settings.RUNPROOF_METRICS_TOKEN and may_read(request)):
            # Without a token nobody learns whether there is anything to read.
            return HttpResponse("Not found.\n", status=404, content_type="text/plain")
        if request.method not in ("GET", "HEAD"):
            return HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
        if path == METRICS:
            return metrics_response()
        return _answer({} if path == LIVE else self._readiness.checks())


def _answer(checks: Mapping[str, Health]) -> HttpResponse:
    failed = [name for name, health in checks.items() if health is Health.FAILED]
    plain = {"status": "failed" if failed else "ok"} | ({"checks": checks} if checks else {})
    response = JsonResponse(plain, status=503 if failed else 200)
    response["Cache-Control"] = "no-store"
    return response


class _Readiness:
    """The state of all parts, asked by one thread at a time and kept for a moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: tuple[float, Mapping[str, Health]] | None = None

    def checks(self) -> Mapping[str, Health]:
        """How each part stands."""
        with self._lock:
            now = time.monotonic()
            if self._kept is None or now - self._kept[0] > _KEPT_S:
                self._kept = (now, {name: _ask(name, check) for name, check in parts().items()})
            return self._kept[1]


def parts() -> dict[str, Callable[[], None]]:
    """The parts that this installation has, with how each is asked."""
    found: dict[str, Callable[[], None]] = {
        "database": check_database,
        "migrations": check_migrations,
        "knowledge": check_knowledge,
    }
    if settings.CACHES["default"].get("LOCATION"):
        found["cache"] = check_cache
    if settings.CELERY_BROKER_URL:
        found["broker"] = check_broker
    return found


def _ask(name: str, check: Callable[[], None]) -> Health:
    try:
        check()
    except (DatabaseError, InterfaceError) as error:
        # The next question must not meet the broken connection again.
        connection.close()
        logger.warning("not ready: %s: %s", name, error)
        return Health.FAILED
    except (NotReadyError, RedisError, BrokerError, OSError) as error:
        logger.warning("not ready: %s: %s", name, error)
        return Health.FAILED
    return Health.OK


def check_database() -> None:
    """Returns where the database answers. **Raises**: its errors."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


_applied_until = 0.0


def check_migrations() -> None:
    """Returns where every migration is applied. **Raises**: ``NotReadyError``."""
    global _applied_until
    if time.monotonic() < _applied_until:
        return
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        raise NotReadyError(f"{len(missing)} migrations are not applied; run manage.py migrate")
    _applied_until = time.monotonic() + _MIGRATIONS_KEPT_S


def check_knowledge() -> None:
    """Returns where any knowledge was recorded. **Raises**: ``NotReadyError``."""
    if import_string("matrix.index.current_revision")() < 1:
        raise NotReadyError("no knowledge is loaded; run manage.py load_catalog")


def check_cache() -> None:
    """Returns where the shared cache keeps what it is given. **Raises**: ``NotReadyError``."""
    cache.set("runproof:ready", 1, timeout=30)
    if cache.get("runproof:ready") != 1:
        raise NotReadyError("the cache does not keep what it is given")


def check_broker() -> None:
    """Returns where the broker takes a connection. **Raises**: its errors."""
    with app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=_BROKER_WAIT_S)
