"""The shipped claims: one sorted JSONL file of documents and one of claims per framework.

A claim's observations repeat most of their locator from release to release, so a claim line holds
the locator of its newest observation once and each observation only what differs.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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

SHOWN_PROBLEMS = 50
# A document key of another form than "framework:…" is written whole behind this sign.
_WHOLE_KEY = "="
_DOCUMENT_KEYS = frozenset(
    {"key", "url", "version", "commit", "path", "title", "sha256", "stated_on", "retrieved_at"}
)
_CLAIM_KEYS = frozenset({
    "uid", "source", "statement", "scope", "level", "kind", "first", "first_kind", "last",
    "execution", "tier", "outcome", "limit", "note", "after", "gone", "gone_on", "open_ended",
    "reference", "parser", "conditions", "at", "seen", "recorded_at",
})  # fmt: skip


class BrokenClaimFile(ValueError):
    """Shipped lines that cannot be read: ``problems`` names each file, line and what is wrong."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        shown = "\n".join(self.problems[:SHOWN_PROBLEMS])
        super().__init__(f"{len(self.problems)} lines of claims cannot be read:\n{shown}")


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
        found = sorted((_in_order(claim) for claim in found), key=_claim_order)
        _write(folder / "claims" / f"{framework}.jsonl", [_claim_line(c) for c in found])
    return {framework: len(found) for framework, found in sorted(by_framework.items())}


def _in_order(claim: Claim) -> Claim:
    """The claim with its observations by date, so that the same claims give the same bytes."""
    ordered = sorted(claim.observations, key=lambda o: (o.stated_on, o.release, o.document.key))
    return replace(claim, observations=tuple(ordered))


def _claim_order(claim: Claim) -> tuple[str, str, date, str]:
    return (claim.source, claim.statement, claim.observations[0].stated_on, claim.uid)


def _short_key(key: str, framework: str) -> str:
    prefix = f"{framework}:"
    return key.removeprefix(prefix) if key.startswith(prefix) else _WHOLE_KEY + key


def _whole_key(key: str, framework: str) -> str:
    return key.removeprefix(_WHOLE_KEY) if key.startswith(_WHOLE_KEY) else f"{framework}:{key}"


def _write(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Writes a file beside the old one and then takes its place, so that none is ever half."""
    text = "".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines
    )
    draft = path.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def _document_line(document: Document, framework: str) -> dict[str, Any]:
    line = {
        "key": _short_key(document.key, framework),
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
    seen: dict[str, Any] = {"in": _short_key(observation.document.key, framework)}
    if observation.release != observation.document.version:
        seen["release"] = observation.release
    if observation.stated_on != observation.document.stated_on:
        seen["on"] = observation.stated_on.isoformat()
    if observation.raw:
        seen["raw"] = observation.raw
    return seen | differing | ({"without": dropped} if dropped else {})


def read_claims(folder: Path) -> list[Claim]:
    """All shipped claims with their evidence.

    **Raises**: ``BrokenClaimFile`` listing every line that cannot be read.
    """
    claims: list[Claim] = []
    problems: list[str] = []
    uids: dict[str, str] = {}
    for path in sorted((folder / "claims").glob("*.jsonl")):
        documents = _read_documents(folder / "documents" / path.name, path.stem, problems)
        for where, line in _lines(path, problems):
            try:
                claim = _claim(line, path.stem, documents)
            except (KeyError, ValueError, TypeError, AttributeError) as error:
                problems.append(f"{where}: {_reason(error)}")
                continue
            if first := uids.get(claim.uid):
                problems.append(f"{where}: the identifier {claim.uid!r} stands in {first} already")
            uids.setdefault(claim.uid, where)
            claims.append(claim)
    if problems:
        raise BrokenClaimFile(problems)
    return claims


def _reason(error: Exception) -> str:
    return f"lacks {error}" if isinstance(error, KeyError) else str(error)


def _lines(path: Path, problems: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each readable line with its place; the others are added to the problems."""
    place = f"{path.parent.name}/{path.name}"
    try:
        # Not splitlines(): a text may hold the other characters that it would break at.
        texts = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        problems.append(f"{place}: cannot be read: {error}")
        return
    for number, text in enumerate(texts, 1):
        where = f"{place}, line {number}"
        if not text:
            continue
        try:
            line = json.loads(text)
        except ValueError as error:
            problems.append(f"{where}: {error}")
            continue
        if isinstance(line, dict):
            yield where, line
        else:
            problems.append(f"{where}: is {text[:40]!r}; accepted: a JSON object")


def _read_documents(path: Path, framework: str, problems: list[str]) -> dict[str, Document]:
    documents: dict[str, Document] = {}
    for where, line in _lines(path, problems):
        try:
            document = _document(line, framework)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            problems.append(f"{where}: {_reason(error)}")
        else:
            documents[document.key] = document
    return documents


def _refuse_unknown(line: Mapping[str, Any], accepted: frozenset[str]) -> None:
    if unknown := sorted(set(line) - accepted):
        raise ValueError(f"holds {unknown}; accepted: {', '.join(sorted(accepted))}")


def _document(line: Mapping[str, Any], framework: str) -> Document:
    _refuse_unknown(line, _DOCUMENT_KEYS)
    return Document(
        key=_whole_key(line["key"], framework),
        url=line.get("url", ""),
        version=line.get("version", ""),
        commit=line.get("commit", ""),
        path=line.get("path", ""),
        title=line.get("title", ""),
        sha256=line.get("sha256", ""),
        stated_on=_day(line.get("stated_on")),
        retrieved_at=_moment(line.get("retrieved_at")),
    )


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None


def _claim(line: dict[str, Any], framework: str, documents: Mapping[str, Document]) -> Claim:
    _refuse_unknown(line, _CLAIM_KEYS)
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
    key = _whole_key(seen["in"], framework)
    if key not in documents:
        raise ValueError(f"names the document {seen['in']!r}, which is not listed")
    document = documents[key]
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
