"""Pages as a reader gets them: complete, safe, with a constant number of queries."""

from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client, RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils.html import format_html
from django.views.defaults import server_error

from matrix.index import current_knowledge, forget_knowledge
from matrix.templatetags.signs import claim_badge
from tests.architecture import find_inline_code
from tests.matrix.pages_world import HOSTILE, add_many_claims, fill_pages_world

PAGES = (
    "/",
    "/matrix/",
    "/matrix/?rows=version&columns=quantization&framework=vllm",
    "/matrix/?rows=framework&columns=hardware&quantization=awq&all=1",
    "/cells/?framework=vllm&version=0.7.0&quantization=awq&hardware=turing",
    "/cells/?framework=vllm&quantization=gguf&hardware=nvidia-a100&feature=lora",
    "/cells/?framework=vllm",
    "/frameworks/",
    "/frameworks/vllm/",
    "/frameworks/vllm/?before=0.6.0&after=0.8.0",
    "/frameworks/vllm/support/",
    "/frameworks/vllm-ascend/",
    "/changes/?from=2025-01-01&to=2026-01-10",
    "/claims/hostile/",
    "/about/",
    "/about/components/",
    "/accounts/login/",
)


@pytest.fixture
def world(db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


def soup_of(client: Client, address: str, *, status: int = 200, **headers: str) -> BeautifulSoup:
    answer = client.get(address, headers=headers)
    assert answer.status_code == status, answer.status_code
    return BeautifulSoup(answer.content, "html.parser")


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_whole_and_has_nothing_inline(world: None, client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200
    text = answer.content.decode()
    assert find_inline_code(address, text) == []
    soup = BeautifulSoup(text, "html.parser")
    assert len(soup.find_all("h1")) == 1
    assert soup.title and soup.title.text.strip()
    assert soup.find("a", class_="skip")["href"] == "#main"
    assert soup.html["lang"] == "en"
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
        # The index and what is kept per revision are built outside the counted request.
        current_knowledge()
        client.get(address)
        with CaptureQueriesContext(
            connection,
        ) as caught:
            client.get(address)
        return len(caught)

    few = count()
    add_many_claims(60)
    assert count() == few <= 6


def test_markup_in_a_note_is_shown_as_text(world: None, client: Client) -> None:
    for address in (
        "/claims/hostile/",
        "/cells/?framework=vllm&quantization=gguf&hardware=nvidia-ampere",
        "/changes/?from=2025-01-01&to=2026-01-10",
    ):
        answer = client.get(address)
        assert HOSTILE not in answer.content.decode()
        soup = BeautifulSoup(answer.content, "html.parser")
        assert HOSTILE[:40] in soup.text
        assert not soup.find("img")


def test_an_unknown_name_offers_the_nearest_ones_and_keeps_the_form(
    world: None, client: Client
) -> None:
    address = "/cells/?framework=vllm&quantization=awq&hardware=nvidia-turin"
    soup = soup_of(client, address, status=400)
    assert "nvidia-turin" in soup.find(role="alert").text
    fix = soup.find("a", class_="chip", string="Turing")
    assert client.get(fix["href"]).status_code == 200
    assert soup.find(id="id_hardware")["value"] == "nvidia-turin"
    assert soup.find(id="id_quantization")["value"] == "awq"


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("/cells/", 400, "missing-parameter"),
        ("/cells/?framework=vllm&color=red", 400, "unknown-parameter"),
        ("/cells/?framework=vllm&version=9.9", 400, "unknown-version"),
        ("/cells/?framework=vllm&version=0.12.0&as_of=2025-02-01", 400, "not-released-yet"),
        ("/cells/?framework=vllm&as_of=yesterday", 400, "invalid-value"),
        ("/matrix/?rows=hardware&columns=hardware", 400, "invalid-value"),
        ("/matrix/?rows=colour", 400, "invalid-value"),
        ("/matrix/?page=0", 400, "invalid-value"),
        ("/matrix/grid.csv?rows=colour", 400, "invalid-value"),
        ("/changes/?from=2025-06-01&to=2025-01-01", 400, "invalid-value"),
        ("/changes/?kind=odd", 400, "invalid-value"),
        ("/frameworks/vlm/", 404, "unknown-name"),
        ("/frameworks/vllm/?before=0.6.0&after=nope", 400, "unknown-version"),
    ],
)
def test_an_error_is_a_page_with_its_code(
    world: None, client: Client, address: str, status: int, code: str
) -> None:
    soup = soup_of(client, address, status=status)
    assert code in soup.find(role="alert").text


