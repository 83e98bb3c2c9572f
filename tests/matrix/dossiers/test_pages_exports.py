"""Exports of dossiers: one file that needs nothing, Markdown, CSV, and verifiable JSON."""

import csv
import io
import json

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from matrix.dossiers import verify_export
from matrix.models import Dossier
from matrix.pages.dossiers.markdown import escaped, link_to
from matrix.pages.dossiers.score_csv import safe_cell
from tests.matrix.dossiers.conftest import change
from tests.matrix.dossiers.hostile import FORMULA, SCRIPT, make_hostile_dossier


def exported(client: Client, dossier: Dossier, kind: str) -> str:
    """The text of an export."""
    answer = client.get(reverse("dossier-export", args=[dossier.uid, kind]))
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    assert answer["X-Content-Type-Options"] == "nosniff"
    return answer.content.decode()


def test_the_html_file_holds_all_it_needs_and_reaches_nothing(world: None, client: Client) -> None:
    soup = BeautifulSoup(exported(client, make_hostile_dossier(), "html"), "html.parser")
    assert not soup.select("script, link, img, iframe, form, object")
    policy = soup.select_one("meta[http-equiv='Content-Security-Policy']")
    assert policy is not None
    assert str(policy["content"]).startswith("default-src 'none'")
    style = soup.select_one("style")
    assert style is not None
    assert "@import" not in style.get_text()
    assert "url(" not in style.get_text()
    assert ".side-by-side" in style.get_text()
    assert SCRIPT in soup.get_text()
    for link in soup.select("a[href]"):
        assert str(link["href"]).startswith(("http://", "https://", "#"))


def test_links_inside_the_html_file_lead_somewhere(frozen: Dossier, client: Client) -> None:
    soup = BeautifulSoup(exported(client, frozen, "html"), "html.parser")
    inner = {str(a["href"]) for a in soup.select("a[href^='#']")}
    assert inner
    for target in inner:
        assert soup.find(id=target[1:]) is not None, target


def test_markdown_says_the_same_and_runs_nothing(world: None, client: Client) -> None:
    text = exported(client, make_hostile_dossier(), "markdown")
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    soup = BeautifulSoup(html, "html.parser")
    assert not soup.select("script, img, [onerror], a[href^='javascript']")
    assert SCRIPT in soup.get_text()
    assert "Scorecard" in soup.get_text()


@given(st.text(max_size=60))
def test_escaped_text_is_shown_as_it_is_written(text: str) -> None:
    rendered = MarkdownIt("commonmark").enable("table").render(f"x {escaped(text)}")
    shown = BeautifulSoup(rendered, "html.parser").get_text().strip("\n")
    printable = "".join(c for c in text if c.isprintable() or c.isspace())
    if printable == text and "\0" not in text:
        assert shown == f"x {' '.join(text.split())}".strip()


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "https://a/ b", "https://a/<b>"]
)
def test_only_plain_web_addresses_become_links(url: str) -> None:
    assert not link_to(url).startswith("<")


def test_no_cell_of_the_csv_is_a_formula(world: None, client: Client) -> None:
    text = exported(client, make_hostile_dossier(), "csv").removeprefix("\ufeff")
    rows = list(csv.reader(io.StringIO(text)))
    assert len({len(row) for row in rows}) == 1
    cells = [cell for row in rows for cell in row if cell]
    assert any(FORMULA in cell for cell in cells)
    assert not [cell for cell in cells if cell.lstrip()[:1] in "=+-@\t"]


@pytest.mark.parametrize("value", ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "\u00a0=1", "＝1"])
def test_a_text_that_could_be_a_formula_is_put_behind_an_apostrophe(value: str) -> None:
    assert safe_cell(value) == f"'{value}"


def test_numbers_stay_numbers() -> None:
    assert safe_cell(-1.5) == -1.5


def test_the_json_export_verifies_and_a_changed_one_does_not(
    frozen: Dossier, client: Client
) -> None:
    plain = json.loads(exported(client, frozen, "json"))
    assert verify_export(plain).problems == ()
    plain["content"]["decision"] = "another"
    assert verify_export(plain).problems


def test_a_draft_has_no_json_to_verify(draft: Dossier, client: Client) -> None:
    assert client.get(reverse("dossier-export", args=[draft.uid, "json"])).status_code == 404
    assert client.get(reverse("dossier-export", args=[draft.uid, "pdf"])).status_code == 404
    assert exported(client, draft, "markdown").startswith("# An engine")


def test_without_weights_no_candidate_has_a_score(draft: Dossier, client: Client) -> None:
    change(draft, "remove_criterion", key="2")
    assert " 0 %" not in exported(client, draft, "markdown")
    rows = list(csv.reader(io.StringIO(exported(client, draft, "csv"))))
    assert next(row for row in rows if row[1] == "percent")[5] == ""
