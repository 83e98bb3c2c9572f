"""Unknown words: grouped, mapped in two clicks with their effect shown first, or set aside."""

from typing import Any

import pytest
from django.test import Client

from ingest.domain.review import ItemKind, ItemState
from ingest.models import ReviewItem
from ingest.pages.word_effect import find_effect
from ingest.services.items import Draft, Place, identity_of, open_items
from matrix.convert import load_catalogue
from matrix.models import AuditEntry, Claim, CuratedAlias
from tests.ingest.pages.review_world import HOSTILE, NOW, Fill, open_pks, page, soup_of
from tests.ingest.pipeline.test_poll_tags import standing

pytestmark = pytest.mark.django_db


@pytest.fixture
def word(fill: Fill) -> int:
    """A quantization that nothing maps, on the pages of two releases."""
    fill(r11=page(FP8X="yes yes yes"), r12=page(FP8X="yes yes no"))
    return open_pks(kind="unknown-word")["FP8X"]


def add_word(name: str, axis: str, *sources: str, places: int = 1) -> None:
    spots = [{"version": "0.12.0", "path": "docs/a.md", "locator": {"line": n + 1}}
             for n in range(places)]  # fmt: skip
    open_items(
        [
            Draft(
                identity=identity_of("word", source, axis, name),
                kind=ItemKind.UNKNOWN_WORD,
                place=Place(framework="vllm", version="0.12.0", path="docs/a.md"),
                source=source,
                statement=name,
                code=axis,
                new={"axis": axis, "word": name, "places": spots},
            )
            for source in sources
        ],
        now=NOW,
    )


def rows_of(soup: Any) -> list[str]:
    return [" ".join(row.get_text(" ").split()) for row in soup.select("tbody tr")]


def answer(client: Client, pk: int, action: str, **words: Any) -> Any:
    return client.post(f"/review/words/{pk}/decide/", {"action": action, **words})


def test_words_are_grouped_with_their_places_most_first(curator: Client) -> None:
    add_word("Rare", "hardware", "tgi-docs")
    add_word("Tesla T40", "hardware", "vllm-docs", "sglang-docs", places=3)
    add_word("🟣", "status", "vllm-docs", places=2)
    soup = soup_of(curator.get("/review/words/"))
    rows = rows_of(soup)
    assert [row.split(" ")[0] for row in rows] == ["Tesla", "🟣", "Rare"]
    assert "hardware 6 sglang-docs, vllm-docs T4" in rows[0]
    assert "its rule must learn it" in rows[1]
    narrowed = rows_of(soup_of(curator.get("/review/words/?axis=status")))
    assert len(narrowed) == 1


def test_a_word_gets_its_meaning_in_two_clicks(word: int, curator: Client) -> None:
    first = soup_of(curator.get("/review/words/"))
    click = first.find("a", class_="chip", string="FP8")
    second = soup_of(curator.get(click["href"]))
    shown = rows_of(second)
    assert "these 6 findings will be read" in second.find(id="effect").text
    assert "supported quantization: FP8 · hardware: Turing 0.12.0 ✅" in " ".join(shown)
    assert not Claim.objects.filter(statement__contains="fp8").exists()
    form = second.find(id="effect").form
    fields = {f["name"]: f.get("value", "") for f in form.select("input")}
    button = form.find("button")
    done = curator.post(form["action"], {**fields, button["name"]: button["value"]})
    assert done["Location"] == "/review/words/"
    assert CuratedAlias.objects.get().word == "FP8X"
    assert "quantization-hardware/fp8/nvidia-turing supported 0.11.0..0.12.0" in standing()
    told = soup_of(curator.get("/review/words/")).find(class_="message").text
    assert "FP8X" in told and "new" in told
    assert AuditEntry.objects.get(action="map-word").actor == "carla"