def test_missing_pages_and_claims_are_404(world: None, client: Client) -> None:
    for address in ("/nowhere/", "/claims/none/", "/frameworks/none/coverage/"):
        soup = soup_of(client, address, status=404)
        assert soup.find("a", href="/matrix/")


def test_refused_requests_are_pages_too(world: None, client: Client) -> None:
    strange = client.get("/", headers={"host": "elsewhere.example"})
    assert strange.status_code == 400
    assert "could not be read" in strange.content.decode()
    strict = Client(enforce_csrf_checks=True)
    forged = strict.post("/i18n/setlang/", {"language": "en"})
    assert forged.status_code == 403
    assert find_inline_code("403", forged.content.decode()) == []
    assert "not accepted" in forged.content.decode()


def test_a_failure_of_the_server_is_a_page_without_a_database(client: Client) -> None:
    answer = server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert find_inline_code("500", answer.content.decode()) == []


def test_empty_form_fields_leave_the_address(world: None, client: Client) -> None:
    answer = client.get("/cells/?framework=vllm&version=&model=&quantization=awq&feature=&as_of=")
    assert answer.status_code == 302
    assert answer["Location"] == "/cells/?framework=vllm&quantization=awq"


def test_features_may_be_parted_by_commas(world: None, client: Client) -> None:
    soup = soup_of(client, "/cells/?framework=vllm&hardware=nvidia-a100&feature=lora, eagle")
    legs = [heading.text for heading in soup.select(".leg h3")]
    assert any("lora" in leg for leg in legs)
    assert any("eagle" in leg for leg in legs)


def test_a_cell_page_says_why_since_when_and_where(world: None, client: Client) -> None:
    soup = soup_of(client, PAGES[4])
    assert "supported" in soup.find(class_="verdict").text
    evidence = soup.select_one(".leg:nth-of-type(2) .evidence")
    assert evidence is not None
    link = evidence.find("a", href="https://example.org/0.7.0/page.md")
    assert link is not None
    assert "row" in evidence.text
    assert "column" in evidence.text
    assert evidence.find("time")["datetime"] == "2025-07-14"
    assert soup.find("svg", class_="timeline")
    runs = [cell.text.strip() for cell in soup.select("#main .badge")]
    assert any("unknown" in text for text in runs)
    permalink = soup.find(id="permalink")["value"]
    assert "as_of=" in permalink
    assert client.get(permalink).status_code == 200


def test_a_condition_is_readable(world: None, client: Client) -> None:
    soup = soup_of(client, "/cells/?framework=vllm&quantization=awq&hardware=nvidia-a100")
    assert "conditional" in soup.find(class_="verdict").text
    assert "flag --quantization = awq" in soup.find("dl").text


def test_a_joint_limit_is_listed_but_does_not_decide(world: None, client: Client) -> None:
    soup = soup_of(client, "/cells/?framework=vllm&hardware=nvidia-a100&feature=lora")
    assert soup.find("a", href="/claims/lora-with-eagle/")
    assert "unsupported" not in soup.find(class_="verdict").text


def test_htmx_gets_the_drawer_and_a_plain_request_the_page(world: None, client: Client) -> None:
    drawer = soup_of(client, PAGES[4], **{"HX-Request": "true"})
    assert drawer.find("html") is None
    assert drawer.find(attrs={"data-close": True})
    assert drawer.find(class_="leg")
    assert soup_of(client, PAGES[4]).find("html")


