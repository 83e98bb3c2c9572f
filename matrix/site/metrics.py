"""What monitoring reads: counts and times of requests, and figures that the apps give.

Counters are those of one process; figures come from the database and are the same from any. Which
functions give figures, the settings name; each returns objects with ``name``, ``help``, ``value``
and ``labels``.
"""

import hmac
from collections.abc import Iterator
from functools import lru_cache

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError as BrokerError
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from matrix.site.celery import app

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_BROKER_WAIT_S = 2.0

# When a counter began is told by its process; a second series for each would double the answer.
disable_created_metrics()

registry = CollectorRegistry()
REQUESTS = Counter(
    "runproof_requests",
    "Answered requests of this process.",
    ("method", "route", "status"),
    registry=registry,
)
SECONDS = Histogram(
    "runproof_request_seconds",
    "Time from a request to its answer in this process.",
    ("route",),
    buckets=BUCKETS_S,
    registry=registry,
)


class Figures(Collector):
    """The apps' figures, asked whenever they are read."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Whether broker and database answer, and if they do, what waits and what the apps tell."""
        if settings.CELERY_BROKER_URL:
            yield from _broker_figures()
        up = GaugeMetricFamily("runproof_database_up", "Whether the database answers.")
        try:
            found = list(_app_figures())
        except (DatabaseError, InterfaceError):
            # A broken connection would fail the next reader as well.
            connection.close()
            up.add_metric([], 0.0)
            yield up
            return
        up.add_metric([], 1.0)
        yield up
        yield from found


def _broker_figures() -> Iterator[GaugeMetricFamily]:
    """Whether the broker answers, and how many tasks wait for a worker."""
    up = GaugeMetricFamily("runproof_broker_up", "Whether the broker takes a connection.")
    try:
        with app.connection_for_read() as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=_BROKER_WAIT_S)
            try:
                queue = broker.default_channel.queue_declare(
                    queue=app.conf.task_default_queue, passive=True
                )
                count = int(queue.message_count)
            except broker.channel_errors:
                # A queue that nobody has sent anything to is not there yet.
                count = 0
    except (BrokerError, OSError):
        up.add_metric([], 0.0)
        yield up
        return
    up.add_metric([], 1.0)
    yield up
    waiting = GaugeMetricFamily("runproof_tasks_waiting", "Tasks that wait for a worker.")
    waiting.add_metric([], float(count))
    yield waiting


def _app_figures() -> Iterator[GaugeMetricFamily]:
    families: dict[str, GaugeMetricFamily] = {}
    for source in settings.RUNPROOF_METRIC_SOURCES:
        for figure in import_string(source)():
            names = tuple(figure.labels)
            family = families.setdefault(
                figure.name, GaugeMetricFamily(figure.name, figure.help, labels=names)
            )
            family.add_metric([str(figure.labels[name]) for name in names], float(figure.value))
    yield from families.values()


registry.register(Figures())


@lru_cache(maxsize=4096)
def _count_of(method: str, route: str, status: int) -> Counter:
    return REQUESTS.labels(method if method in METHODS else "other", route, str(status))


@lru_cache(maxsize=1024)
def _time_of(route: str) -> Histogram:
    return SECONDS.labels(route)


def note_request(*, method: str, route: str, status: int, seconds: float) -> None:
    """Counts an answered request; every label has a bounded number of values."""
    _count_of(method, route, status).inc()
    _time_of(route).observe(seconds)


def may_read(request: HttpRequest) -> bool:
    """Whether a request carries the token of monitoring."""
    wanted = f"Bearer {settings.RUNPROOF_METRICS_TOKEN}"
    given = request.META.get("HTTP_AUTHORIZATION", "")
    return hmac.compare_digest(given.encode(), wanted.encode())


def metrics_response() -> HttpResponse:
    """Everything in Prometheus' text form."""
    response = HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)
    response["Cache-Control"] = "no-store"
    return response