def test_the_effect_that_is_shown_is_the_effect_that_it_has(word: int, curator: Client) -> None:
    effect = find_effect("quantization", "FP8X", "fp8", catalogue=load_catalogue())
    assert (effect.found, effect.pages, effect.looked_at) == (6, 2, 2)
    before = set(standing())
    answer(curator, word, "map", to="fp8")
    waiting = ReviewItem.objects.filter(state=ItemState.OPEN).values_list("statement", flat=True)
    written = {line.split()[0] for line in set(standing()) - before} | set(waiting)
    assert {read.statement for read in effect.findings} == written


def test_another_name_may_be_typed_and_is_checked(word: int, curator: Client) -> None:
    soup = soup_of(curator.get(f"/review/words/{word}/?to=AWQ"))
    assert "name of AWQ" in soup.find(id="effect").text
    wrong = soup_of(curator.get(f"/review/words/{word}/?to=awqq"), 400)
    assert "Nearest known: AWQ" in wrong.find(role="alert").text
    refused = answer(curator, word, "map", to="awqq")
    assert refused.status_code in (400, 422)
    assert ReviewItem.objects.get(pk=word).state == ItemState.OPEN


def test_a_word_that_needs_a_node_is_listed_until_the_catalogue_has_it(
    word: int, curator: Client
) -> None:
    assert answer(curator, word, "node-needed", source="vllm-docs").status_code == 422
    answer(curator, word, "node-needed", source="vllm-docs", reason="a scheme of its own")
    item = ReviewItem.objects.get(pk=word)
    assert (item.state, item.new["set_aside"]) == ("rejected", "node-needed")
    soup = soup_of(curator.get("/review/words/"))
    assert "a scheme of its own" in soup.text and soup.find("samp", string="FP8X")


def test_a_word_is_ignored_for_the_ticked_sources_only(curator: Client) -> None:
    add_word("Beta", "hardware", "vllm-docs", "sglang-docs")
    pk = ReviewItem.objects.get(source="sglang-docs").pk
    answer(curator, pk, "ignored", source="sglang-docs", reason="a heading, no device")
    states = dict(ReviewItem.objects.values_list("source", "state"))
    assert states == {"vllm-docs": "open", "sglang-docs": "rejected"}
    assert answer(curator, pk, "ignored", reason="x").status_code == 302


def test_an_ignored_word_can_be_asked_about_again(word: int, curator: Client) -> None:
    answer(curator, word, "ignored", source="vllm-docs", reason="a slip")
    curator.post(f"/review/{word}/decide/", {"action": "reopen", "reason": "it is a scheme"})
    item = ReviewItem.objects.get(pk=word)
    assert item.state == ItemState.OPEN and "set_aside" not in item.new
    answer(curator, word, "map", to="fp8")
    assert CuratedAlias.objects.exists()
    again = curator.post(f"/review/{word}/decide/", {"action": "reopen", "reason": "no"})
    assert again.status_code == 409


def test_a_word_that_was_answered_meanwhile_leads_to_its_answer(word: int, curator: Client) -> None:
    answer(curator, word, "map", to="fp8")
    late = answer(curator, word, "map", to="awq")
    assert late["Location"] == f"/review/{word}/"
    assert "Decided meanwhile" in soup_of(curator.get(late["Location"])).text
    assert curator.get(f"/review/words/{word}/")["Location"] == f"/review/{word}/"
    assert CuratedAlias.objects.get().slug == "fp8"


def test_a_sign_is_no_name(curator: Client) -> None:
    add_word("🟣", "status", "vllm-docs")
    (pk,) = open_pks().values()
    soup = soup_of(curator.get(f"/review/words/{pk}/?to=awq"))
    assert not soup.find(id="effect") and not soup.find(id="id_to")
    assert answer(curator, pk, "map", to="awq").status_code == 422


def test_words_of_a_page_are_never_markup(curator: Client) -> None:
    add_word(HOSTILE, "hardware", "vllm-docs")
    (pk,) = open_pks().values()
    for address in ("/review/words/", f"/review/words/{pk}/"):
        assert HOSTILE.encode() not in curator.get(address).content


def test_the_place_of_a_word_is_shown_in_its_page(word: int, curator: Client) -> None:
    soup = soup_of(curator.get(f"/review/words/{word}/"))
    assert soup.select("li.cited mark")[0].text.startswith("| FP8X |")
