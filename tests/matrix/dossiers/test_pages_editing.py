"""Writing dossiers on pages: steps, problems at their fields, lost races, rights."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from matrix.dossiers.parts import MOST_CANDIDATES, MOST_CRITERIA
from matrix.models import AuditEntry, Dossier
from matrix.pages.dossiers.need_form import NeedForm, need_initial
from tests.matrix.api.rows import make_user
from tests.matrix.dossiers.conftest import change

STEPS = ("need", "candidates", "criteria", "judgments", "review")
NEED = {
    "title": "An engine for chats",
    "purpose": "Answer customers.",
    "input_tokens_p50": "900",
    "concurrency": "16",
    "ttft_ms": "800",
    "share_percent": "99.9",
    "models": "meta/Llama-3-8B",
    "hardware": "2 × nvidia-t4\nnvidia-v100",
    "required_features": "lora",
    "currency": "eur",
    "team": "four people",
}


@pytest.fixture
def writer(world: None, client: Client) -> Client:
    """A contributor's client."""
    client.force_login(make_user("con", "contributor"))
    return client


@pytest.fixture
def curator(world: None) -> Client:
    """A curator's client."""
    client = Client()
    client.force_login(make_user("cur", "curator"))
    return client


def step(dossier: Dossier, name: str) -> str:
    return reverse(f"dossier-{name}", args=[dossier.uid])


def problem_at(content: bytes, field: str) -> str:
    """What the page says beside a field."""
    found = BeautifulSoup(content, "html.parser").select_one(f"#id_{field}_error")
    return found.get_text() if found else ""


def now_of(dossier: Dossier) -> Dossier:
    return Dossier.objects.get(pk=dossier.pk)


def shown_values(client: Client, address: str, form: int = -1) -> dict[str, Any]:
    """What a browser would send of the main form of a page, untouched."""
    soup = BeautifulSoup(client.get(address).content, "html.parser")
    forms = [f for f in soup.select("main form") if f.select_one("[name=edition]")]
    values: dict[str, Any] = {}
    for field in forms[form].select("input[name], textarea[name]"):
        kind = field.get("type")
        if kind not in ("checkbox", "submit") or field.has_attr("checked"):
            values.setdefault(str(field["name"]), []).append(
                field.get_text().removeprefix("\n") if field.name == "textarea"
                else str(field.get("value", ""))
            )  # fmt: skip
    for field in forms[form].select("select[name]"):
        chosen = field.select_one("option[selected]") or field.select_one("option")
        values[str(field["name"])] = [str(chosen["value"]) if chosen else ""]
    return values


def test_who_may_not_write_is_led_to_sign_in_or_refused(draft: Dossier, client: Client) -> None:
    addresses = [reverse("dossier-new"), *(step(draft, name) for name in STEPS)]
    for address in addresses:
        assert client.get(address).status_code == 302
        assert "login" in client.post(address, {})["Location"]
    client.force_login(make_user("reader", "reader"))
    for address in addresses:
        assert client.get(address).status_code == 403
        assert client.post(address, {}).status_code == 403


def test_a_contributor_writes_and_a_curator_freezes(
    draft: Dossier, writer: Client, curator: Client
) -> None:
    change(draft, "change_dossier", decision="decided")
    sent = {"edition": now_of(draft).edition, "confirmed": "on"}
    assert writer.post(step(draft, "freeze"), sent).status_code == 403
    assert writer.post(step(draft, "recheck"), {}).status_code == 403
    assert curator.post(step(draft, "freeze"), {**sent, "confirmed": ""}).status_code == 422
    assert now_of(draft).state == "draft"
    assert curator.post(step(draft, "freeze"), sent).status_code == 302
    assert now_of(draft).state == "frozen"
    assert AuditEntry.objects.filter(action="freeze-dossier", actor="cur").count() == 1


