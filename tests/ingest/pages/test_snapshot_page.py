"""Kept bytes are shown as inert text, the cited place marked, and saved as a file."""

import codecs
import hashlib
from typing import Any

import pytest
from django.test import Client

from ingest.models import PageRecord, Snapshot
from ingest.pages.fragment import cited_lines, show_controls, text_of
from ingest.pages.snapshot import LINES_SHOWN
from ingest.services.snapshots import Bytes, Taken, keep_snapshot
from matrix.domain.claims import Locator
from matrix.models import Claim, SourceDocument
from matrix.pages.evidence import place_query
from tests.ingest.pages.review_world import HOSTILE, NOW, Fill, page, soup_of

pytestmark = pytest.mark.django_db


def keep(body: bytes, *, path: str = "docs/page.md", charset: str = "") -> str:
    taken = Taken(url="https://example.org/page", retrieved_at=NOW, framework="vllm",
                  version="0.12.0", path=path)  # fmt: skip
    return keep_snapshot(Bytes(body=body, media_type="text/html", charset=charset), taken)


def cited(soup: Any) -> list[tuple[str, str]]:
    return [(item["value"], item.mark.text) for item in soup.select("li.cited")]


def test_active_content_is_shown_as_text(reader: Client) -> None:
    sha256 = keep(f"<h1>Title</h1>\n{HOSTILE}\n<a href='javascript:alert(3)'>x</a>\n".encode())
    soup = soup_of(reader.get(f"/snapshots/{sha256}/"))
    kept = soup.find(class_="kept-lines")
    assert kept and [item.text for item in kept.find_all("li")][1] == HOSTILE
    assert not kept.find(["script", "img", "a", "h1"])


def test_lines_that_an_address_cites_are_marked(reader: Client) -> None:
    sha256 = keep("".join(f"line {n}\n" for n in range(1, 31)).encode())
    soup = soup_of(reader.get(f"/snapshots/{sha256}/?line=12-14"))
    assert cited(soup) == [("12", "line 12"), ("13", "line 13"), ("14", "line 14")]
    anchor = soup.find(id="cited")
    assert anchor and anchor.parent["value"] == "12"


def test_row_and_column_name_the_line_of_a_cell(reader: Client) -> None:
    sha256 = keep(page().encode(), path="docs/features/quantization/README.md")
    soup = soup_of(reader.get(f"/snapshots/{sha256}/?row=gptq&column=turing"))
    ((_, line),) = cited(soup)
    assert line.startswith("| GPTQ |")


def test_a_heading_chooses_among_tables_of_the_same_rows() -> None:
    table = "| a | b |\n|---|---|\n| AWQ | yes |\n"
    sha256 = keep(f"# One\n\n{table}\n# Two\n\n{table}".encode())
    text = text_of(Snapshot.objects.get(pk=sha256))
    two = Locator(heading=("Two",), row="AWQ", column="b")
    assert cited_lines(text, two, path="page.md") == (11, 11)
    assert cited_lines(text, Locator(row="AWQ"), path="page.md") == (5, 5)
    assert cited_lines(text, Locator(row="FP8"), path="page.md") is None


def test_a_place_that_is_not_there_is_said_to_be_missing(reader: Client) -> None:
    sha256 = keep(b"one\ntwo\n")
    soup = soup_of(reader.get(f"/snapshots/{sha256}/?line=99"))
    assert "was not found" in soup.find(role="status").text
    assert cited(soup) == []
    answer = reader.get(f"/snapshots/{sha256}/?line=abc")
    assert "line is 'abc'" in soup_of(answer, 400).find(role="alert").text


def test_a_long_page_is_shown_in_parts_around_the_cited_line(reader: Client) -> None:
    sha256 = keep("".join(f"line {n}\n" for n in range(1, 2_001)).encode())
    soup = soup_of(reader.get(f"/snapshots/{sha256}/?line=1500"))
    numbers = [item["value"] for item in soup.select(".kept-lines li")]
    assert (numbers[0], len(numbers)) == ("1460", LINES_SHOWN)
    following = soup.find("a", rel="next")["href"]
    assert soup_of(reader.get(following)).select(".kept-lines li")[0]["value"] == "1860"


