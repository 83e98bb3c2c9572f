"""The shipped claims: one sorted JSONL file of documents and one of claims per framework.

A claim's observations repeat most of their locator from release to release, so a claim line holds
the locator of its newest observation once and each observation only what differs.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from matrix.domain import codec
from matrix.domain.claims import Claim, Document, Observation, Validity
from matrix.domain.levels import (
    EndpointKind,
    EvidenceKind,
    Execution,
    Limit,
    Outcome,
    SupportLevel,
    Tier,
)


class BrokenClaimFile(ValueError):
    """A shipped line that cannot be read: names the file, the line and what is wrong."""


def write_claims(folder: Path, claims: Iterable[Claim]) -> dict[str, int]:
    """Writes ``documents/`` and ``claims/`` below the folder; returns claims per framework."""
    by_framework: dict[str, list[Claim]] = {}
    for claim in claims:
        by_framework.setdefault(claim.framework, []).append(claim)
    for name in ("documents", "claims"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for old in (folder / name).glob("*.jsonl"):
            if old.stem not in by_framework:
                old.unlink()
    for framework, found in by_framework.items():
        documents = {o.document.key: o.document for c in found for o in c.observations}
        lines = [_document_line(documents[key], framework) for key in sorted(documents)]
        _write(folder / "documents" / f"{framework}.jsonl", lines)
        found.sort(key=lambda c: (c.source, c.statement, c.observations[0].stated_on, c.uid))
        _write(folder / "claims" / f"{framework}.jsonl", [_claim_line(c) for c in found])
    return {framework: len(found) for framework, found in sorted(by_framework.items())}


def _write(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    text = "".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines
    )
    path.write_text(text, encoding="utf-8")


def _document_line(document: Document, framework: str) -> dict[str, Any]:
    line = {
        "key": document.key.removeprefix(f"{framework}:"),
        "url": document.url,
        "version": document.version,
        "commit": document.commit,
        "path": document.path,
        "title": document.title,
        "sha256": document.sha256,
        "stated_on": document.stated_on.isoformat() if document.stated_on else "",
        "retrieved_at": document.retrieved_at.isoformat() if document.retrieved_at else "",
    }
    return {key: value for key, value in line.items() if value}


def _claim_line(claim: Claim) -> dict[str, Any]:
    line = codec.claim_to_plain(claim)
    del line["framework"]
    common = codec.locator_to_plain(claim.observations[-1].locator)
    common.pop("line", None)
    line["at"] = common
    line["seen"] = [_seen(o, common, claim.framework) for o in claim.observations]
    if claim.recorded_at:
        line["recorded_at"] = claim.recorded_at.isoformat()
    return line


def _seen(observation: Observation, common: Mapping[str, Any], framework: str) -> dict[str, Any]:
    locator = codec.locator_to_plain(observation.locator)
    differing = {key: value for key, value in locator.items() if common.get(key) != value}
    dropped = [key for key in common if key not in locator]
    seen: dict[str, Any] = {"in": observation.document.key.removeprefix(f"{framework}:")}
    if observation.release != observation.document.version:
        seen["release"] = observation.release
    if observation.stated_on != observation.document.stated_on:
        seen["on"] = observation.stated_on.isoformat()
    if observation.raw:
        seen["raw"] = observation.raw
    return seen | differing | ({"without": dropped} if dropped else {})


def read_claims(folder: Path) -> Iterator[Claim]:
    """All shipped claims with their evidence.

    **Raises**: ``BrokenClaimFile``.
    """
    for path in sorted((folder / "claims").glob("*.jsonl")):
        documents = {
            document.key: document
            for document in _read_documents(folder / "documents" / path.name, path.stem)
        }
        for number, line in _lines(path):
            try:
                yield _claim(line, path.stem, documents)
            except (KeyError, ValueError, TypeError, IndexError) as error:
                raise BrokenClaimFile(f"{path.name}, line {number}: {error!r}") from error


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for number, text in enumerate(lines, 1):
            try:
                yield number, json.loads(text)
            except ValueError as error:
                raise BrokenClaimFile(f"{path.name}, line {number}: {error}") from error


def _read_documents(path: Path, framework: str) -> Iterator[Document]:
    for number, line in _lines(path):
        try:
            yield Document(
                key=f"{framework}:{line['key']}",
                url=line.get("url", ""),
                version=line.get("version", ""),
                commit=line.get("commit", ""),
                path=line.get("path", ""),
                title=line.get("title", ""),
                sha256=line.get("sha256", ""),
                stated_on=_day(line.get("stated_on")),
                retrieved_at=_moment(line.get("retrieved_at")),
            )
        except (KeyError, ValueError, TypeError) as error:
            raise BrokenClaimFile(f"{path.name}, line {number}: {error!r}") from error


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None


def _claim(line: dict[str, Any], framework: str, documents: Mapping[str, Document]) -> Claim:
    common = line.get("at", {})
    return Claim(
        uid=line["uid"],
        framework=framework,
        source=line["source"],
        statement=line["statement"],
        scope=codec.scope_from_plain(line["scope"]),
        level=SupportLevel(line["level"]),
        kind=EvidenceKind(line["kind"]),
        validity=Validity(
            first=line["first"],
            last=line["last"],
            first_kind=EndpointKind(line.get("first_kind", "exact")),
            after=line.get("after", ""),
            gone=line.get("gone", ""),
            gone_on=_day(line.get("gone_on")),
            open_ended=line.get("open_ended", False),
        ),
        observations=tuple(_observation(seen, common, framework, documents)
                           for seen in line["seen"]),
        execution=Execution(line.get("execution", "unstated")),
        tier=Tier(line.get("tier", "official")),
        outcome=Outcome(line.get("outcome", "unstated")),
        limit=Limit(line["limit"]) if line.get("limit") else None,
        note=line.get("note", ""),
        conditions=codec.conditions_from_plain(line.get("conditions", ())),
        reference=line.get("reference", ""),
        parser=line.get("parser", ""),
        recorded_at=_moment(line.get("recorded_at")),
    )  # fmt: skip


def _observation(
    seen: dict[str, Any],
    common: Mapping[str, Any],
    framework: str,
    documents: Mapping[str, Document],
) -> Observation:
    document = documents[f"{framework}:{seen['in']}"]
    without = set(seen.get("without", ()))
    locator = {key: value for key, value in common.items() if key not in without} | seen
    stated_on = _day(seen.get("on")) or document.stated_on
    if stated_on is None:
        raise ValueError(f"the observation in {seen['in']!r} has no date")
    return Observation(
        document=document,
        locator=codec.locator_from_plain(locator),
        release=seen.get("release", document.version),
        stated_on=stated_on,
        raw=seen.get("raw", ""),
    )