def test_a_need_is_opened_and_shown_again_as_it_was_typed(writer: Client) -> None:
    answer = writer.post(reverse("dossier-new"), NEED)
    assert answer.status_code == 302
    made = Dossier.objects.get(title="An engine for chats")
    assert made.need["objectives"]["share"] == pytest.approx(0.999)
    assert made.need["hardware"][0] == {"hardware": "nvidia-t4", "count": 2}
    assert made.need["currency"] == "EUR"
    shown = {key: "" if v is None else v for key, v in need_initial(made).items()}
    again = NeedForm({**shown, "edition": made.edition})
    assert again.is_valid(), again.errors
    assert again.need_plain() == {
        **made.need,
        "objectives": {"ttft_ms": 800.0, "share": pytest.approx(0.999)},
    }


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("input_tokens_p95", "100", "at least"),
        ("concurrency", "-4", ""),
        ("concurrency", "many", ""),
        ("peak_factor", "0.2", "from 1"),
        ("share_percent", "120", "1"),
        ("ttft_ms", "inf", ""),
        ("models", "meta/Llama-3-8C", "Llama-3-8B"),
        ("hardware", "2 × nothing-like-it", ""),
        ("required_features", "lorra", "lora"),
        ("currency", "euros", "three letters"),
        ("as_of", "2999-01-01", "a day from"),
        ("title", "", ""),
    ],
)
def test_a_wrong_value_of_the_need_is_told_at_its_field(
    writer: Client, field: str, value: str, said: str
) -> None:
    answer = writer.post(reverse("dossier-new"), {**NEED, field: value})
    assert answer.status_code == 422
    assert problem_at(answer.content, field)
    assert said.lower() in problem_at(answer.content, field).lower()
    assert not Dossier.objects.filter(title=NEED["title"]).exists()


def test_a_candidate_is_added_and_a_wrong_word_told_at_its_field(
    draft: Dossier, writer: Client
) -> None:
    address = step(draft, "candidates")
    sent: Mapping[str, Any] = {
        "edition": now_of(draft).edition, "name": "On T4", "framework": "vllm",
        "version": "0.6.0", "hardware": "nvidia-t5", "quantization": "awq", "count": "2",
    }  # fmt: skip
    answer = writer.post(address, sent)
    assert answer.status_code == 422
    assert "nvidia-t5" in problem_at(answer.content, "hardware")
    assert writer.post(address, {**sent, "hardware": "nvidia-t4"}).status_code == 302
    row = now_of(draft).candidates.get(name="On T4")
    assert ["hardware", "nvidia-t4"] in row.words
    assert ["count", "2"] in row.words


def test_an_untouched_candidate_form_changes_nothing(draft: Dossier, writer: Client) -> None:
    before = now_of(draft).candidates.get(position=1)
    values = shown_values(writer, f"{step(draft, 'candidates')}?key=1")
    assert writer.post(step(draft, "candidates"), values).status_code == 302
    after = now_of(draft).candidates.get(position=1)
    kept = ("name", "words", "layout", "effort", "note", "is_chosen")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]


def test_a_candidate_is_taken_along_from_a_question(draft: Dossier, writer: Client) -> None:
    address = f"{reverse('dossier-take')}?framework=vllm&version=0.7.0&hardware=nvidia-t4"
    assert "An engine" in writer.get(address).content.decode()
    sent = {"dossier": draft.uid, "name": "vLLM 0.7.0"}
    assert writer.post(address, sent).status_code == 302
    assert now_of(draft).candidates.filter(name="vLLM 0.7.0").exists()
    answer = writer.post(address, {"dossier": "", "name": "vLLM", "title": ""})
    assert answer.status_code == 422
    assert problem_at(answer.content, "title")
    assert writer.post(address, {"name": "vLLM", "title": "A new one"}).status_code == 302
    assert Dossier.objects.get(title="A new one").candidates.count() == 1


