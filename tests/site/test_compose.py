"""The compose file and the image: what they name is there, and nothing secret is inside."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

REPOSITORY = Path(__file__).resolve().parents[2]
TEXT = (REPOSITORY / "compose.yaml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILE = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")
OPERATIONS = (REPOSITORY / "docs" / "operations.md").read_text(encoding="utf-8")
OURS = ("prepare", "web", "worker", "beat")
_INTERPOLATED = re.compile(r"\$\{(\w+)(:?[-?][^}]*)?\}")


def test_all_parts_of_an_installation_are_there() -> None:
    assert set(SERVICES) == {"postgres", "redis", *OURS}
    assert {volume.split(":")[0] for one in SERVICES.values() for volume in one["volumes"]} == set(
        COMPOSE["volumes"]
    )


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_service_is_watched_and_started_again(name: str) -> None:
    service = SERVICES[name]
    assert service["logging"]["options"]["max-size"]
    assert "no-new-privileges:true" in service["security_opt"]
    if name == "prepare":
        # It ends: who waits for it asks how, and it is not started again.
        assert service["restart"] == "no"
        return
    assert service["restart"] == "unless-stopped"
    check = service["healthcheck"]
    assert check["test"][0] in ("CMD", "CMD-SHELL")
    assert {"interval", "timeout", "retries"} <= set(check)


@pytest.mark.parametrize("name", OURS)
def test_our_programs_run_without_rights_on_a_read_only_image(name: str) -> None:
    service = SERVICES[name]
    assert service["user"] == "10001:10001"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert [volume.split(":")[1] for volume in service["volumes"]] == ["/data"]


@pytest.mark.parametrize("name", ["web", "worker", "beat"])
def test_nothing_of_ours_starts_before_the_database_is_prepared(name: str) -> None:
    wanted = {one: how["condition"] for one, how in SERVICES[name]["depends_on"].items()}
    assert wanted == {
        "prepare": "service_completed_successfully",
        "postgres": "service_healthy",
        "redis": "service_healthy",
    }
    assert set(SERVICES["prepare"]["depends_on"]) == {"postgres"}


def test_only_the_web_process_is_reached_from_outside_and_by_default_from_this_machine() -> None:
    assert [name for name, one in SERVICES.items() if "ports" in one] == ["web"]
    assert SERVICES["web"]["ports"] == ["${RUNPROOF_PUBLISH:-127.0.0.1:8000}:8000"]
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert all(SERVICES[name]["networks"] == ["inside"] for name in ("postgres", "redis"))


def test_what_is_secret_must_be_given_and_has_no_default() -> None:
    found = dict(_INTERPOLATED.findall(TEXT))
    assert found["RUNPROOF_SECRET_KEY"].startswith(":?")
    assert found["RUNPROOF_DATABASE_PASSWORD"].startswith(":?")
    for name, one in SERVICES.items():
        for key, value in (one.get("environment") or {}).items():
            if re.search("PASSWORD|SECRET|TOKEN", key):
                assert _INTERPOLATED.fullmatch(value), f"{name}: {key}"


def test_every_variable_is_documented() -> None:
    named = {name for name, _ in _INTERPOLATED.findall(TEXT)}
    for one in OURS:
        named |= set(SERVICES[one]["environment"])
    named |= set(re.findall(r"\b(RUNPROOF_[A-Z_]+)=", DOCKERFILE))
    assert len(named) > 10
    assert [name for name in sorted(named) if f"`{name}`" not in OPERATIONS] == []


def test_every_command_exists() -> None:
    for name in OURS:
        words = SERVICES[name]["command"]
        if words[:2] == ["python", "manage.py"]:
            assert words[2] in get_commands(), name
        else:
            assert words[:3] == ["celery", "-A", "matrix.site.celery"], name
    built = re.findall(r"manage\.py (\w+)", DOCKERFILE)
    assert {"compile_translations", "collectstatic"} <= set(built) <= set(get_commands())


def test_images_are_pinned_by_a_full_tag() -> None:
    images = [SERVICES["postgres"]["image"], SERVICES["redis"]["image"]]
    images += re.findall(r"^FROM (\S+)", DOCKERFILE, flags=re.MULTILINE)
    assert len(images) == 4
    for image in images:
        assert re.search(r":\d+\.\d+(\.\d+)?-[a-z-]*bookworm$", image), image


def test_the_image_installs_the_lock_alone_and_runs_as_nobody_in_particular() -> None:
    assert "--require-hashes --only-binary :all: -r /build/requirements.lock" in DOCKERFILE
    assert re.findall(r"^USER (\S+)", DOCKERFILE, flags=re.MULTILINE) == ["10001:10001"]
    assert DOCKERFILE.index("collectstatic") < DOCKERFILE.index("\nUSER ")
    assert "\nHEALTHCHECK " in DOCKERFILE and "/healthz/" in DOCKERFILE
    copied = re.findall(r"^COPY (?!--from)(\S+)", DOCKERFILE, flags=re.MULTILINE)
    assert [path for path in copied if not (REPOSITORY / path).exists()] == []
    allowed = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert allowed[1] == "*"
    assert sorted(line[1:] for line in allowed if line.startswith("!")) == sorted(copied)