def test_a_closed_installation_asks_who_reads(world: None, client: Client) -> None:
    with override_settings(RUNPROOF_PUBLIC=False):
        answer = client.get("/matrix/?rows=model")
    assert answer.status_code == 302
    assert answer["Location"] == "/accounts/login/?next=/matrix/%3Frows%3Dmodel"


def test_the_language_switch_keeps_the_page(world: None, client: Client) -> None:
    form = soup_of(client, "/matrix/?rows=version").find("form", action="/i18n/setlang/")
    kept = form.find("input", attrs={"name": "next"})["value"]
    answer = client.post("/i18n/setlang/", {"language": "zh-hans", "next": kept})
    assert answer["Location"] == "/matrix/?rows=version"
    assert BeautifulSoup(client.get(kept).content, "html.parser").html["lang"] == "zh-hans"


def test_panels_of_outer_apps_stand_on_the_cell_page(world: None, client: Client) -> None:
    with override_settings(MATRIX_CELL_PANELS=(f"{__name__}.sample_panel",)):
        text = client.get(PAGES[4]).content.decode()
    assert '<section id="sample">vllm</section>' in text


def test_panels_of_outer_apps_stand_on_the_overview(world: None, client: Client) -> None:
    with override_settings(MATRIX_OVERVIEW_PANELS=(f"{__name__}.plain_panel",)):
        text = client.get("/").content.decode()
    assert '<section id="plain"></section>' in text


def plain_panel() -> Any:
    return format_html('<section id="{}"></section>', "plain")


def sample_panel(question: Any, verdict: Any) -> Any:
    return format_html('<section id="sample">{}</section>', question.cell.framework)


def test_an_empty_installation_shows_its_empty_states(db: None, client: Client) -> None:
    forget_knowledge()
    for address in ("/", "/frameworks/", "/changes/", "/about/"):
        soup = soup_of(client, address)
        assert soup.h1
    assert soup_of(client, "/").find(class_="empty")
    forget_knowledge()


def test_suggestions_name_what_claims_name_first(world: None, client: Client) -> None:
    soup = soup_of(client, "/suggestions/?axis=quantization&framework=vllm")
    names = [option["value"] for option in soup.find_all("option")]
    assert names[:3] == ["awq", "fp8", "gguf"]
    assert len(names) == 13
    assert soup_of(client, "/suggestions/?axis=colour").find("option") is None
    versions = soup_of(client, "/suggestions/?axis=version&framework=vllm").find_all("option")
    assert versions[0]["value"] == "0.12.0"


def test_differences_between_releases_are_grouped_by_what_turned(
    world: None, client: Client
) -> None:
    soup = soup_of(client, "/frameworks/vllm/?before=0.6.0&after=0.8.0")
    table = soup.find(attrs={"aria-label": "Differences"})
    rows = [[cell.text.strip() for cell in row.find_all(["th", "td"])] for row in table("tr")]
    assert ["fp8", "✕ unsupported", "? unknown", "nvidia-volta"] in rows


def test_changes_can_be_filtered_by_kind(world: None, client: Client) -> None:
    address = "/changes/?from=2025-01-01&to=2026-01-10"
    every = soup_of(client, address).select("tbody tr")
    flipped = soup_of(client, address + "&kind=changed").select("tbody tr")
    assert len(flipped) == 1
    assert len(every) > len(flipped)
    assert "unsupported" in flipped[0].text


@pytest.mark.parametrize(
    ("level", "shown"), [("supported", "lets pass"), ("unsupported", "unsupp")]
)
def test_a_gate_that_lets_pass_is_never_shown_as_supported(level: str, shown: str) -> None:
    badge = claim_badge(level, "capability-gate")
    assert shown in badge
    assert "level-supported" not in badge
    assert "level-supported" in claim_badge("supported", "documentation")
