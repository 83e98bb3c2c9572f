"""The comparison with hand-set facts: only the same place with the same meaning is right."""

from typing import Any

import pytest

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus
from ingest.domain.derive import PageReading
from ingest.domain.fact_words import ACCEPTED, name_parts, plain_label
from ingest.domain.facts import FactNames, Outcome, compare_fact
from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Scope
from tests.builders import scope

PAGE = """# Page

| Scheme | T4 | A100 |
|---|---|---|
| AWQ | yes | no |
| FP8 | no | yes |

| Scheme | T4 | A100 |
|---|---|---|
| AWQ | no | yes |
"""
_S = StatementStatus
CELL = {"row": "AWQ", "column": "T4", "table_line": 3}


def cell(status: StatementStatus, *, line: int = 5, table: int = 0, **changes: Any) -> Finding:
    values: dict[str, Any] = {
        "kind": FindingKind.COMPATIBILITY,
        "statement": "s",
        "status": status,
        "raw": "sign",
        "locator": Locator(row="AWQ", column="T4", line=line, table=table),
    }
    return Finding(**(values | changes))


def said(status: StatementStatus, *, line: int = 12, **changes: Any) -> Finding:
    return cell(status, **({"locator": Locator(line=line)} | changes))


def outcome(fact: dict[str, Any], *findings: Finding, catalogue: Catalogue | None = None) -> str:
    page = Page(framework="vllm", version="0.1.0", path="docs/page.md", text=PAGE)
    reading = PageReading("test-docs", "rule", "1", page, Reading(findings=findings))
    return compare_fact({"id": "x", **fact}, [reading], FactNames(catalogue)).outcome.value


def test_the_same_cell_with_the_same_meaning_is_right() -> None:
    assert outcome({**CELL, "status": "yes"}, cell(_S.SUPPORTED)) == "right"


@pytest.mark.parametrize(
    ("expected", "found"),
    [("yes", _S.UNSUPPORTED), ("partial", _S.UNSUPPORTED), ("no", _S.SUPPORTED),
     ("no", _S.PARTIAL), ("removed", _S.SUPPORTED), ("yes", _S.REMOVED)],
)  # fmt: skip
def test_the_contrary_at_the_cell_is_opposite(expected: str, found: StatementStatus) -> None:
    assert outcome({**CELL, "status": expected}, cell(found)) == "opposite"


@pytest.mark.parametrize(
    ("expected", "found"),
    [("yes", _S.PARTIAL), ("partial", _S.SUPPORTED), ("not_stated", _S.UNSUPPORTED),
     ("unknown", _S.NOT_STATED), ("no", _S.NOT_STATED), ("yes", _S.EXPERIMENTAL),
     ("planned", _S.SUPPORTED), ("wip", _S.PLANNED), ("untested", _S.UNKNOWN)],
)  # fmt: skip
def test_a_wrong_status_is_not_right(expected: str, found: StatementStatus) -> None:
    assert outcome({**CELL, "status": expected}, cell(found)) == "missing"


def test_a_status_word_that_is_not_known_is_never_right() -> None:
    assert outcome({**CELL, "status": "perhaps"}, cell(_S.SUPPORTED)) == "missing"


def test_a_wrong_row_or_column_is_not_right() -> None:
    row = cell(_S.SUPPORTED, locator=Locator(row="FP8", column="T4", line=6, table=0))
    column = cell(_S.SUPPORTED, locator=Locator(row="AWQ", column="A100", line=5, table=0))
    assert outcome({**CELL, "status": "yes"}, row, column) == "missing"


def test_the_same_row_of_another_table_is_not_right() -> None:
    second = cell(_S.SUPPORTED, line=10, table=1)
    assert outcome({**CELL, "status": "yes"}, second) == "missing"
    assert outcome({**CELL, "table_line": 8, "status": "yes"}, second) == "right"


def test_a_table_may_be_named_by_a_line_inside_it() -> None:
    both = (cell(_S.SUPPORTED), cell(_S.UNSUPPORTED, line=10, table=1))
    assert outcome({**CELL, "table_line": 4, "status": "yes"}, *both) == "right"
    assert outcome({**CELL, "table_line": 9, "status": "yes"}, *both) == "opposite"


def test_a_cell_that_says_both_is_not_right() -> None:
    both = (cell(_S.SUPPORTED), cell(_S.UNSUPPORTED))
    assert outcome({**CELL, "status": "yes"}, *both) == "opposite"


def test_rows_of_one_label_are_told_apart_by_their_line() -> None:
    both = (cell(_S.UNSUPPORTED, line=5), cell(_S.SUPPORTED, line=6))
    assert outcome({**CELL, "status": "yes"}, *both) == "right"


def test_labels_compare_without_markup_marks_links_and_brackets() -> None:
    for text in (
        "`AWQ`",
        "**AWQ**",
        "[AWQ](https://example.org/a_(b))",
        "AWQ<sup>1</sup>",
        " awq ",
    ):
        assert plain_label(text) == "awq"
    assert plain_label("[WebGPU [In Progress]](x.md)") == plain_label("WebGPU In Progress")
    assert plain_label("AWQ") != plain_label("AWQ-Marlin")


