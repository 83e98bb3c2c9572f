"""What holds for every importer: one claims a file, nothing is dropped, nothing crashes."""

import copy
import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks_app.contract import FileReading, FileRole
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.facts import is_fact
from benchmarks_app.domain.metrics import METRICS, PERCENTILE_METHODS, is_stat
from benchmarks_app.domain.notices import NOTICES
from benchmarks_app.importers import IMPORTERS, read_file, recognise
from benchmarks_app.reading.document import Document, Kind, open_document
from tests.benchmarks_app.importers.injecting import (
    keeps_strange_field,
    object_paths,
    with_strange_fields,
    withheld_places,
)
from tests.benchmarks_app.importers.samples import ALL_SAMPLES, SAMPLES_BY_TOOL

NAMES = sorted(ALL_SAMPLES)


def opened(name: str) -> Document | None:
    try:
        return open_document(name, ALL_SAMPLES[name])
    except ResultError:
        return None


def read(name: str) -> FileReading | None:
    try:
        return read_file(name, ALL_SAMPLES[name])
    except ResultError:
        return None


def test_every_importer_has_samples_and_a_name_of_its_own() -> None:
    assert len({importer.tool for importer in IMPORTERS}) == len(IMPORTERS)
    assert len(SAMPLES_BY_TOOL) == len(IMPORTERS)
    formats = [found for importer in IMPORTERS for found in importer.formats]
    assert len(set(formats)) == len(formats)


@pytest.mark.parametrize("name", NAMES)
def test_at_most_one_importer_claims_a_file(name: str) -> None:
    document = opened(name)
    if document is not None:
        claims = [importer.tool for importer in IMPORTERS if importer.recognises(document)]
        assert len(claims) <= 1


@pytest.mark.parametrize("tool", sorted(SAMPLES_BY_TOOL))
def test_the_samples_of_a_tool_show_all_its_formats(tool: str) -> None:
    known = [recognise(d) for n in NAMES if n.startswith(f"{tool}/") and (d := opened(n))]
    seen = {found[1] for found in known if found}
    importer = next(found[0] for found in known if found)
    assert set(importer.formats) - seen == set()


@pytest.mark.parametrize("name", NAMES)
def test_a_reading_uses_the_closed_vocabularies(name: str) -> None:
    reading = read(name)
    if reading is None:
        return
    if reading.role in (FileRole.REJECTED, FileRole.ATTACHMENT):
        assert reading.reason
    for fact in (*reading.facts, *(fact for run in reading.runs for fact in run.facts)):
        assert is_fact(fact), fact
    for run in reading.runs:
        assert {notice.code for notice in run.notices} <= set(NOTICES)
        for one in run.metrics:
            assert one.definition in METRICS[one.metric].definitions
            assert one.percentile_method in PERCENTILE_METHODS
            assert one.pointer
            assert all(is_stat(s) and math.isfinite(v) for s, v in one.stats.items())


def strange_cases() -> list[tuple[str, str, bytes]]:
    """One case for each kind of object of each sample."""
    cases = []
    for name in NAMES:
        document = opened(name)
        if document is None or recognise(document) is None:
            continue
        seen: set[str] = set()
        for where, data in with_strange_fields(document):
            if where not in seen:
                seen.add(where)
                cases.append((name, where, data))
    return cases


@pytest.mark.parametrize(
    ("name", "where", "data"), [pytest.param(*c, id=f"{c[0]}:{c[1]}") for c in strange_cases()]
)
def test_a_field_that_nobody_knows_is_kept(name: str, where: str, data: bytes) -> None:
    try:
        reading = read_file(name, data)
    except ResultError as error:
        # Our own format is closed in places; it says where.
        assert name.startswith("runproof/")
        assert error.facts["place"]
        return
    if reading.role in (FileRole.REJECTED, FileRole.ATTACHMENT) or keeps_strange_field(reading):
        # An attachment is evidence kept as bytes; only its samples are taken out of it.
        return
    hidden = withheld_places(reading)
    assert any(where == place or where.startswith(f"{place}.") for place in hidden if place)


JSON_SAMPLES = [name for name in NAMES if (document := opened(name)) and document.kind is Kind.JSON]
hostile = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12),
    st.just([]), st.just({}), st.just([[]]), st.just({"a": {"a": 1}}), st.just(10**400),
    st.lists(st.floats(), max_size=3), st.lists(st.text(max_size=3), max_size=3),
    st.sampled_from(["NaN", "inf", "1e999", "21.4 ms", "-1", "0"]),
)  # fmt: skip


@pytest.mark.parametrize("name", JSON_SAMPLES)
@settings(
    max_examples=15, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(data=st.data())
def test_any_value_in_any_place_is_read_or_refused_with_its_place(
    name: str, data: st.DataObject
) -> None:
    value = json.loads(ALL_SAMPLES[name])
    for _ in range(data.draw(st.integers(1, 4))):
        paths = list(object_paths(value))
        node = value
        for step in data.draw(st.sampled_from(paths)) if paths else ():
            node = node[step]
        if isinstance(node, dict) and node:
            node[data.draw(st.sampled_from(sorted(node)))] = copy.deepcopy(data.draw(hostile))
    try:
        reading = read_file(name, json.dumps(value).encode())
    except ResultError as error:
        assert error.facts["place"]
    else:
        assert reading.role is not FileRole.REJECTED or reading.reason
