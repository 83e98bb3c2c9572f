"""The shipped frameworks, releases, placements and maintenance periods."""

import itertools
import json
import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from matrix.catalog_files import read_catalogue
from matrix.domain.aliases import normalise_name
from matrix.domain.catalogue import Catalogue
from matrix.domain.catalogue_lint import problems_of
from matrix.domain.levels import EvidenceKind, MaintenanceStatus

CATALOG = Path(__file__).parents[3] / "matrix" / "catalog"
RELEASE_FILES = sorted((CATALOG / "releases").glob("*.jsonl"))
REQUIRED_KEYS = {
    "version", "date", "line", "commit", "yanked", "source", "tag", "date_precision",
}  # fmt: skip
OPTIONAL_KEYS = {"upstream", "aliases", "date_kind"}
LINES = {"stable", "rc", "post", "dev", "nightly", "special", "commit"}
DATE_FORMS = {
    "second": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
    "day": r"\d{4}-\d\d-\d\d",
    "month": r"\d{4}-\d\d",
}
PLACED = {"exact", "between", "at-or-before", "at-or-after"}
START_KINDS = {"exact", "at-or-before", "at-or-after"}
READ_ON = date(2026, 11, 30)


def toml_entries(name: str, table: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads((CATALOG / name).read_text("utf-8"))[table]
    return entries


def release_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def every_release() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in RELEASE_FILES:
        for entry in release_lines(path):
            yield path.stem, entry


def day_of(value: date | datetime) -> date:
    return value.astimezone(UTC).date() if isinstance(value, datetime) else value


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(CATALOG)


# Frameworks


def test_frameworks_and_releases_break_no_rule_of_the_catalogue(catalogue: Catalogue) -> None:
    words = ("framework", "release", "maintenance")
    assert [p for p in problems_of(catalogue) if any(word in p for word in words)] == []


def test_every_release_file_belongs_to_a_framework(catalogue: Catalogue) -> None:
    assert {path.stem for path in RELEASE_FILES} <= set(catalogue.area("framework"))


def test_every_backend_of_a_framework_is_a_known_backend(catalogue: Catalogue) -> None:
    known = set(catalogue.area("backend"))
    named = {
        (entry["slug"], backend)
        for entry in toml_entries("frameworks.toml", "framework")
        for backend in entry["backends"]
    }
    assert [pair for pair in sorted(named) if pair[1] not in known] == []


def test_a_child_says_what_it_is_to_its_parent_and_a_root_does_not() -> None:
    entries = toml_entries("frameworks.toml", "framework")
    assert [e["slug"] for e in entries if ("parent" in e) != ("relation" in e)] == []


@pytest.mark.parametrize(
    ("written", "slug"),
    [
        ("TensorRT LLM", "tensorrt-llm"),
        ("TRT-LLM", "tensorrt-llm"),
        ("Text Generation Inference", "tgi"),
        ("ggerganov/llama.cpp", "llama.cpp"),
        ("ik_llama.cpp", "ik-llama.cpp"),
        ("vLLM-Kunlun", "vllm-kunlun"),
        ("tensorrtllm_backend", "tensorrtllm-backend"),
    ],
)
def test_a_framework_is_found_by_the_name_people_write(
    catalogue: Catalogue, written: str, slug: str
) -> None:
    assert catalogue.vocabulary.table("framework").resolve(written) == slug


def test_a_framework_with_its_backend_is_not_a_name_of_the_framework() -> None:
    names = {
        normalise_name(alias)
        for entry in toml_entries("frameworks.toml", "framework")
        for alias in entry["aliases"]
    }
    assert normalise_name("vLLM (ROCm)") not in names
    assert normalise_name("SGLang (MUSA)") not in names


# Releases


@pytest.mark.parametrize("path", RELEASE_FILES, ids=lambda path: path.stem)
def test_every_line_of_a_release_file_has_the_agreed_shape(path: Path) -> None:
    for entry in release_lines(path):
        keys = set(entry)
        assert keys >= REQUIRED_KEYS, entry
        assert keys <= REQUIRED_KEYS | OPTIONAL_KEYS, entry
        assert entry["line"] in LINES, entry
        assert re.fullmatch(DATE_FORMS[entry["date_precision"]], entry["date"]), entry
        assert entry.get("date_kind", "exact") in START_KINDS, entry
        assert entry["commit"] is None or re.fullmatch(r"[0-9a-f]{7,40}", entry["commit"]), entry


@pytest.mark.parametrize("path", RELEASE_FILES, ids=lambda path: path.stem)
def test_a_release_file_is_sorted_by_date(path: Path) -> None:
    dates = [entry["date"] for entry in release_lines(path)]
    assert dates == sorted(dates)


def test_every_release_cites_a_listed_source(catalogue: Catalogue) -> None:
    cited = {(framework, entry["source"]) for framework, entry in every_release()}
    assert [pair for pair in sorted(cited) if pair[1] not in catalogue.sources] == []


def test_no_release_is_dated_after_the_day_of_reading() -> None:
    late = [
        (framework, entry["version"])
        for framework, entry in every_release()
        if entry["date"][:10] > READ_ON.isoformat()
    ]
    assert late == []


def test_an_upstream_is_a_known_release_of_a_known_framework(catalogue: Catalogue) -> None:
    unknown = []
    for framework, entry in every_release():
        upstream = entry.get("upstream")
        if upstream and upstream["framework"] in {"vllm", "tensorrt-llm"}:
            history = catalogue.histories[upstream["framework"]]
            if history.find(upstream["version"]) is None and "rc" not in upstream["version"]:
                unknown.append((framework, entry["version"], upstream["version"]))
        elif upstream and upstream["framework"] != "llama.cpp":
            unknown.append((framework, entry["version"], upstream["framework"]))
    assert unknown == []


def test_what_bundles_llama_cpp_names_a_build_whose_date_is_known(catalogue: Catalogue) -> None:
    history = catalogue.histories["llama.cpp"]
    unknown = [
        (framework, entry["version"], entry["upstream"]["version"])
        for framework, entry in every_release()
        if entry.get("upstream", {}).get("framework") == "llama.cpp"
        and history.find(entry["upstream"]["version"]) is None
    ]
    assert unknown == []


def test_no_bundle_is_older_than_the_build_it_carries(catalogue: Catalogue) -> None:
    history = catalogue.histories["llama.cpp"]
    wrong = []
    for path in (CATALOG / "releases" / f"{n}.jsonl" for n in ("llama-cpp-python", "ollama")):
        for entry in release_lines(path):
            upstream = history.find(entry["upstream"]["version"]) if "upstream" in entry else None
            if upstream and upstream.released_on.isoformat() > entry["date"][:10]:
                wrong.append((path.stem, entry["version"], upstream.version))
    assert wrong == []


def test_build_numbers_and_their_dates_run_the_same_way() -> None:
    builds = sorted(
        (int(entry["version"][1:]), entry["date"][:10])
        for entry in release_lines(CATALOG / "releases" / "llama.cpp.jsonl")
        if re.fullmatch(r"b\d+", entry["version"])
    )
    turned = [pair for pair in itertools.pairwise(builds) if pair[0][1] > pair[1][1]]
    assert turned == []
    assert len(builds) > 1000


def test_a_build_without_a_published_tag_is_not_on_the_stable_line() -> None:
    lines = release_lines(CATALOG / "releases" / "llama.cpp.jsonl")
    untagged = [e["version"] for e in lines if e["tag"] is None and e["line"] != "commit"]
    assert untagged == []


@pytest.mark.parametrize(
    ("framework", "version", "released_on"),
    [
        ("vllm", "0.2.0", date(2023, 9, 28)),
        ("vllm", "0.2.7", date(2024, 1, 4)),
        ("vllm", "0.4.0", date(2024, 3, 31)),
        ("vllm", "v0.15.0", date(2026, 1, 29)),
        ("tgi", "0.9.2", date(2023, 7, 14)),
        ("tgi", "1.1.0", date(2023, 9, 28)),
        ("tensorrt-llm", "0.5.0", date(2023, 10, 20)),
        ("tensorrt-llm", "0.17.0", date(2025, 1, 30)),
        ("tensorrt-llm", "1.0.0", date(2025, 9, 24)),
        ("llama.cpp", "b3772", date(2024, 9, 16)),
        ("llama.cpp", "b5308", date(2025, 5, 8)),
        ("llama.cpp", "b8007", date(2026, 2, 12)),
        ("sglang", "0.4.1", date(2024, 12, 25)),
    ],
)
def test_a_version_is_found_with_its_date(
    catalogue: Catalogue, framework: str, version: str, released_on: date
) -> None:
    found = catalogue.histories[framework].find(version)
    assert found is not None
    assert found.released_on == released_on


@pytest.mark.parametrize(
    ("framework", "as_of", "version"),
    [
        ("vllm", date(2023, 10, 16), "0.2.0"),  # 0.2.1 of that day was withdrawn
        ("vllm", date(2026, 11, 30), "0.33.0"),
        ("tensorrt-llm", date(2025, 1, 29), "0.16.0"),
        ("tensorrt-llm", date(2026, 11, 30), "1.2.1"),
        ("tgi", date(2026, 11, 30), "3.3.7"),
        ("llama.cpp", date(2025, 5, 7), "b5306"),
        ("llama.cpp", date(2026, 8, 20), "0.1.2"),
    ],
)
def test_the_latest_release_on_a_day_is_the_newest_stable_one(
    catalogue: Catalogue, framework: str, as_of: date, version: str
) -> None:
    history = catalogue.histories[framework]
    rank = history.latest_rank(as_of=as_of)
    assert rank is not None
    assert history.releases[rank].version == version


# Placements


def test_every_placement_names_known_releases_in_their_order(catalogue: Catalogue) -> None:
    wrong = []
    for entry in toml_entries("placements.toml", "placement"):
        history = catalogue.histories[entry["framework"]]
        low = history.rank(entry["release"])
        if "before" in entry and history.rank(entry["before"]) <= low:
            wrong.append(entry["label"])
    assert wrong == []


def test_every_placement_has_a_date_or_a_closed_bracket() -> None:
    for entry in toml_entries("placements.toml", "placement"):
        assert entry["placed"] in PLACED, entry
        assert entry["placed"] != "between" or "before" in entry, entry
        assert ("date" in entry) != ("date_from" in entry), entry
        assert ("date_from" in entry) == ("date_to" in entry), entry
        if "date_from" in entry:
            assert entry["date_from"] <= entry["date_to"] <= READ_ON, entry


def test_a_bracketed_placement_reaches_from_its_release_to_the_one_before_which_it_stands(
    catalogue: Catalogue,
) -> None:
    outside = []
    for entry in toml_entries("placements.toml", "placement"):
        if "date_from" not in entry or entry["release"].startswith("commit-"):
            continue
        history = catalogue.histories[entry["framework"]]
        release = history.find(entry["release"])
        assert release is not None
        if release.released_on > entry["date_from"]:
            outside.append(entry["label"])
        bound = history.find(entry.get("before", ""))
        if bound is not None and bound.released_on < entry["date_from"]:
            outside.append(entry["label"])
    assert outside == []


def test_a_capture_without_a_commit_date_says_how_far_to_trust_it() -> None:
    entries = toml_entries("placements.toml", "placement")
    assert [e["label"] for e in entries if "date" not in e and "trust" not in e] == []


def test_what_may_never_have_been_merged_is_marked() -> None:
    marked = {
        entry["label"]
        for entry in toml_entries("placements.toml", "placement")
        if entry.get("trust") == "pull-request"
    }
    assert marked == {"335107a764", "1690890e3d", "0360df4cd2", "00b6d5a25c"}


def test_every_placement_explains_itself_and_no_label_is_placed_twice() -> None:
    entries = toml_entries("placements.toml", "placement")
    keys = [(entry["framework"], entry["label"]) for entry in entries]
    assert len(keys) == len(set(keys))
    assert [entry["label"] for entry in entries if not entry["how"].endswith(".")] == []


# Maintenance


def test_every_period_is_sound_and_rests_on_dated_evidence() -> None:
    for entry in toml_entries("maintenance.toml", "period"):
        MaintenanceStatus(entry["status"])
        EvidenceKind(entry["evidence_kind"])
        assert entry["start_kind"] in START_KINDS, entry
        assert ("end" in entry) == ("end_kind" in entry), entry
        assert entry["note"].endswith("."), entry
        assert entry["url"] in {item["url"] for item in entry["evidence"]}, entry
        assert all(day_of(item["stated_on"]) <= READ_ON for item in entry["evidence"]), entry


def test_active_is_said_only_with_a_dated_release_commit_or_page() -> None:
    proofs = {"release", "source-code", "documentation"}
    unproven = [
        entry["framework"]
        for entry in toml_entries("maintenance.toml", "period")
        if entry["status"] == "active"
        and not any(item["kind"] in proofs for item in entry["evidence"])
    ]
    assert unproven == []


@pytest.mark.parametrize("framework", ["vllm", "tensorrt-llm", "sglang", "tgi", "llama.cpp"])
def test_each_of_the_five_has_a_status_of_its_own(catalogue: Catalogue, framework: str) -> None:
    whole = [p for p in catalogue.periods if p.framework == framework and not p.component]
    assert MaintenanceStatus.ACTIVE in {period.status for period in whole}


def test_tgi_went_into_maintenance_mode_on_the_day_of_its_notice(catalogue: Catalogue) -> None:
    periods = {p.status: p for p in catalogue.periods if p.framework == "tgi"}
    active = periods[MaintenanceStatus.ACTIVE]
    quiet = periods[MaintenanceStatus.MAINTENANCE_MODE]
    assert quiet.start == active.end == date(2025, 12, 11)
    assert quiet.start_kind == "exact"
    assert quiet.evidence_kind is EvidenceKind.MAINTAINER
    assert quiet.end is None


def test_that_tgi_is_archived_rests_on_a_third_party_alone(catalogue: Catalogue) -> None:
    archived = [
        p
        for p in catalogue.periods
        if p.framework == "tgi" and p.status is MaintenanceStatus.ARCHIVED
    ]
    assert [(p.start, p.strength) for p in archived] == [(date(2026, 3, 21), "third-party")]
    assert archived[0].evidence_kind is EvidenceKind.USER_REPORT


def test_silence_is_reported_and_never_called_an_end() -> None:
    by_silence = [
        entry["status"]
        for entry in toml_entries("maintenance.toml", "period")
        if entry["strength"] == "silence"
    ]
    assert by_silence == ["unknown"]