def test_weights_that_do_not_add_up_are_said_and_block_the_freezing(
    draft: Dossier, writer: Client, curator: Client
) -> None:
    change(draft, "put_criterion", name="more", kind="weighted", weight_percent=30)
    change(draft, "change_dossier", decision="decided")
    assert "has to be 100" in writer.get(step(draft, "criteria")).content.decode()
    sent = {"edition": now_of(draft).edition, "confirmed": "on"}
    answer = curator.post(step(draft, "freeze"), sent)
    assert answer.status_code == 422
    assert "weights that sum to 100" in answer.content.decode()
    assert now_of(draft).state == "draft"


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"kind": "weighted", "weight_percent": "120"}, "weight_percent"),
        ({"kind": "weighted", "weight_percent": "-1"}, "weight_percent"),
        ({"kind": "knock-out", "check_code": "metric"}, "metric"),
        ({"kind": "knock-out", "check_code": "release-age", "at_most_days": ""}, "at_most_days"),
        ({"kind": "knock-out", "check_code": "feature", "feature": "nobody"}, "feature"),
        ({"kind": "knock-out", "check_code": "magic"}, "check_code"),
    ],
)
def test_a_wrong_criterion_is_told_at_its_field(
    draft: Dossier, writer: Client, sent: Mapping[str, str], field: str
) -> None:
    values = {"edition": now_of(draft).edition, "name": "wrong", **sent}
    answer = writer.post(step(draft, "criteria"), values)
    assert answer.status_code == 422
    assert problem_at(answer.content, field)
    assert not now_of(draft).criteria.filter(name="wrong").exists()


def test_a_knock_out_forgets_a_weight_that_was_typed(draft: Dossier, writer: Client) -> None:
    sent = {"edition": now_of(draft).edition, "name": "out", "kind": "knock-out",
            "weight_percent": "20"}  # fmt: skip
    assert writer.post(step(draft, "criteria"), sent).status_code == 302
    assert now_of(draft).criteria.get(name="out").weight_percent == 0


def test_judgements_are_written_all_or_none(draft: Dossier, writer: Client) -> None:
    sent = {
        "edition": now_of(draft).edition, "score-1-1-said": "yes", "score-1-1-note": "seen",
        "score-1-2-said": "4", "score-1-2-note": "",
    }  # fmt: skip
    answer = writer.post(step(draft, "judgments"), sent)
    assert answer.status_code == 422
    assert problem_at(answer.content, "score-1-2-note")
    assert not now_of(draft).scores.exists()
    answer = writer.post(step(draft, "judgments"), {**sent, "score-1-2-note": "good"})
    assert answer.status_code == 302
    assert now_of(draft).scores.count() == 2


def test_a_waiver_needs_a_plan_and_a_day_ahead(draft: Dossier, writer: Client) -> None:
    ahead = timezone.now().date() + timedelta(days=10)
    sent = {
        "action": "waive", "waiver-edition": now_of(draft).edition, "waiver-candidate": "1",
        "waiver-criterion": "1", "waiver-reason": "no time", "waiver-removal_plan": "",
        "waiver-remove_by": ahead.isoformat(),
    }  # fmt: skip
    answer = writer.post(step(draft, "judgments"), sent)
    assert problem_at(answer.content, "waiver-removal_plan")
    sent["waiver-removal_plan"] = "measure"
    answer = writer.post(step(draft, "judgments"), {**sent, "waiver-remove_by": "2020-01-01"})
    assert problem_at(answer.content, "waiver-remove_by")
    assert writer.post(step(draft, "judgments"), sent).status_code == 302
    assert now_of(draft).waivers.count() == 1
    back = {"action": "unwaive", "edition": now_of(draft).edition, "candidate": "1",
            "criterion": "1"}  # fmt: skip
    assert writer.post(step(draft, "judgments"), back).status_code == 302
    assert now_of(draft).waivers.count() == 0


def test_two_people_cannot_overwrite_each_other_unseen(draft: Dossier, writer: Client) -> None:
    mine = shown_values(writer, step(draft, "need"))
    change(draft, "change_dossier", title="Theirs", actor="bob")
    mine["title"] = ["Mine <b>"]
    answer = writer.post(step(draft, "need"), mine)
    assert answer.status_code == 409
    assert now_of(draft).title == "Theirs"
    soup = BeautifulSoup(answer.content, "html.parser")
    rows = [[c.get_text() for c in r.select("th, td")] for r in soup.select("tbody tr")]
    assert rows == [["Title", "Mine <b>", "Theirs"]]
    again = {str(i["name"]): i.get("value", "") for i in soup.select("main form input[name]")}
    again |= {str(t["name"]): t.get_text() for t in soup.select("main form textarea[name]")}
    assert writer.post(step(draft, "need"), again).status_code == 302
    assert now_of(draft).title == "Mine <b>"