def test_a_line_without_end_is_cut_and_says_so(reader: Client) -> None:
    sha256 = keep(b"x" * 2_000_000)
    answer = reader.get(f"/snapshots/{sha256}/")
    assert len(answer.content) < 20_000
    assert "1996000 more characters" in soup_of(answer).text.replace(",", "")


def test_signs_that_turn_or_hide_text_are_spelt_out() -> None:
    assert show_controls("a\u202eb\x00\tc") == "a⟨U+202E⟩b⟨U+0000⟩\tc"
    assert show_controls("naïve 中文 ✅") == "naïve 中文 ✅"


@pytest.mark.parametrize(
    ("body", "charset", "first"),
    [
        (b"\xff\xfe\x00rubbish\n", "", "\ufffd"),
        (codecs.BOM_UTF8 + "é\n".encode(), "", "é"),
        ("中文\n".encode("gbk"), "gbk", "中文"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "no-such-charset", "\ufffdPNG"),
        (b"", "", ""),
    ],
)
def test_bytes_of_any_kind_have_a_page(
    reader: Client, body: bytes, charset: str, first: str
) -> None:
    soup = soup_of(reader.get(f"/snapshots/{keep(body, charset=charset)}/"))
    assert soup.select(".kept-lines li")[0].text.startswith(first)


def test_the_file_is_plain_text_that_no_browser_runs(reader: Client) -> None:
    body = f"<!doctype html>{HOSTILE}".encode()
    sha256 = keep(body)
    answer = reader.get(f"/snapshots/{sha256}/raw/")
    assert answer.content == body
    assert hashlib.sha256(answer.content).hexdigest() == sha256
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert "sandbox" in answer["Content-Security-Policy"]


def test_claims_that_rest_on_the_bytes_are_listed_with_their_place(
    fill: Fill, reader: Client
) -> None:
    fill(r12=page())
    sha256 = PageRecord.objects.get().snapshot_id
    soup = soup_of(reader.get(f"/snapshots/{sha256}/"))
    assert soup.find("h2", string=lambda s: s and "Claims" in s) or "Claims" in soup.text
    rows = soup.select("table tbody tr")
    assert len(rows) == 12
    target = rows[0].select("a")[-1]["href"]
    assert f"/snapshots/{sha256}/?line=" in target
    assert len(cited(soup_of(reader.get(target)))) == 1


@pytest.mark.parametrize("name", ["0" * 64, "abc", "A" * 64, "..%2f..%2fetc"])
def test_what_is_not_kept_is_not_found(reader: Client, name: str) -> None:
    assert reader.get(f"/snapshots/{name}/").status_code == 404
    assert reader.get(f"/snapshots/{name}/raw/").status_code == 404


def test_the_address_of_a_place_prefers_its_line() -> None:
    assert place_query(Locator(line=12, line_end=14, row="AWQ")) == "?line=12-14#cited"
    assert place_query(Locator(row="A & B", column="T4")) == "?row=A+%26+B&column=T4#cited"
    assert place_query(Locator()) == ""


def test_a_closed_installation_shows_kept_pages_to_nobody(reader: Client, settings: object) -> None:
    sha256 = keep(b"text\n")
    settings.RUNPROOF_PUBLIC = False  # type: ignore[attr-defined]
    assert reader.get(f"/snapshots/{sha256}/").status_code == 302
    assert reader.get(f"/snapshots/{sha256}/raw/").status_code == 302


def test_evidence_on_cells_and_claims_leads_to_the_kept_page(fill: Fill, reader: Client) -> None:
    fill(r12=page())
    uid = Claim.objects.get(statement="quantization-hardware/awq/nvidia-turing").uid
    for address in (
        "/cells/?framework=vllm&version=0.12.0&quantization=awq&hardware=nvidia-turing",
        f"/claims/{uid}/",
    ):
        link = soup_of(reader.get(address)).find("a", string="kept page")
        assert link and link["href"].endswith("#cited")
        ((_, line),) = cited(soup_of(reader.get(link["href"])))
        assert line.startswith("| AWQ |")


def test_evidence_whose_bytes_are_not_kept_has_no_such_link(fill: Fill, reader: Client) -> None:
    fill(r12=page())
    SourceDocument.objects.update(sha256="0" * 64)
    uid = Claim.objects.first().uid  # type: ignore[union-attr]
    assert not soup_of(reader.get(f"/claims/{uid}/")).find("a", string="kept page")