def test_a_link_that_the_fact_names_has_to_be_kept() -> None:
    fact = {**CELL, "status": "yes", "link": "https://example.org/1"}
    assert outcome(fact, cell(_S.SUPPORTED)) == "missing"
    assert outcome(fact, cell(_S.SUPPORTED, links=("https://example.org/1",))) == "right"


def test_a_footnote_that_the_fact_names_has_to_be_kept() -> None:
    fact = {**CELL, "status": "partial", "footnote": "words"}
    assert outcome(fact, cell(_S.PARTIAL)) == "missing"
    assert outcome(fact, cell(_S.PARTIAL, note="decode only")) == "right"


def test_values_that_the_fact_names_have_to_be_kept() -> None:
    fact = {**CELL, "status": "yes", "values": ["FP16", "Online FP8"]}
    assert outcome(fact, cell(_S.SUPPORTED, value="FP16")) == "missing"
    assert outcome(fact, cell(_S.SUPPORTED, value="FP16, online FP8")) == "right"


def test_a_compound_cell_needs_every_part() -> None:
    fact = {**CELL, "status": "mixed", "parts": {"x86": "functional", "MacOS": "planned"}}
    parts = (("x86", _S.SUPPORTED), ("MacOS", _S.PLANNED))
    assert outcome(fact, cell(_S.MIXED, parts=parts)) == "right"
    assert outcome(fact, cell(_S.MIXED, parts=parts[:1])) == "missing"
    turned = (("x86", _S.PLANNED), ("MacOS", _S.SUPPORTED))
    assert outcome(fact, cell(_S.MIXED, parts=turned)) == "missing"


def test_a_fact_without_subject_needs_a_finding_at_its_line() -> None:
    fact = {"line": 12, "status": "maintenance", "facets": {"scope": "project"}}
    assert outcome(fact, said(_S.MAINTENANCE)) == "right"
    assert outcome(fact, said(_S.MAINTENANCE, line=13)) == "missing"
    assert outcome(fact, said(_S.MAINTAINED)) == "missing"


def test_every_subject_of_a_line_needs_a_finding() -> None:
    fact = {"line": 12, "status": "supported", "facets": {"hardware": ["NVIDIA A100", "T4"]}}
    a100 = said(_S.SUPPORTED, names={"hardware": "NVIDIA A100"})
    t4 = said(_S.SUPPORTED, names={"hardware": "T4"})
    assert outcome(fact, a100, t4) == "right"
    assert outcome(fact, a100) == "missing"
    assert outcome(fact, a100, said(_S.UNSUPPORTED, names={"hardware": "T4"})) == "opposite"


def test_two_facets_of_a_line_have_to_meet_in_one_finding() -> None:
    fact = {"line": 12, "status": "yes", "facet": {"quantization": "FP8", "hardware": "T4"}}
    apart = (
        said(_S.SUPPORTED, names={"quantization": "FP8", "hardware": "A100"}),
        said(_S.SUPPORTED, names={"quantization": "AWQ", "hardware": "T4"}),
    )
    assert outcome(fact, *apart) == "missing"
    together = said(_S.SUPPORTED, names={"quantization": "FP8", "hardware": "T4"})
    assert outcome(fact, *apart, together) == "right"


def test_a_line_about_something_else_is_not_right() -> None:
    fact = {"line": 12, "status": "yes", "facet": {"hardware": "MI300"}}
    assert outcome(fact, said(_S.SUPPORTED, names={"hardware": "T4"})) == "missing"


def test_a_facet_that_no_finding_of_the_page_mentions_only_describes() -> None:
    fact = {
        "line": 12,
        "status": "partial",
        "facets": {"hardware": "other cards", "feature": "paged attention"},
    }
    assert outcome(fact, said(_S.PARTIAL, names={"feature": "paged attention"})) == "right"


def test_subjects_are_found_by_the_catalogue_too() -> None:
    node = Node(area="hardware", slug="cpu-s390x", name="IBM Z", kind="architecture")
    below = Node(area="hardware", slug="cpu-z14", name="z14", kind="device", parent="cpu-s390x")
    catalogue = Catalogue(nodes={"hardware": {"cpu-s390x": node, "cpu-z14": below}})
    fact = {"line": 12, "status": "yes", "facet": {"hardware": "IBM Z"}}
    found = said(_S.SUPPORTED, scope=scope(hardware="cpu-z14"))
    assert outcome(fact, found, catalogue=catalogue) == "right"
    assert outcome(fact, found) == "missing"


def test_numbers_of_a_line_have_to_be_read() -> None:
    fact = {"line": 12, "status": "yes", "facet": {"hardware": "NVIDIA", "cc_min": "7.5"}}
    names = {"hardware": "NVIDIA"}
    assert outcome(fact, said(_S.SUPPORTED, names=names)) == "missing"
    assert outcome(fact, said(_S.SUPPORTED, names=names, value="7.0")) == "missing"
    assert outcome(fact, said(_S.SUPPORTED, names=names, value="7.5")) == "right"