@pytest.mark.parametrize("name", ["candidates", "criteria", "judgments", "review"])
def test_every_step_refuses_a_change_from_an_old_edition(
    draft: Dossier, writer: Client, name: str
) -> None:
    form = {"judgments": 0, "review": 0}.get(name, -1)
    sent = shown_values(writer, step(draft, name), form)
    sent |= {"name": ["Another"], "framework": ["vllm"], "decision": ["mine"],
             "score-1-2-said": ["1"], "score-1-2-note": ["x"]}  # fmt: skip
    change(draft, "change_dossier", title="Theirs", actor="bob")
    before = now_of(draft)
    assert writer.post(step(draft, name), sent).status_code == 409
    after = now_of(draft)
    assert after.edition == before.edition
    assert not after.scores.exists()
    assert after.candidates.count() == before.candidates.count()


def test_a_frozen_dossier_refuses_every_step_and_stays_as_it_is(
    frozen: Dossier, writer: Client
) -> None:
    before = now_of(frozen)
    for name in (*STEPS, "discard"):
        answer = writer.post(step(frozen, name), {"edition": before.edition, "title": "x"})
        assert answer.status_code == 409
        assert "frozen" in answer.content.decode()
    after = now_of(frozen)
    assert (after.title, after.content, after.edition) == (
        before.title, before.content, before.edition,
    )  # fmt: skip


def test_a_dissent_without_a_reason_is_told_at_its_field(frozen: Dossier, writer: Client) -> None:
    sent = {
        "sign-content_sha256": frozen.content_sha256, "sign-person": "Ada",
        "sign-stance": "dissent", "sign-statement": "",
    }  # fmt: skip
    answer = writer.post(step(frozen, "sign-off"), sent)
    assert answer.status_code == 422
    assert problem_at(answer.content, "sign-statement")
    sent["sign-statement"] = "Not measured."
    assert writer.post(step(frozen, "sign-off"), sent).status_code == 302
    assert frozen.sign_offs.get().stance == "dissent"
    other = {**sent, "sign-content_sha256": "0" * 64}
    assert writer.post(step(frozen, "sign-off"), other).status_code == 422


def test_a_dossier_is_discussed_checked_again_and_renewed(
    frozen: Dossier, writer: Client, curator: Client
) -> None:
    assert writer.post(step(frozen, "comment"), {"comment-text": " "}).status_code == 422
    assert writer.post(step(frozen, "comment"), {"comment-text": "Why?"}).status_code == 302
    answer = curator.post(step(frozen, "recheck"), {"recheck-next_on": "2020-01-01"})
    assert answer.status_code == 422
    assert problem_at(answer.content, "recheck-next_on")
    assert curator.post(step(frozen, "recheck"), {"recheck-note": "as planned"}).status_code == 302
    text = writer.get(reverse("dossier", args=[frozen.uid])).content.decode()
    assert "Why?" in text
    assert "as planned" in text
    assert writer.post(step(frozen, "renew")).status_code == 403
    assert curator.post(step(frozen, "renew")).status_code == 302
    assert Dossier.objects.get(replaces=frozen).version == 2


def test_the_judgements_of_the_largest_dossier_can_be_sent(draft: Dossier, writer: Client) -> None:
    others = 2 * MOST_CANDIDATES * MOST_CRITERIA
    fields = {f"unused-{number}": "" for number in range(others)}
    answer = writer.post(step(draft, "judgments"), {"edition": now_of(draft).edition, **fields})
    assert answer.status_code in (302, 422)


def test_a_draft_is_discarded_from_its_newest_edition_only(draft: Dossier, writer: Client) -> None:
    writer.post(step(draft, "discard"), {"edition": "0"})
    assert Dossier.objects.filter(pk=draft.pk).exists()
    writer.post(step(draft, "discard"), {"edition": now_of(draft).edition})
    assert not Dossier.objects.filter(pk=draft.pk).exists()
