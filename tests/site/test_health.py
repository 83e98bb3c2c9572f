"""Liveness, readiness and metrics, for whoever starts and watches an installation."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery
from django.conf import settings as live_settings
from django.core.cache.backends.locmem import LocMemCache
from django.db import OperationalError
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from matrix.index import current_knowledge, forget_knowledge
from matrix.site import health
from matrix.site.health import parts
from tests.matrix.api.rows import make_world

TOKEN = "a-token-of-monitoring"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that another test found out is kept."""
    monkeypatch.setattr(health, "_KEPT_S", -1.0)
    monkeypatch.setattr(health, "_applied_until", 0.0)


@pytest.fixture
def world(db: None) -> Iterator[None]:
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


def body(answer: Any, status: int = 200) -> dict[str, Any]:
    assert answer.status_code == status, answer.content
    assert answer["Cache-Control"] == "no-store"
    return dict(json.loads(answer.content))


class TestLiveness:
    def test_it_needs_no_database(self, client: Client) -> None:
        # Without the mark of the database fixture, any query would fail this test.
        assert body(client.get("/healthz/")) == {"status": "ok"}

    def test_no_host_name_and_no_https_is_asked_for(self, client: Client, settings: Any) -> None:
        settings.SECURE_SSL_REDIRECT = True
        settings.RUNPROOF_PUBLIC = False
        assert body(client.get("/healthz/", headers={"host": "10.0.0.9"})) == {"status": "ok"}

    def test_it_is_never_throttled(self, client: Client, settings: Any) -> None:
        rates = live_settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] | {"anon": "1/minute"}
        settings.REST_FRAMEWORK = live_settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": rates}
        assert {client.get("/healthz/").status_code for _ in range(5)} == {200}

    def test_only_reading_is_allowed(self, client: Client) -> None:
        assert client.post("/healthz/").status_code == 405
        assert client.head("/healthz/").status_code == 200