def test_a_second_number_may_stand_elsewhere_on_the_page_the_first_may_not() -> None:
    facets = {"container": "24.07", "tensorrt": "10.3"}
    fact = {"line": 12, "status": "pinned", "facets": facets}
    container = said(_S.PINNED, value="24.07")
    tensorrt = said(_S.PINNED, value="10.3", line=30)
    assert outcome(fact, container, tensorrt) == "right"
    assert outcome(fact, container) == "missing"
    assert outcome({**fact, "line": 14}, container, tensorrt) == "missing"


CODE = {
    "source": "code",
    "facts_path": ["quant_method_config", "fp8", "min_capability"],
    "value": 89,
    "status": "value",
}


def at(*path: str, status: StatementStatus = _S.VALUE, value: str = "") -> Finding:
    return cell(status, locator=Locator(path=path), value=value)


def test_a_code_fact_is_right_by_key_path_and_value() -> None:
    path = ("quant_method_config", "fp8", "min_capability")
    assert outcome(CODE, at(*path, value="89")) == "right"
    assert outcome(CODE, at(*path, value="80")) == "missing"
    assert (
        outcome(CODE, at("quant_method_config", "awq", "min_capability", value="89")) == "missing"
    )
    assert outcome(CODE, at("quant_method_config", "fp8", value="89")) == "missing"


def test_a_member_of_a_code_list_is_right_by_status() -> None:
    fact = {"source": "code", "facts_path": ["methods"], "value": "awq", "status": "yes"}
    member = at("methods", "awq", status=_S.SUPPORTED)
    assert outcome(fact, member) == "right"
    assert outcome(fact, at("methods", "awq", status=_S.DEPRECATED)) == "missing"
    assert outcome(fact, at("methods", "gptq", status=_S.SUPPORTED)) == "missing"
    removed = {**fact, "status": "removed"}
    assert outcome(removed, member) == "opposite"


RECIPE = {
    "kind": "deployment",
    "line": 465,
    "status": "validated",
    "facets": {
        "model": "acme/Alpha-V4",
        "hardware": "B200",
        "quantization": "FP4",
        "nodes": "single",
        "tp": 4,
    },
}


def recipe(status: StatementStatus = _S.VALIDATED, **names: str) -> Finding:
    chosen = {"model": "acme/Alpha-V4", "hw": "b200", "quant": "fp4", "nodes": "single"} | names
    return cell(
        status, kind=FindingKind.DEPLOYMENT, names=chosen, value="tp=4", locator=Locator(row="x")
    )


def test_a_recipe_is_compared_by_its_choices() -> None:
    assert outcome(RECIPE, recipe()) == "right"
    assert outcome(RECIPE, recipe(_S.UNTESTED)) == "missing"
    for names in ({"hw": "b300"}, {"quant": "fp8"}, {"nodes": "multi-2"}, {"model": "acme/Alpha"}):
        assert outcome(RECIPE, recipe(**names)) == "missing"
    facets = {**RECIPE["facets"], "tp": 8}  # type: ignore[dict-item]
    assert outcome({**RECIPE, "facets": facets}, recipe()) == "missing"


ABSENT = {"absent": "row", "status": "absent", "facet": {"hardware": "T4"}}


def test_an_absence_is_right_when_the_page_was_read_and_has_no_such_label() -> None:
    other = cell(_S.SUPPORTED, locator=Locator(row="AWQ", column="A100"))
    assert outcome(ABSENT, other) == "right"
    assert outcome(ABSENT, other, cell(_S.SUPPORTED)) == "opposite"


def test_a_page_that_no_rule_read_proves_no_absence() -> None:
    result = compare_fact(ABSENT, [])
    assert (result.outcome, result.found) == (Outcome.MISSING, "no rule read the page")


def test_a_miss_names_page_row_column_expected_and_found() -> None:
    page = Page(framework="vllm", version="0.1.0", path="docs/page.md", text=PAGE)
    reading = PageReading("s", "r", "1", page, Reading(findings=(cell(_S.UNSUPPORTED),)))
    fact = {"id": "t1", "version": "0.1.0", "page": "docs/page.md", **CELL, "status": "yes"}
    result = compare_fact(fact, [reading])
    assert (result.identifier, result.page) == ("t1", "0.1.0 docs/page.md")
    assert (result.row, result.column, result.expected) == ("AWQ", "T4", "yes")
    assert result.found == "unsupported (AWQ/T4: 'sign')"


def test_no_status_word_accepts_both_a_yes_and_a_no() -> None:
    for word, statuses in ACCEPTED.items():
        assert not (_S.SUPPORTED in statuses and _S.UNSUPPORTED in statuses), word
        assert _S.NOT_STATED not in statuses or word == "not_stated"


def test_parts_of_a_name_ignore_signs() -> None:
    assert name_parts("Ascend A2/A3") < name_parts("Ascend NPUs (A2/A3)")
    assert not name_parts("A100") <= name_parts("A10")


def test_a_scope_without_axes_mentions_nothing() -> None:
    fact = {"line": 12, "status": "yes", "facet": {"hardware": "T4"}}
    assert outcome(fact, said(_S.SUPPORTED, scope=Scope())) == "missing"
