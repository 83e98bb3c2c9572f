"""The framework's page on a day and the page of a release, as a reader gets them."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from matrix.domain.published import PublishedImage, StatedPin
from matrix.index import forget_knowledge
from matrix.models import Framework, MaintenancePeriod
from matrix.releasing import record_images, record_pins
from matrix.services import raise_revision
from tests.architecture import find_inline_code
from tests.matrix.pages_world import fill_pages_world

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 1, 5, tzinfo=UTC)
DIGEST = "sha256:" + "d" * 64


@pytest.fixture(autouse=True)
def world(db: None) -> Iterator[None]:
    fill_pages_world()
    vllm = Framework.objects.get(slug="vllm")
    MaintenancePeriod.objects.filter(framework=vllm).delete()
    said: dict[str, Any] = {"framework": vllm, "evidence_kind": "maintainer-statement"}
    MaintenancePeriod.objects.create(
        **said, status="maintenance-mode", start_on=date(2025, 6, 1), strength="maintainer",
        url="https://example.org/notice", stated_on=date(2025, 6, 1),
    )  # fmt: skip
    MaintenancePeriod.objects.create(
        **said, status="archived", start_on=date(2025, 8, 1), strength="third-party",
        url="https://example.org/other", stated_on=date(2025, 11, 1),
    )  # fmt: skip
    image = PublishedImage(
        framework="vllm", version="0.12.0", repository="org/engine", tag="v0.12.0-cu129",
        digest=DIGEST, variant="cu129", platforms=("linux/amd64",),
    )  # fmt: skip
    record_images([image], framework="vllm", feed="f", now=NOW)
    pin = StatedPin(framework="vllm", version="0.12.0", name="torch", status="pinned",
                    value="torch==2.9.0", source="vllm-code", statement="x/torch",
                    path="requirements/cuda.txt")  # fmt: skip
    record_pins([pin])
    raise_revision()
    yield
    forget_knowledge()


def text_of(client: Client, address: str, *, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    assert find_inline_code(address, answer.content.decode()) == []
    main = BeautifulSoup(answer.content, "html.parser").find("main")
    assert main is not None
    return " ".join(main.get_text(" ").split())


def test_the_page_shows_the_status_of_the_day_with_its_strength(client: Client) -> None:
    text = text_of(client, "/frameworks/vllm/?as_of=2025-09-01")
    assert "On 2025-09-01:" in text
    assert "rests on the maintainers' word, source , stated on 2025-06-01" in text
    assert "Also said of that day:" in text
    assert "rests on a third party only, source , stated on 2025-11-01 stated later" in text


def test_before_its_first_statement_the_status_is_unknown(client: Client) -> None:
    text = text_of(client, "/frameworks/vllm/?as_of=2025-05-31")
    assert "No dated statement covers that day." in text
    assert "Also said of that day" not in text


def test_silence_is_reported_with_what_is_not_known(client: Client) -> None:
    text = text_of(client, "/frameworks/vllm/?as_of=2025-09-01")
    assert "without a known release or push." in text
    assert "Pushes are not known. The code host was never asked from here." in text


@pytest.mark.parametrize("day", ["2031-01-01", "yesterday", "2025-13-01"])
def test_a_day_that_is_none_or_to_come_is_refused(client: Client, day: str) -> None:
    answer = client.get(f"/frameworks/vllm/?as_of={day}")
    assert answer.status_code == 400
    assert "as_of" in answer.content.decode()


def test_a_release_s_page_has_its_images_with_digests_and_its_pins(client: Client) -> None:
    text = text_of(client, "/frameworks/vllm/releases/0.12.0/")
    assert "org/engine:v0.12.0-cu129" in text
    assert DIGEST in text
    assert "linux/amd64" in text
    assert "torch==2.9.0" in text
    assert text_of(client, "/frameworks/vllm/releases/v0.12.0/") == text


def test_an_unknown_release_names_the_nearest(client: Client) -> None:
    assert "0.12.0" in text_of(client, "/frameworks/vllm/releases/0.12.9/", status=404)
    assert client.get("/frameworks/nothing/releases/1/").status_code == 404


def test_a_release_without_images_says_that_none_is_known(client: Client) -> None:
    text = text_of(client, "/frameworks/vllm/releases/0.11.0/")
    assert "No image of this release is known here" in text
    assert "No pin of this release is known here" in text


def test_the_interface_answers_the_same(client: Client) -> None:
    answer = client.get("/api/v1/frameworks/vllm/", {"as_of": "2025-09-01"}).json()
    assert answer["maintenance"]["status"] == "maintenance-mode"
    (other,) = answer["maintenance_beside"]["others"]
    assert other["stated_later"] is True
    assert other["period"]["evidence"]["strength"] == "third-party"
    silence = answer["maintenance_beside"]["silence"]
    assert silence["last_push_on"] is None
    assert silence["code_host_asked_on"] is None
    release = client.get("/api/v1/releases/vllm/0.12.0/").json()
    assert [image["digest"] for image in release["images"]] == [DIGEST]
    assert [pin["value"] for pin in release["pins"]] == ["torch==2.9.0"]
    assert release["removed_upstream_on"] is None


def test_a_release_whose_images_and_pins_nobody_asked_for_has_no_count(client: Client) -> None:
    soup = BeautifulSoup(client.get("/frameworks/vllm/").content, "html.parser")
    link = soup.find("a", href="/frameworks/vllm/releases/0.11.0/")
    assert link is not None
    assert link.get_text(strip=True) == "none known"


def test_a_page_of_another_day_says_which_parts_are_of_that_day(client: Client) -> None:
    then = text_of(client, "/frameworks/vllm/?as_of=2025-09-01")
    assert "Newest stable release on 2025-09-01" in then
    assert "today, whatever day is chosen above" in then
    assert "today, whatever day is chosen above" not in text_of(client, "/frameworks/vllm/")
