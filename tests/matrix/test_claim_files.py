"""The shipped claim files: written and read back without loss, sorted, and strict when read."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from matrix.claim_files import BrokenClaimFile, read_claims, write_claims
from matrix.domain.claims import Claim, Document, Locator
from matrix.domain.coordinates import Condition, NumberRange
from matrix.domain.levels import (
    ConditionKind,
    EndpointKind,
    EvidenceKind,
    Execution,
    Limit,
    NumberAxis,
    Outcome,
    Tier,
)
from tests.builders import claim, released_on, scope

AWQ = scope(quantization="awq", hardware="nvidia-turing")


def with_locators(held: Claim, *locators: Locator) -> Claim:
    pairs = zip(held.observations, locators, strict=True)
    return replace(held, observations=tuple(replace(o, locator=at) for o, at in pairs))


def rich_claim() -> Claim:
    """A claim that says something in every field that is shipped."""
    built = claim(
        "partial",
        about=scope(
            hardware="nvidia",
            features=["lora"],
            numbers={NumberAxis.TENSOR_PARALLEL: NumberRange(minimum=2)},
        ),
        seen=["0.4.0", "0.6.0"],
        kind=EvidenceKind.MAINTAINER,
        uid="rich",
        note="only with one adapter – “measured”",
        conditions=[Condition(kind=ConditionKind.FLAG, name="--flag", op="=", value="a")],
        gone="0.8.0",
        execution=Execution.WEIGHT_ONLY,
        tier=Tier.EXPERIMENTAL,
        outcome=Outcome.STARTS,
        limit=Limit.FRAMEWORK,
        reference="benchmarks:run:1",
        parser="test/1",
    )
    validity = replace(
        built.validity, first_kind=EndpointKind.BETWEEN, after="0.3.0", open_ended=True
    )
    document = Document(
        key="vllm:0.6.0:docs/rich.md",
        url="https://example.org/0.6.0/rich.md",
        version="0.6.0",
        commit="abc",
        path="docs/rich.md",
        sha256="0" * 64,
        stated_on=released_on("0.6.0"),
        retrieved_at=datetime(2025, 9, 1, 12, 30, tzinfo=UTC),
        title="Page",
    )
    first, last = built.observations
    later = replace(last, document=document, raw="✅\u2028︎")
    return replace(built, validity=validity, observations=(first, later))


SHIPPED = [
    rich_claim(),
    claim("supported", about=AWQ, seen=["0.4.0", "0.5.0", "0.6.0"], uid="plain"),
    claim("unsupported", about=AWQ, framework="sglang", uid="other"),
    with_locators(
        claim("supported", about=AWQ, seen=["0.3.0", "0.4.0", "0.5.0"], uid="moved"),
        Locator(heading=("Hardware",), row="AWQ", column="Turing", line=7, table=1),
        Locator(row="AWQ", line=9, line_end=11),
        Locator(heading=("Page", "Hardware"), row="AWQ", column="7.5", line=7, tabs=("CUDA",)),
    ),
    with_locators(
        claim("supported", about=AWQ, seen=["0.3.0", "0.4.0"], uid="key"),
        Locator(path=("a", "b")),
        Locator(),
    ),
]


def read_all(folder: Path) -> dict[str, Claim]:
    return {held.uid: held for held in read_claims(folder)}


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_is_written_is_read_back_without_loss(tmp_path: Path) -> None:
    counts = write_claims(tmp_path, SHIPPED)
    assert counts == {"sglang": 1, "vllm": 4}
    assert read_all(tmp_path) == {held.uid: held for held in SHIPPED}


def test_a_second_write_gives_the_same_bytes_whatever_the_order(tmp_path: Path) -> None:
    write_claims(tmp_path, SHIPPED)
    first = bytes_of(tmp_path)
    backwards = [replace(c, observations=c.observations[::-1]) for c in SHIPPED[::-1]]
    write_claims(tmp_path, backwards)
    assert bytes_of(tmp_path) == first
    write_claims(tmp_path, read_claims(tmp_path))
    assert bytes_of(tmp_path) == first
    assert len(first) == 4


def test_claims_stand_by_source_statement_and_date(tmp_path: Path) -> None:
    early, late = (
        claim("supported", about=AWQ, seen=[version], uid=uid)
        for version, uid in (("0.3.0", "z"), ("0.5.0", "a"))
    )
    other = replace(late, uid="b", source="aaa:rule")
    write_claims(tmp_path, [late, early, other])
    assert list(read_all(tmp_path)) == ["b", "z", "a"]


def test_a_framework_without_claims_loses_its_files(tmp_path: Path) -> None:
    write_claims(tmp_path, SHIPPED)
    write_claims(tmp_path, [c for c in SHIPPED if c.framework == "vllm"])
    assert sorted(bytes_of(tmp_path)) == ["claims/vllm.jsonl", "documents/vllm.jsonl"]


def test_a_document_key_of_another_form_survives(tmp_path: Path) -> None:
    held = SHIPPED[1]
    seen = replace(
        held.observations[0], document=replace(held.observations[0].document, key="manual:1")
    )
    manual = replace(held, observations=(seen,))
    write_claims(tmp_path, [manual])
    assert read_claims(tmp_path) == [manual]


def test_an_observation_of_a_part_of_a_release_keeps_its_own_release_and_date(
    tmp_path: Path,
) -> None:
    held = SHIPPED[1]
    seen = replace(held.observations[0], release="0.3.0", stated_on=released_on("0.3.0"))
    note = replace(held, observations=(seen,))
    write_claims(tmp_path, [note])
    assert read_claims(tmp_path) == [note]


def edit_line(folder: Path, part: str, number: int, **changes: Any) -> None:
    """Changes or, with ``None``, removes keys of one written line (from 1)."""
    path = folder / part / "vllm.jsonl"
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    entry = json.loads(lines[number - 1])
    for key, value in changes.items():
        if value is None:
            del entry[key]
        else:
            entry[key] = value
    lines[number - 1] = json.dumps(entry)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"level": "maybe"}, "'maybe' is not a valid SupportLevel"),
        ({"kind": "rumour"}, "'rumour' is not a valid EvidenceKind"),
        ({"first_kind": "about"}, "'about' is not a valid EndpointKind"),
        ({"uid": None}, "lacks 'uid'"),
        ({"scope": {"hardwear": {}}}, "the scope names 'hardwear'"),
        ({"scope": ["nvidia"]}, "accepted: axes with their nodes"),
        ({"teir": "official"}, "holds ['teir']"),
        ({"seen": [{"in": "0.9.9:docs/page.md"}]}, "'0.9.9:docs/page.md', which is not listed"),
        ({"seen": [{}]}, "lacks 'in'"),
        ({"seen": 1}, "not iterable"),
        ({"gone_on": "soon"}, "Invalid isoformat"),
        ({"conditions": [{"kind": "flag"}]}, "accepted: an object with a name"),
    ],
)
def test_a_broken_claim_is_refused_with_its_place(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    write_claims(tmp_path, [SHIPPED[1]])
    edit_line(tmp_path, "claims", 1, **changes)
    with pytest.raises(BrokenClaimFile) as caught:
        read_claims(tmp_path)
    (problem,) = caught.value.problems
    assert problem.startswith("claims/vllm.jsonl, line 1: ")
    assert said in problem


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"stated_on": "2025-13-01"}, "month"),
        ({"key": None}, "lacks 'key'"),
        ({"hash": "x"}, "holds"),
    ],
)
def test_a_broken_document_is_refused_with_its_place(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    write_claims(tmp_path, [SHIPPED[1]])
    edit_line(tmp_path, "documents", 2, **changes)
    with pytest.raises(BrokenClaimFile) as caught:
        read_claims(tmp_path)
    assert caught.value.problems[0].startswith("documents/vllm.jsonl, line 2: ")
    assert said in caught.value.problems[0]


def test_all_broken_lines_of_all_files_are_listed(tmp_path: Path) -> None:
    write_claims(tmp_path, SHIPPED)
    edit_line(tmp_path, "claims", 1, level="maybe")
    edit_line(tmp_path, "claims", 3, kind="rumour")
    (tmp_path / "claims" / "sglang.jsonl").write_text("{\n[]\n", encoding="utf-8")
    with pytest.raises(BrokenClaimFile) as caught:
        read_claims(tmp_path)
    places = [problem.partition(": ")[0] for problem in caught.value.problems]
    assert places == [
        "claims/sglang.jsonl, line 1",
        "claims/sglang.jsonl, line 2",
        "claims/vllm.jsonl, line 1",
        "claims/vllm.jsonl, line 3",
    ]
    assert all(problem in str(caught.value) for problem in caught.value.problems)


def test_two_claims_of_one_identifier_are_refused(tmp_path: Path) -> None:
    write_claims(tmp_path, [SHIPPED[1], replace(SHIPPED[1], source="test:second")])
    with pytest.raises(BrokenClaimFile, match=r"'plain' stands in claims/vllm\.jsonl, line 1"):
        read_claims(tmp_path)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_is_missing_or_no_text_is_named(tmp_path: Path, content: bytes | None) -> None:
    write_claims(tmp_path, [SHIPPED[1]])
    path = tmp_path / "documents" / "vllm.jsonl"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(BrokenClaimFile, match=r"documents/vllm\.jsonl: cannot be read"):
        read_claims(tmp_path)
