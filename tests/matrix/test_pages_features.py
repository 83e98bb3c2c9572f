"""The pages of service features: every answer with its evidence, and nothing made up."""

import csv
import io
from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from matrix.domain.coordinates import Condition
from matrix.domain.levels import ConditionKind
from matrix.index import current_knowledge, forget_knowledge
from matrix.models import Feature
from matrix.services import add_claims, raise_revision
from tests import builders
from tests.architecture import find_inline_code
from tests.matrix.pages_world import HOSTILE, add_many_claims, fill_pages_world

PAGES = (
    "/features/",
    "/features/?version_vllm=0.11.0",
    "/features/?framework=vllm&framework=vllm-ascend&as_of=2025-12-01",
    "/features/lora/",
    "/features/eagle/?as_of=2025-12-01",
    "/features/attention-kernels/",
)
PREFIX_CACHING = builders.claim(
    "supported",
    about=builders.scope(features=["prefix-caching"]),
    seen=("0.11.0", "0.12.0"),
    uid="prefix-caching",
    conditions=[Condition(ConditionKind.FLAG, "--enable-prefix-caching", "set")],
    note=f"=note {HOSTILE}",
)
NO_PIPELINE = builders.claim(
    "unsupported",
    about=builders.scope(features=["pipeline-parallel"]),
    seen=("0.12.0",),
    uid="no-pipeline",
)


@pytest.fixture
def world(db: None) -> Iterator[None]:
    fill_pages_world()
    add_claims((PREFIX_CACHING, NO_PIPELINE), shipped=False)
    raise_revision()
    yield
    forget_knowledge()


def soup_of(client: Client, address: str, *, status: int = 200) -> BeautifulSoup:
    answer = client.get(address)
    assert answer.status_code == status, answer.status_code
    return BeautifulSoup(answer.content, "html.parser")


def cell_of(soup: BeautifulSoup, feature: str) -> str:
    row = soup.find("a", href=f"/features/{feature}/").find_parent("tr")
    return " ".join(row.find("td").text.split())


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_whole_and_has_nothing_inline(world: None, client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200
    text = answer.content.decode()
    assert find_inline_code(address, text) == []
    soup = BeautifulSoup(text, "html.parser")
    assert len(soup.find_all("h1")) == 1
    assert all(table.caption for table in soup.find_all("table"))
    assert all(head.get("scope") for head in soup.find_all("th"))
    fields = soup.select("input:not([type=hidden]):not([type=submit]), select")
    named = {label["for"] for label in soup.find_all("label")}
    assert {field["id"] for field in fields} <= named


@pytest.mark.parametrize("address", PAGES)
def test_the_number_of_queries_does_not_grow_with_the_claims(
    world: None, client: Client, address: str
) -> None:
    def count() -> int:
        current_knowledge()
        client.get(address)
        with CaptureQueriesContext(connection) as caught:
            client.get(address)
        return len(caught)

    few = count()
    add_many_claims(60)
    assert count() == few <= 2


def test_a_cell_says_level_condition_since_when_and_evidence(world: None, client: Client) -> None:
    text = cell_of(soup_of(client, "/features/"), "prefix-caching")
    assert text.startswith("◐ conditional")
    assert "--enable-prefix-caching" in text
    assert "0.11.0" in text
    day = builders.released_on("0.12.0").isoformat()
    assert f"evidence of {day} at 0.12.0" in text


def test_what_no_source_states_is_unknown_and_never_a_no(world: None, client: Client) -> None:
    soup = soup_of(client, "/features/")
    assert cell_of(soup, "tensor-parallel") == "? unknown"
    assert cell_of(soup, "pipeline-parallel").startswith("✕ unsupported")


def test_a_release_that_is_chosen_answers_for_itself(world: None, client: Client) -> None:
    soup = soup_of(client, "/features/?version_vllm=0.10.0")
    assert cell_of(soup, "pipeline-parallel") == "? unknown"
    assert "0.10.0, chosen" in soup.find("thead").text


def test_evidence_of_a_later_day_is_not_seen(world: None, client: Client) -> None:
    day = builders.released_on("0.11.0").isoformat()
    soup = soup_of(client, f"/features/?as_of={day}")
    assert cell_of(soup, "pipeline-parallel") == "? unknown"
    assert cell_of(soup, "prefix-caching").startswith("◐ conditional")


def test_a_feature_that_the_catalogue_lacks_has_no_row(world: None, client: Client) -> None:
    assert not Feature.objects.filter(slug="tool-calling").exists()
    assert soup_of(client, "/features/").find("a", href="/features/tool-calling/") is None


def test_markup_in_a_note_is_shown_as_text(world: None, client: Client) -> None:
    for address in ("/features/", "/features/prefix-caching/"):
        answer = client.get(address)
        assert HOSTILE not in answer.content.decode()
        assert HOSTILE in BeautifulSoup(answer.content, "html.parser").text


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("/features/?version_vllm=9.9", 400, "unknown-version"),
        ("/features/?version_vllm=0.12.0&as_of=2025-02-01", 400, "not-released-yet"),
        ("/features/?as_of=yesterday", 400, "invalid-value"),
        ("/features/?framework=vlm", 400, "unknown-name"),
        ("/features/?version_sglang=0.5.0", 400, "unknown-parameter"),
        ("/features/?" + "&".join(["framework=vllm"] * 13), 400, "invalid-value"),
        ("/features/features.csv?version_vllm=9.9", 400, "unknown-version"),
        ("/features/features.json?colour=red", 400, "unknown-parameter"),
        ("/features/nothing-like-it/", 404, "unknown-name"),
        ("/features/lora/?as_of=2999-01-01", 400, "invalid-value"),
        ("/features/attention-kernels/?as_of=no", 400, "invalid-value"),
    ],
)
def test_a_wrong_word_is_refused_by_name(
    world: None, client: Client, address: str, status: int, code: str
) -> None:
    soup = soup_of(client, address, status=status)
    assert code in soup.text


