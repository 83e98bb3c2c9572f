"""The claim form, pages of tests and reports of problems, as people use them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.core.cache import cache
from django.db import DatabaseError, transaction
from django.test import Client

from ingest.models import ReviewItem
from matrix.index import current_revision, forget_knowledge
from matrix.models import AuditEntry, Claim, ManualTest
from matrix.views.problems import MOST_AN_HOUR
from tests.architecture import find_inline_code
from tests.matrix.api.rows import make_user
from tests.matrix.pages_world import HOSTILE, fill_pages_world

pytestmark = pytest.mark.django_db
FORM = "/claims/new/"
CELL = "/cells/?framework=vllm&version=0.7.0&quantization=awq&hardware=turing"
PROBLEM = CELL.replace("/cells/", "/problems/new/")


@pytest.fixture(autouse=True)
def _world(db: None) -> Iterator[None]:
    cache.clear()
    fill_pages_world()
    yield
    forget_knowledge()
    cache.clear()


@pytest.fixture
def curator(client: Client) -> Client:
    """A browser in which a curator is signed in."""
    client.force_login(make_user("ada", "curator"))
    return client


def fields(**changes: str) -> dict[str, str]:
    """A sound form, by link."""
    plain = {
        "framework": "vllm",
        "level": "supported",
        "statement": "AWQ on an A100",
        "hardware": "nvidia-a100",
        "quantization": "awq",
        "execution": "unstated",
        "tier": "official",
        "outcome": "unstated",
        "evidence": "link",
        "kind": "documentation",
        "release": "0.7.0",
        "stated_on": "2025-07-20",
        "url": "https://example.org/page",
        "row": "AWQ",
        "action": "preview",
    }
    return plain | changes


TESTED = fields(
    evidence="test",
    url="",
    stated_on="",
    ran_on="2025-07-21",
    command="HF_TOKEN=hf_aaaaaaaaaaaaaaaaaaaaaaaa vllm serve /home/ada/awq",
    observed=f"answers {HOSTILE}",
    pasted="ada@node-3:~$ nvidia-smi\nDriver Version: 550.54.15   CUDA Version: 12.4",
    env_gpu="NVIDIA A100 80GB",
    env_driver="535.1",
)


def soup_of(answer: Any, status: int = 200) -> BeautifulSoup:
    """The page of an answer, which has nothing inline."""
    assert answer.status_code == status, answer.content[:400]
    text = answer.content.decode()
    assert find_inline_code("page", text) == []
    return BeautifulSoup(text, "html.parser")


class TestForm:
    def test_a_stranger_signs_in_first_and_a_reader_may_not(self, client: Client) -> None:
        answer = client.get(FORM)
        assert (answer.status_code, answer["Location"]) == (
            302, "/accounts/login/?next=/claims/new/",
        )  # fmt: skip
        client.force_login(make_user("bob", "reader"))
        assert client.get(FORM).status_code == 403
        assert client.post(FORM, fields()).status_code == 403

    def test_every_field_has_a_label(self, curator: Client) -> None:
        soup = soup_of(curator.get(FORM))
        form = soup.find("form", action=FORM)
        assert form is not None
        labels = {label.get("for") for label in form.find_all("label")}
        shown = [
            field
            for field in form.find_all(["input", "select", "textarea"])
            if field.get("type") not in ("hidden", "radio")
        ]
        assert len(shown) > 40
        assert [f.get("name") for f in shown if f.get("id") not in labels] == []

    def test_a_cell_fills_in_what_it_names(self, curator: Client) -> None:
        link = soup_of(curator.get(CELL)).find("a", href=lambda h: h and h.startswith(FORM))
        assert link is not None
        soup = soup_of(curator.get(str(link["href"])))
        values = {i["name"]: i.get("value", "") for i in soup.find_all("input") if i.get("name")}
        assert (values["release"], values["hardware"], values["quantization"]) == (
            "0.7.0", "turing", "awq",
        )  # fmt: skip

    def test_a_preview_shows_what_it_changes_and_writes_nothing(self, curator: Client) -> None:
        before = (Claim.objects.count(), current_revision())
        soup = soup_of(curator.post(FORM, fields(level="unsupported")))
        text = soup.get_text(" ", strip=True)
        assert "How it reads" in text
        badges = [b.get_text(" ", strip=True) for b in soup.select("dl.facts .badge")]
        assert len(badges) == 2
        assert "unsupported" in badges[1]
        assert badges[0] != badges[1]
        assert soup.find("button", value="save") is not None
        assert (Claim.objects.count(), current_revision()) == before

    def test_a_curator_records(self, curator: Client) -> None:
        answer = curator.post(FORM, fields(action="save", conditions="driver nvidia >= 550"))
        row = Claim.objects.get(statement="AWQ on an A100")
        assert (answer.status_code, answer["Location"]) == (302, f"/claims/{row.uid}/")
        assert row.parser == "person:ada"
        assert row.conditions == [{"kind": "driver", "name": "nvidia", "op": ">=", "value": "550"}]
        again = soup_of(
            curator.post(FORM, fields(action="save", conditions="driver nvidia >= 550")), 422
        )
        assert "not recorded already" in again.get_text(" ", strip=True)

    def test_problems_stand_beside_their_fields(self, curator: Client) -> None:
        wrong = fields(
            hardware="nvidia-a101", release="0.77.0", url="nowhere", conditions="fast please",
            level="partial", count="many", feature="lora, loora", action="save",
        )  # fmt: skip
        soup = soup_of(curator.post(FORM, wrong), 422)
        for name in ("hardware", "release", "url", "conditions", "count", "feature"):
            error = soup.find(id=f"id_{name}_error")
            assert error is not None, name
            field = soup.find(id=f"id_{name}")
            assert field is not None
            assert f"id_{name}_error" in str(field.get("aria-describedby", "")), name
        assert "nvidia-a100" in soup.find(id="id_hardware_error").get_text()  # type: ignore[union-attr]
        assert Claim.objects.filter(statement="AWQ on an A100").count() == 0

    @pytest.mark.parametrize("field", ["framework", "level", "statement", "kind", "evidence"])
    def test_a_form_without_what_it_needs_is_shown_again(self, curator: Client, field: str) -> None:
        answer = curator.post(FORM, fields(**{field: "", "action": "save"}))
        assert soup_of(answer, 422).find(id=f"id_{field}_error") is not None

    def test_a_contributor_proposes_and_nothing_is_recorded(self, client: Client) -> None:
        client.force_login(make_user("eve", "contributor"))
        before = Claim.objects.count()
        answer = client.post(FORM, fields(action="save"))
        assert (answer.status_code, answer["Location"]) == (302, FORM)
        assert Claim.objects.count() == before
        item = ReviewItem.objects.get()
        assert (item.kind, item.code, item.new["reported_by"]) == (
            "problem-report", "proposed-claim", "eve",
        )  # fmt: skip
        assert item.new["proposed"]["scope"]["hardware"] == ["nvidia-a100"]
        assert AuditEntry.objects.filter(action="propose-claim", actor="eve").exists()

    def test_a_post_without_its_token_is_refused(self) -> None:
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(make_user("ada", "curator"))
        assert strict.post(FORM, fields(action="save")).status_code == 403


class TestManualTests:
    def record(self, curator: Client, **changes: str) -> ManualTest:
        """A recorded test with its claim."""
        answer = curator.post(FORM, TESTED | {"action": "save"} | changes)
        assert answer.status_code == 302, BeautifulSoup(answer.content, "html.parser").find(
            class_="message-error"
        )
        return ManualTest.objects.get()

    def test_a_test_is_evidence_of_its_own(self, curator: Client) -> None:
        row = self.record(curator, level="unsupported", limit="framework")
        claim = Claim.objects.get(statement="AWQ on an A100")
        assert claim.kind == "manual-test"
        seen = claim.observations.get()
        assert seen.document.url == f"/reports/{row.uid}/"
        soup = soup_of(curator.get(f"/claims/{claim.uid}/"))
        assert soup.find("a", href=f"/reports/{row.uid}/") is not None
        page = soup_of(curator.get(f"/reports/{row.uid}/"))
        assert page.find("a", href=f"/claims/{claim.uid}/") is not None

    def test_secrets_and_people_are_masked_before_anything_is_stored(self, curator: Client) -> None:
        row = self.record(curator)
        stored = " ".join([row.command, row.observed, row.pasted])
        for secret in ("hf_aaaa", "/home/ada", "ada@", "node-3"):
            assert secret not in stored
        assert row.command == "HF_TOKEN=‹secret› vllm serve /home/‹user›/awq"

    def test_what_was_typed_and_what_a_tool_said_stand_side_by_side(self, curator: Client) -> None:
        row = self.record(curator)
        known = [(i["name"], i["value"], i["how"]) for i in row.environment]
        assert ("gpu", "NVIDIA A100 80GB", "declared") in known
        assert ("driver", "535.1", "declared") in known
        assert ("driver", "550.54.15", "observed") in known
        assert ("runtime", "CUDA 12.4", "observed") in known
        assert ("image_digest", "", "not-captured") in known

    def test_the_page_is_inert(self, curator: Client) -> None:
        row = self.record(curator)
        soup = soup_of(curator.get(f"/reports/{row.uid}/"))
        main = soup.find("main")
        assert main is not None
        assert main.find(["script", "img"]) is None
        assert HOSTILE in main.get_text()

    def test_a_page_masks_again_what_was_stored(self, curator: Client) -> None:
        ManualTest.objects.create(
            uid="abcd1234", framework="vllm", version="0.7.0", title="old", ran_on="2025-07-21",
            command="password=hunter2", observed="10.1.2.3", author="ada",
            recorded_at=datetime(2025, 7, 22, tzinfo=UTC),
        )  # fmt: skip
        text = soup_of(curator.get("/reports/abcd1234/")).get_text()
        assert "hunter2" not in text
        assert "10.1.2.3" not in text

    def test_a_test_is_stored_once_and_never_edited(self, curator: Client) -> None:
        row = self.record(curator)
        curator.post(FORM, TESTED | {"action": "save"})
        assert ManualTest.objects.count() == 1
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            ManualTest.objects.filter(pk=row.pk).update(observed="better")
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            row.delete()

    def test_what_a_test_needs_is_asked_for(self, curator: Client) -> None:
        answer = curator.post(FORM, TESTED | {"command": "", "ran_on": "yesterday"})
        soup = soup_of(answer, 422)
        assert soup.find(id="id_command_error") is not None
        assert soup.find(id="id_ran_on_error") is not None

    @pytest.mark.parametrize("uid", ["nothing", "x" * 90, "a%2Fb", "%00"])
    def test_an_unknown_test_is_not_found(self, client: Client, uid: str) -> None:
        assert client.get(f"/reports/{uid}/").status_code == 404


class TestProblems:
    def test_a_cell_and_a_claim_lead_to_the_form(self, client: Client) -> None:
        for address in (CELL, "/claims/hostile/"):
            soup = soup_of(client.get(address))
            link = soup.find("a", href=lambda h: h and h.startswith("/problems/new/"))
            assert link is not None
            assert (
                soup_of(client.get(str(link["href"]))).find("textarea", {"name": "text"})
                is not None
            )

    def test_a_report_of_a_cell_becomes_a_review_item(self, client: Client) -> None:
        body = {"text": HOSTILE, "link": "https://example.org/7", "contact": "eve"}
        answer = client.post(PROBLEM, body)
        assert (answer.status_code, answer["Location"]) == (302, CELL)
        item = ReviewItem.objects.get()
        assert (item.kind, item.state, item.sentence) == ("problem-report", "open", HOSTILE)
        assert (item.framework, item.version, item.path) == ("vllm", "0.7.0", CELL)
        assert item.new["cell"] == [
            ["framework", "vllm"], ["version", "0.7.0"], ["quantization", "awq"],
            ["hardware", "turing"],
        ]  # fmt: skip
        assert (item.new["link"], item.new["contact"]) == ("https://example.org/7", "eve")

    def test_a_report_of_a_claim_names_it(self, client: Client) -> None:
        answer = client.post("/problems/new/?claim=hostile", {"text": "the row was misread"})
        assert answer["Location"] == "/claims/hostile/"
        assert ReviewItem.objects.get().new["claim"] == "hostile"

    def test_the_same_report_twice_is_one_item(self, client: Client) -> None:
        for _ in range(2):
            client.post(PROBLEM, {"text": "wrong"})
        assert ReviewItem.objects.count() == 1

    @pytest.mark.parametrize(
        "body",
        [{"text": ""}, {"text": " "}, {"text": "x" * 2_001}, {"text": "x", "link": "no address"}],
    )
    def test_a_wrong_report_is_shown_again(self, client: Client, body: dict[str, str]) -> None:
        soup = soup_of(client.post(PROBLEM, body), 422)
        assert soup.select_one(".field .error") is not None
        assert ReviewItem.objects.count() == 0

    def test_a_program_that_fills_in_every_field_is_not_heard(self, client: Client) -> None:
        answer = client.post(PROBLEM, {"text": "buy", "website": "https://example.org/"})
        assert answer.status_code == 302
        assert ReviewItem.objects.count() == 0

    def test_reports_of_one_address_are_limited(self, client: Client) -> None:
        codes = [
            client.post(PROBLEM, {"text": f"wrong {n}"}).status_code
            for n in range(MOST_AN_HOUR + 1)
        ]
        assert codes == [302] * MOST_AN_HOUR + [429]
        assert ReviewItem.objects.count() == MOST_AN_HOUR

    @pytest.mark.parametrize(
        ("address", "status"),
        [
            ("/problems/new/", 400),
            ("/problems/new/?claim=nothing", 404),
            ("/problems/new/?framework=nothing", 400),
            ("/problems/new/?framework=vllm&colour=red", 400),
        ],
    )
    def test_a_report_about_nothing_known_is_refused(
        self, client: Client, address: str, status: int
    ) -> None:
        assert client.get(address).status_code == status
