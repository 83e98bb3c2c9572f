"""The pages about measured runs name every format, definition, notice, item and reason."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands
from django.test import Client
from django.urls import resolve

from benchmarks_app.contract import FileRole
from benchmarks_app.domain.comparability import BARRIER_CODES
from benchmarks_app.domain.facts import is_fact
from benchmarks_app.domain.metrics import METRICS, PERCENTILE_METHODS
from benchmarks_app.domain.notices import NOTICES
from benchmarks_app.domain.provenance import ITEMS
from benchmarks_app.domain.regression import POWER
from benchmarks_app.importers import IMPORTERS
from benchmarks_app.pages.comparison_state import OPTIONS
from benchmarks_app.services.attaching import WHY_NOT
from benchmarks_app.services.environment import read_environment_json
from matrix.index import forget_knowledge
from tests.matrix.pages_world import fill_pages_world

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def first_cells(text: str, *, part: str = "") -> list[str]:
    """The code in the first cells of the tables below a heading, in their order."""
    start = text.index(f"\n{part}\n") if part else 0
    level = part.partition(" ")[0]
    after = re.search(rf"^{re.escape(level)} ", text[start + len(part) + 2 :], re.MULTILINE)
    end = start + len(part) + 2 + after.start() if part and after else len(text)
    cells = re.findall(r"^\| ((?:`[^`]+`(?:, )?)+) \|", text[start:end], re.MULTILINE)
    return [code for cell in cells for code in re.findall(r"`([^`]+)`", cell)]


def test_every_format_of_every_importer_has_its_row_and_no_other_does() -> None:
    roles = {role.value for role in FileRole}
    rows = [code for code in first_cells(page("benchmark-formats.md")) if code not in roles]
    assert sorted(rows) == sorted(form for one in IMPORTERS for form in one.formats)


def test_every_tool_is_named_on_the_page_of_formats() -> None:
    text = re.sub(r"[-_ ]", "", page("benchmark-formats.md").lower())
    missing = [one.tool for one in IMPORTERS if re.sub(r"[-_ ]", "", one.tool) not in text]
    assert missing == []


def test_every_definition_has_its_row_with_unit_and_no_other_does() -> None:
    text = page("benchmark-metrics.md")
    rows = [code for code in first_cells(text) if "/" in code]
    assert sorted(rows) == sorted(one for metric in METRICS.values() for one in metric.definitions)


def test_units_in_the_tables_of_metrics_are_those_of_the_metrics() -> None:
    text = page("benchmark-metrics.md")
    latencies = first_cells(text, part="## Latencies while serving")
    assert {METRICS[one.partition("/")[0]].unit.value for one in latencies} == {"ms"}
    stated = dict(re.findall(r"^\| `([a-z_0-9]+/[a-z-]+)` \| ([^|]+?) \|", text, re.MULTILINE))
    shares = {"0 to 1": "fraction"}
    for definition, unit in stated.items():
        if definition not in latencies:
            assert shares.get(unit, unit) == METRICS[definition.partition("/")[0]].unit.value


def test_directions_without_a_server_are_those_of_the_metrics() -> None:
    rows = re.findall(
        r"^\| `([a-z_]+)/[a-z-]+` \| [^|]+ \| (lower|higher|neither) \|",
        page("benchmark-metrics.md"),
        re.MULTILINE,
    )
    assert len(rows) >= 16
    assert [m for m, better in rows if METRICS[m].direction.value != better] == []


def test_every_notice_has_its_row_with_its_weight() -> None:
    part = page("benchmark-metrics.md").partition("## What a reader must know: notices")[2]
    rows = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", part, re.MULTILINE))
    assert rows == {code: weight.value for code, weight in NOTICES.items()}


def test_every_barrier_and_percentile_method_is_explained() -> None:
    text = page("benchmark-metrics.md")
    part = text.partition("## What is comparable")[2].partition("### ")[0]
    assert [code for code in BARRIER_CODES if f"`{code}`" not in part] == []
    assert [one for one in PERCENTILE_METHODS if f"| `{one}` |" not in text] == []


def test_every_item_of_the_checklist_stands_under_its_grade() -> None:
    part = page("reproducibility.md").partition("## The checklist")[2].partition("\n## ")[0]
    found, grade = [], ""
    for head, item in re.findall(r"^\| \| \*\*([A-C]):|^\| `([\w.]+)` \|", part, re.MULTILINE):
        grade = head or grade
        found += [(item, grade)] if item else []
    assert found == [(item.name, item.needed_for.value) for item in ITEMS]


def test_every_reason_why_a_run_is_no_claim_has_its_row_in_order() -> None:
    rows = first_cells(page("reproducibility.md"), part="## When a published run becomes a claim")
    assert rows == list(WHY_NOT)


def test_the_power_of_detection_on_the_page_is_the_simulated_one() -> None:
    rows = re.findall(
        r"^\| ([\d.]+) % \| ([\d.]+) % \| (\d+) \+ (\d+) \| ([\d.]+) % \| ([\d.]+) % \|",
        page("benchmarks.md"),
        re.MULTILINE,
    )
    told = [[float(cell) for cell in row] for row in rows]
    assert told == [
        [
            round(100 * one.effect, 2), round(100 * one.noise, 2), one.before, one.after,
            round(100 * one.found, 2), round(100 * one.false_alarms, 2),
        ]
        for one in POWER
    ]  # fmt: skip


def test_every_option_of_a_comparison_is_explained() -> None:
    part = page("benchmarks.md").partition("## Compare")[2].partition("## History")[0]
    assert set(first_cells(part)) == set(OPTIONS)


def test_the_environment_file_on_the_page_is_read_without_unknown_keys() -> None:
    example = page("benchmarks.md").partition("```json\n")[2].partition("```")[0]
    facts, unknown = read_environment_json(example)
    assert unknown == []
    assert len(facts) >= 8
    assert all(map(is_fact, facts))


def test_commands_and_addresses_on_the_page_exist() -> None:
    text = page("benchmarks.md")
    commands = set(re.findall(r"manage\.py (\w+)", text))
    assert {"import_runs", "load_runs", "export_published_runs", "check_runs"} <= commands
    assert commands - set(get_commands()) == set()
    addresses = set(re.findall(r"`(/benchmarks/[^`?]*)", text))
    assert len(addresses) >= 6
    for address in addresses:
        # The sign stands for the identifier of a run.
        resolve(address.replace("…", "k7m2q9xw4tza"))


@pytest.fixture
def _world(db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


@pytest.mark.usefixtures("_world")
def test_addresses_with_a_question_on_the_page_are_understood(client: Client) -> None:
    asked = re.findall(r"`(/benchmarks/[a-z]+/\?[^`]+)`", page("benchmarks.md"))
    assert len(asked) >= 2
    for address in asked:
        assert client.get(address).status_code == 200, address