def test_both_exports_say_what_the_page_says(world: None, client: Client) -> None:
    rows = list(csv.DictReader(io.StringIO(client.get("/features/features.csv").content.decode())))
    plain = client.get("/features/features.json").json()
    cells = {
        (feature["slug"], framework): cell
        for group in plain["groups"]
        for feature in group["features"]
        for framework, cell in feature["cells"].items()
    }
    assert {(row["feature"], row["framework"]): row["level"] for row in rows} == {
        key: cell["level"] for key, cell in cells.items()
    }
    assert cells["prefix-caching", "vllm"]["conditions"] == ["flag --enable-prefix-caching"]
    assert plain["frameworks"] == [{"slug": "vllm", "name": "vLLM", "version": "0.12.0"}]


def test_an_export_holds_no_formula(world: None, client: Client) -> None:
    rows = csv.DictReader(io.StringIO(client.get("/features/features.csv").content.decode()))
    notes = [row["note"] for row in rows if row["note"]]
    assert notes and all(note.startswith("'=note") for note in notes)


def test_the_page_of_a_feature_lists_the_most_general_claims_first(
    world: None, client: Client
) -> None:
    table = soup_of(client, "/features/lora/").find(id="claims-vllm").find("table")
    lines = [row.find_all("td")[0].text for row in table.tbody.find_all("tr")]
    assert ["hardware" in line.lower() for line in lines] == sorted(
        ["hardware" in line.lower() for line in lines]
    ) or "eagle" in lines[-1]
    assert len(lines) == 2


def test_the_page_of_a_feature_takes_any_of_its_names(world: None, client: Client) -> None:
    assert soup_of(client, "/features/LoRA/").h1.text == "lora"


def test_paths_of_a_framework_that_is_not_there_are_not_found(world: None, client: Client) -> None:
    assert client.get("/features/tensorrt-llm-model-paths/").status_code == 404


def test_a_kernel_names_the_hardware_of_its_claims_and_no_more(world: None, client: Client) -> None:
    Feature.objects.create(slug="flashinfer", name="FlashInfer", kind="feature")
    about = {"features": ["flashinfer"]}
    add_claims(
        (
            builders.claim("supported", about=builders.scope(hardware="nvidia-ampere", **about),
                           seen=("0.12.0",), uid="runs"),
            builders.claim("unsupported", about=builders.scope(hardware="nvidia-turing", **about),
                           seen=("0.12.0",), uid="refused"),
            builders.claim("supported", about=builders.scope(hardware="nvidia-volta", **about),
                           seen=("0.6.0",), uid="gone", gone="0.8.0"),
        ),
        shipped=False,
    )  # fmt: skip
    raise_revision()
    section = soup_of(client, "/features/attention-kernels/").find(id="flashinfer")
    cells = [cell.text.strip() for cell in section.find("tbody").find_all("td")[1:]]
    assert cells == ["nvidia-ampere", "–", "Turing"]
