"""The explorer: its state lives in the address, and its exports are the grid."""

import csv
import io
from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup
from django.http import QueryDict
from django.test import Client

from matrix.domain.errors import InvalidValue
from matrix.index import current_knowledge, forget_knowledge
from matrix.pages.asked import words_of
from matrix.pages.explorer_state import ExplorerState, read_state
from matrix.pages.links import with_query
from matrix.pages.words import LEVEL_SIGNS
from tests.matrix.pages_world import fill_pages_world

STATES = (
    "",
    "rows=quantization&columns=hardware&framework=vllm",
    "rows=version&columns=quantization&framework=vllm&hardware=nvidia-turing",
    "rows=framework&columns=hardware&quantization=awq&columns_level=device",
    "rows=feature&columns=hardware&framework=vllm&version=0.12.0&all=1",
    "rows=feature&columns=feature&framework=vllm",
    "rows=model&columns=backend&framework=vllm&all=1&rows_level=checkpoint",
    "rows=quantization&columns=hardware&as_of=2025-09-01&fold=fp8&fold=awq&filter=a&page=1",
    "rows=quantization&columns=hardware&framework=vllm&feature=lora&feature=eagle&count=2",
)


@pytest.fixture
def world(db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


def state_of(query: str) -> ExplorerState:
    return read_state(words_of(QueryDict(query)), current_knowledge())


@pytest.mark.parametrize("query", STATES)
def test_the_address_holds_the_whole_state(world: None, query: str) -> None:
    state = state_of(query)
    again = with_query("", state.pairs()).removeprefix("?")
    assert state_of(again) == state


def test_what_stands_on_an_axis_is_not_pinned(world: None) -> None:
    state = state_of("rows=quantization&columns=hardware&framework=vllm&quantization=awq")
    assert state.question.cell.nodes == {}
    state = state_of("rows=framework&columns=hardware&framework=vllm&version=0.6.0")
    assert state.question.cell.framework == ""
    assert state.question.cell.version is None


def test_a_level_of_another_axis_falls_back(world: None) -> None:
    assert state_of("rows=quantization&columns=hardware&rows_level=device").rows_level == "any"


def test_an_axis_cannot_stand_twice(world: None) -> None:
    with pytest.raises(InvalidValue, match="another axis than rows"):
        state_of("rows=model&columns=model")


def shown_cells(client: Client, query: str) -> tuple[list[str], list[str], list[list[str]]]:
    """Row names, column names, and the level or ``not asked`` of every cell on the page."""
    soup = BeautifulSoup(client.get(f"/matrix/?{query}").content, "html.parser")
    grid = soup.find(id="grid")
    rows = grid.select("tbody tr:not(.fold)")
    names = [row.th.text for row in rows]
    columns = [
        head.text
        for head in grid.select("thead tr.names th")
        if "corner" not in (head.get("class") or [])
    ]
    cells = [[_level(cell) for cell in row.find_all("td")] for row in rows]
    return names, columns, cells


def _level(cell: object) -> str:
    found = cell["class"][0]  # type: ignore[index]
    return str(found).removeprefix("level-")


@pytest.mark.parametrize("query", STATES)
def test_the_csv_equals_the_grid(world: None, client: Client, query: str) -> None:
    rows, columns, cells = shown_cells(client, query)
    answer = client.get(f"/matrix/grid.csv?{query}")
    assert answer["Content-Type"].startswith("text/csv")
    lines = list(csv.reader(io.StringIO(answer.content.decode())))
    assert lines[0][2:] == columns
    assert [line[1] for line in lines[1:]] == rows
    plain = [["none" if c.startswith("not-asked") else c for c in line[2:]] for line in lines[1:]]
    assert plain == cells


@pytest.mark.parametrize("query", STATES)
def test_the_json_equals_the_grid(world: None, client: Client, query: str) -> None:
    rows, columns, cells = shown_cells(client, query)
    plain = client.get(f"/matrix/grid.json?{query}").json()
    assert [node["name"] for node in plain["rows"]["nodes"]] == rows
    assert [node["name"] for node in plain["columns"]["nodes"]] == columns
    assert [[cell["level"] or "none" for cell in line] for line in plain["cells"]] == cells


def test_every_cell_leads_to_a_page_that_says_the_same(world: None, client: Client) -> None:
    soup = BeautifulSoup(client.get("/matrix/?framework=vllm").content, "html.parser")
    seen = set()
    for cell in soup.select("#grid td:has(a)"):
        level = _level(cell)
        page = BeautifulSoup(client.get(cell.a["href"]).content, "html.parser")
        assert level in page.find(class_="verdict").text.lower()
        seen.add(level)
    assert {"supported", "conditional", "partial", "unknown"} <= seen


def test_every_cell_has_sign_and_word(world: None, client: Client) -> None:
    soup = BeautifulSoup(client.get("/matrix/?framework=vllm").content, "html.parser")
    for cell in soup.select("#grid td:has(a)"):
        sign = next(s for s in LEVEL_SIGNS.values() if s.value == _level(cell))
        assert sign.icon in cell.text
        assert str(sign.short) in cell.text
        assert str(sign.word) in cell.a["title"]


def test_the_legend_counts_the_cells(world: None, client: Client) -> None:
    _rows, _columns, cells = shown_cells(client, "framework=vllm")
    soup = BeautifulSoup(client.get("/matrix/?framework=vllm").content, "html.parser")
    counted = dict.fromkeys((sign.value for sign in LEVEL_SIGNS.values()), 0)
    for line in cells:
        for level in line:
            counted[level] += 1
    for entry in soup.select(".legend li:has(.badge)"):
        word, number = entry.text.split()[-2:]
        assert counted[word] == int(number)


def test_only_what_claims_name_is_shown_unless_all_is_asked(world: None, client: Client) -> None:
    named, _columns, _cells = shown_cells(client, "framework=vllm")
    every, _columns, _cells = shown_cells(client, "framework=vllm&all=1")
    assert set(named) == {"awq", "fp8", "gguf"}
    assert set(named) < set(every)
    assert "bf16" in every


def test_two_features_are_asked_together(world: None, client: Client) -> None:
    query = "rows=feature&columns=feature&framework=vllm&hardware=nvidia-a100"
    rows, columns, cells = shown_cells(client, query)
    assert cells[rows.index("lora")][columns.index("lora")] == "supported"
    assert cells[rows.index("lora")][columns.index("eagle")] == "unsupported"
    assert cells[rows.index("eagle")][columns.index("lora")] == "unsupported"


def test_an_impossible_pair_is_not_asked(world: None, client: Client) -> None:
    query = "rows=backend&columns=hardware&columns_level=vendor&framework=vllm&all=1"
    rows, columns, cells = shown_cells(client, query)
    by_pair = {
        (row, column): cells[y][x] for y, row in enumerate(rows) for x, column in enumerate(columns)
    }
    assert by_pair["cuda", "amd"] == "none"
    assert by_pair["cuda", "nvidia"] != "none"
    text = client.get(f"/matrix/?{query}").content.decode()
    assert "not asked: the backend does not drive this hardware" in text


def test_releases_after_the_asked_day_are_left_out(world: None, client: Client) -> None:
    query = "rows=version&columns=quantization&framework=vllm&as_of=2025-06-20"
    rows, _columns, _cells = shown_cells(client, query)
    assert rows[0] == "0.6.0"
    assert "0.7.0" not in rows


def test_the_filter_works_on_the_server_too(world: None, client: Client) -> None:
    rows, _columns, _cells = shown_cells(client, "framework=vllm&filter=AW")
    assert rows == ["awq"]


def test_a_folded_group_stays_in_the_page_and_in_the_address(world: None, client: Client) -> None:
    soup = BeautifulSoup(
        client.get("/matrix/?framework=vllm&rows=quantization&fold=fp8").content, "html.parser"
    )
    body = soup.find("tbody", attrs={"data-group": "fp8"})
    assert body["class"] == ["folded"]
    link = body.find("a", class_="fold-link")
    assert link["aria-expanded"] == "false"
    assert "fold" not in link["href"]


def test_a_version_without_claims_shows_an_unknown_grid_not_a_no(
    world: None, client: Client
) -> None:
    _rows, _columns, cells = shown_cells(client, "framework=vllm&version=0.1.0")
    assert {level for line in cells for level in line} == {"unknown"}