class TestReadiness:
    def test_a_prepared_installation_is_ready(self, world: None, client: Client) -> None:
        assert body(client.get("/readyz/")) == {
            "status": "ok",
            "checks": {"database": "ok", "migrations": "ok", "knowledge": "ok"},
        }

    @pytest.mark.django_db
    def test_without_knowledge_it_is_not(self, client: Client) -> None:
        found = body(client.get("/readyz/"), 503)
        assert found["status"] == "failed"
        assert found["checks"] == {"database": "ok", "migrations": "ok", "knowledge": "failed"}

    def test_a_missing_migration_is_told(
        self, world: None, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from django.db.migrations.recorder import MigrationRecorder

        MigrationRecorder.Migration.objects.filter(app="matrix").order_by("-id").first().delete()
        found = body(client.get("/readyz/"), 503)
        assert found["checks"]["migrations"] == "failed"
        assert found["checks"]["database"] == "ok"

    def test_a_database_that_is_gone_is_told_without_details(
        self, client: Client, monkeypatch: pytest.MonkeyPatch, caplog: Any
    ) -> None:
        def gone() -> None:
            raise OperationalError("connection to server at 10.0.0.9 failed")

        for name in ("check_database", "check_migrations", "check_knowledge"):
            monkeypatch.setattr(health, name, gone)
        monkeypatch.setattr(health.connection, "close", lambda: None)
        answer = client.get("/readyz/")
        assert set(body(answer, 503)["checks"].values()) == {"failed"}
        assert b"10.0.0.9" not in answer.content
        assert "10.0.0.9" in caplog.text

    def test_a_broker_that_nobody_answers_for_is_told(
        self, world: None, client: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
    ) -> None:
        settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
        monkeypatch.setattr(health.app.conf, "broker_url", settings.CELERY_BROKER_URL)
        monkeypatch.setattr(health.app.conf, "broker_write_url", settings.CELERY_BROKER_URL)
        assert body(client.get("/readyz/"), 503)["checks"]["broker"] == "failed"

    def test_a_cache_that_keeps_nothing_is_told(
        self, world: None, client: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
    ) -> None:
        class Forgetting(LocMemCache):
            def get(self, *args: Any, **kwargs: Any) -> Any:
                return None

        settings.CACHES = {"default": {**live_settings.CACHES["default"], "LOCATION": "redis://x"}}
        monkeypatch.setattr(health, "cache", Forgetting("forgetting", {}))
        assert body(client.get("/readyz/"), 503)["checks"]["cache"] == "failed"

    def test_only_parts_that_are_configured_are_asked(self) -> None:
        assert set(parts()) == {"database", "migrations", "knowledge"}

    def test_a_real_broker_and_cache_are_well(
        self, world: None, client: Client, redis_url: str, monkeypatch: pytest.MonkeyPatch,
        settings: Any,
    ) -> None:  # fmt: skip
        settings.CELERY_BROKER_URL = redis_url
        monkeypatch.setattr(health.app.conf, "broker_url", redis_url)
        monkeypatch.setattr(health.app.conf, "broker_write_url", redis_url)
        assert body(client.get("/readyz/"))["checks"]["broker"] == "ok"

    def test_asking_often_asks_the_parts_once_in_a_while(
        self, world: None, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(health, "_KEPT_S", 60.0)
        asked: list[int] = []
        monkeypatch.setattr(health, "check_database", lambda: asked.append(1))
        for _ in range(5):
            client.get("/readyz/")
        assert len(asked) == 1


class TestMetrics:
    @pytest.fixture
    def monitored(self, world: None, settings: Any) -> dict[str, str]:
        settings.RUNPROOF_METRICS_TOKEN = TOKEN
        return {"authorization": f"Bearer {TOKEN}"}

    def read(self, client: Client, headers: dict[str, str]) -> dict[str, dict[Any, float]]:
        answer = client.get("/metrics", headers=headers)
        assert answer.status_code == 200
        assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
        return {
            family.name: {
                (sample.name, *sorted(sample.labels.items())): sample.value
                for sample in family.samples
            }
            for family in text_string_to_metric_families(answer.content.decode())
        }

    @pytest.mark.parametrize(
        "given", [{}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"},
                  {"authorization": "Bearer é"}],
    )  # fmt: skip
    def test_without_the_token_there_is_nothing(
        self, monitored: dict[str, str], client: Client, given: dict[str, str]
    ) -> None:
        assert client.get("/metrics", headers=given).status_code == 404

    def test_where_no_token_is_set_an_empty_one_opens_nothing(self, client: Client) -> None:
        assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404

    def test_requests_are_counted_by_route_and_never_by_address(
        self, monitored: dict[str, str], client: Client
    ) -> None:
        key = ("runproof_requests_total", ("method", "GET"), ("route", "claim"), ("status", "404"))
        before = self.read(client, monitored).get("runproof_requests", {}).get(key, 0.0)
        for number in range(3):
            client.get(f"/claims/nobody-{number}/")
        client.get("/nothing/here/")
        client.generic("BREW", "/claims/nobody/")
        after = self.read(client, monitored)
        assert after["runproof_requests"][key] == before + 3
        labels = {dict(name[1:]).get("route") for name in after["runproof_requests"]}
        assert "unresolved" in labels
        assert not any("nobody" in str(label) for label in labels)
        methods = {dict(name[1:]).get("method") for name in after["runproof_requests"]}
        assert "BREW" not in methods and "other" in methods
        count = ("runproof_request_seconds_count", ("route", "claim"))
        assert after["runproof_request_seconds"][count] >= 3

    def test_the_short_way_is_counted_once(self, monitored: dict[str, str], client: Client) -> None:
        key = (
            "runproof_requests_total", ("method", "GET"), ("route", "api-verdicts"),
            ("status", "200"),
        )  # fmt: skip
        before = self.read(client, monitored).get("runproof_requests", {}).get(key, 0.0)
        address = "/api/v1/verdicts/?framework=vllm&hardware=nvidia-t4"
        assert client.get(address, headers={"accept": "application/json"}).status_code == 200
        assert self.read(client, monitored)["runproof_requests"][key] == before + 1

    def test_figures_of_all_apps_are_told(self, monitored: dict[str, str], client: Client) -> None:
        current_knowledge()
        found = self.read(client, monitored)
        assert found["runproof_database_up"] == {("runproof_database_up",): 1.0}
        assert found["runproof_knowledge_revision"][("runproof_knowledge_revision",)] >= 1
        assert found["runproof_claims"][("runproof_claims",)] == 4
        assert found["runproof_index_build_seconds"][("runproof_index_build_seconds",)] > 0
        assert found["runproof_runs"][("runproof_runs", ("run_class", "measured"))] == 0
        assert found["runproof_review_items_open"][("runproof_review_items_open",)] == 0
        assert found["runproof_feeds"][("runproof_feeds",)] > 10
        assert ("runproof_uploads", ("state", "received")) in found["runproof_uploads"]

    def test_tasks_that_wait_are_counted(
        self, monitored: dict[str, str], client: Client, redis_url: str, settings: Any
    ) -> None:
        held = health.app.conf.broker_url, health.app.conf.broker_read_url
        settings.CELERY_BROKER_URL = redis_url
        health.app.conf.broker_url = health.app.conf.broker_read_url = redis_url
        queue = health.app.conf.task_default_queue
        try:
            before = self.read(client, monitored)["runproof_tasks_waiting"]
            with Celery("sender", broker=redis_url) as sender:
                sender.send_task("nobody.takes_this", queue=queue)
                after = self.read(client, monitored)["runproof_tasks_waiting"]
                with sender.connection_for_write() as broker:
                    broker.default_channel.queue_purge(queue)
        finally:
            health.app.conf.broker_url, health.app.conf.broker_read_url = held
        name = ("runproof_tasks_waiting",)
        assert after[name] == before[name] + 1

    def test_a_broker_that_is_gone_hides_nothing_else(
        self, monitored: dict[str, str], client: Client, monkeypatch: pytest.MonkeyPatch,
        settings: Any,
    ) -> None:  # fmt: skip
        settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
        for name in ("broker_url", "broker_read_url"):
            monkeypatch.setattr(health.app.conf, name, settings.CELERY_BROKER_URL)
        found = self.read(client, monitored)
        assert found["runproof_broker_up"] == {("runproof_broker_up",): 0.0}
        assert "runproof_tasks_waiting" not in found
        assert found["runproof_claims"][("runproof_claims",)] == 4

    def test_a_database_that_is_gone_leaves_the_counters(
        self, monitored: dict[str, str], client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from matrix.site import metrics

        def gone() -> Any:
            raise OperationalError("gone")

        client.get("/claims/nobody/")
        monkeypatch.setattr(metrics, "_app_figures", gone)
        monkeypatch.setattr(metrics.connection, "close", lambda: None)
        found = self.read(client, monitored)
        assert found["runproof_database_up"] == {("runproof_database_up",): 0.0}
        assert "runproof_claims" not in found
        assert found["runproof_requests"]
