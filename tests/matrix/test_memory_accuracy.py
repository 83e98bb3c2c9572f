"""The shipped rows: every class is there, predictions are made anew, targets are held."""

import io

import pytest
from django.core.management import call_command

from matrix.catalog_files import CATALOG_FOLDER, read_catalogue
from matrix.domain.memory.truth_compare import kind_of_row
from matrix.memory_accuracy import CLASSES, Accuracy, measure_accuracy
from matrix.memory_truth import FOLDER, measured_rows, peer_rows


@pytest.fixture(scope="module")
def accuracy() -> Accuracy:
    """Every shipped row, predicted by the rules as they are."""
    return measure_accuracy(read_catalogue(CATALOG_FOLDER))


def test_every_row_is_of_a_known_format_and_names_its_source() -> None:
    rows = measured_rows()
    assert len(rows) > 1000
    for row in rows:
        assert kind_of_row(row), row
        assert row.get("source"), row
    assert sum(path.stat().st_size for path in FOLDER.glob("*.jsonl")) < 1.5 * 2**20


def test_every_class_has_rows(accuracy: Accuracy) -> None:
    assert {line.class_ for line in accuracy.lines} == set(CLASSES) - {"other"}


def test_the_cache_of_llama_cpp_is_exact_in_every_class(accuracy: Accuracy) -> None:
    for line in accuracy.lines:
        if line.summary.quantity == "kv" and line.class_ not in ("serving", "public-log"):
            assert line.summary.exact == line.summary.rows > 0, line


def test_weights_of_files_are_within_one_per_cent(accuracy: Accuracy) -> None:
    own = [
        f.comparison
        for f in accuracy.figures
        if f.comparison.quantity == "weights" and not f.class_.startswith(("public", "serving"))
    ]
    assert len(own) > 900
    assert sum(abs(one.error) <= 0.01 for one in own) >= 0.98 * len(own)


def test_totals_are_within_their_target(accuracy: Accuracy) -> None:
    total = next(one for one in accuracy.overall if one.quantity == "total")
    assert total.rows > 500
    assert total.median <= 0.05
    assert total.p95 <= 0.15


def test_every_figure_outside_has_a_reason(accuracy: Accuracy) -> None:
    assert all(figure.comparison.reason for figure in accuracy.outside)


def test_refusals_of_the_engine_are_foreseen(accuracy: Accuracy) -> None:
    refused, foreseen = accuracy.refusals
    assert refused == foreseen > 0


def test_other_estimators_stand_beside_ours_on_the_same_items(accuracy: Accuracy) -> None:
    assert len({line.peer for line in accuracy.peers}) >= 6
    assert 0 < sum(line.rows + line.no_answer for line in accuracy.peers) <= len(peer_rows())
    assert all(line.rows <= line.own_rows for line in accuracy.peers)


def test_the_shipped_rows_are_what_the_command_reads() -> None:
    out = io.StringIO()
    call_command("check_memory", str(FOLDER / "public.jsonl"), stdout=out)
    assert "not read" not in out.getvalue()
    assert out.getvalue().splitlines()[-1].startswith("total: ")
