"""Reads a claim that somebody wrote over REST; every problem is collected before anything is."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from matrix.api import schemas
from matrix.asking import FIRST_DAY, QuestionReader
from matrix.domain import codec
from matrix.domain.catalogue import AREA_OF_AXIS, Catalogue
from matrix.domain.claims import Claim, Document, Observation, Validity, problems_of
from matrix.domain.coordinates import Scope
from matrix.domain.errors import InvalidClaim
from matrix.domain.levels import (
    EndpointKind,
    EvidenceKind,
    Execution,
    Limit,
    Outcome,
    SupportLevel,
    Tier,
)

Given = Mapping[str, Any]


def read_claim(payload: Any, reader: QuestionReader, *, actor: str) -> Claim:
    """The claim of a request body, without identifier.

    **Raises**: ``InvalidClaim`` listing every problem.
    """
    form = schemas.ClaimInput(data=payload)
    if not form.is_valid():
        raise InvalidClaim(problems=list(flat_problems(form.errors))[:50])
    given: Given = form.validated_data
    problems: list[str] = []
    scope = _read_scope(given["scope"], reader.catalogue, problems)
    problems += _catalogue_problems(given, reader)
    claim = _build(given, scope, actor=actor)
    problems += problems_of(claim)
    if problems:
        raise InvalidClaim(problems=problems[:50])
    return claim


def flat_problems(errors: Any, *, path: str = "") -> Iterable[str]:
    """One sentence a problem of a nested form."""
    if isinstance(errors, Mapping):
        for name, inner in errors.items():
            yield from flat_problems(inner, path=_step(path, name))
    elif isinstance(errors, list) and any(isinstance(item, Mapping) for item in errors):
        for position, inner in enumerate(errors):
            yield from flat_problems(inner, path=f"{path}[{position}]")
    else:
        for text in errors:
            yield f"{path or 'the claim'}: {str(text).rstrip('.')}"


def _step(path: str, name: Any) -> str:
    """The path to a member or to an item of a list."""
    if name == "non_field_errors":
        return path
    if isinstance(name, int):
        return f"{path}[{name}]"
    return f"{path}.{name}" if path else str(name)


def _read_scope(plain: Any, catalogue: Catalogue, problems: list[str]) -> Scope:
    if not isinstance(plain, dict):
        problems.append("scope is no object of axes")
        return Scope()
    try:
        scope = codec.scope_from_plain(plain)
    except ValueError as error:
        problems.append(str(error)[:300])
        return Scope()
    for axis, nodes in scope.nodes.items():
        area = AREA_OF_AXIS.get(axis)
        known = catalogue.area(area) if area else None
        for slug in sorted(nodes.include | nodes.exclude):
            if known is None:
                problems += _free_word_problems(axis.value, slug)
            elif slug not in known:
                problems.append(_unknown_slug(catalogue, axis.value, str(area), slug))
    problems += [
        _unknown_slug(catalogue, "feature", "feature", slug)
        for slug in sorted(scope.features)
        if slug not in catalogue.area("feature")
    ]
    return scope


def _unknown_slug(catalogue: Catalogue, axis: str, area: str, slug: str) -> str:
    table = catalogue.vocabulary.table(area)
    near = [known for name in table.nearest(slug[:100], limit=3) for known in table.find(name)[:1]]
    hint = f"; nearest: {', '.join(near)}" if near else ""
    return f"scope names the {axis} {slug[:100]!r}, which is no slug of the catalogue{hint}"


def _free_word_problems(axis: str, word: str) -> list[str]:
    if 0 < len(word) <= 80 and word.isprintable() and word == word.strip().lower():
        return []
    return [f"scope names the {axis} {word[:40]!r}; accepted: up to 80 lower-case characters"]


def _catalogue_problems(given: Given, reader: QuestionReader) -> Iterable[str]:
    """Unknown framework or releases, and days that no source can have spoken for."""
    slug = given["framework"]
    history = reader.catalogue.histories.get(slug)
    if history is None:
        known = ", ".join(sorted(reader.catalogue.area("framework"))[:12])
        yield f"framework is {slug!r}; accepted: a slug such as {known}"
        return
    versions = {name: given.get(name, "") for name in ("first", "last", "after", "gone")}
    for position, seen in enumerate(given["observations"]):
        versions[f"observations[{position}].release"] = seen["release"]
    for name, version in versions.items():
        if version and history.find(version) is None:
            near = ", ".join(history.nearest(version))
            yield f"{name} is {version!r}, which is no known release of {slug}; nearest: {near}"
    days = {"gone_on": given.get("gone_on")}
    for position, seen in enumerate(given["observations"]):
        days[f"observations[{position}].stated_on"] = seen["stated_on"]
    for name, day in days.items():
        if day is not None and not FIRST_DAY <= day <= reader.today:
            yield f"{name} is {day}; accepted: a day from {FIRST_DAY} to {reader.today}"


def _build(given: Given, scope: Scope, *, actor: str) -> Claim:
    observations = tuple(_observation(seen) for seen in given["observations"])
    ordered = sorted(observations, key=lambda seen: seen.stated_on)
    limit = given.get("limit")
    return Claim(
        uid="",
        framework=given["framework"],
        source=given["source"],
        statement=given["statement"],
        scope=scope,
        level=SupportLevel(given["level"]),
        kind=EvidenceKind(given["kind"]),
        validity=Validity(
            first=given.get("first") or ordered[0].release,
            last=given.get("last") or ordered[-1].release,
            first_kind=EndpointKind(given["first_kind"]),
            after=given.get("after", ""),
            gone=given.get("gone", ""),
            gone_on=given.get("gone_on"),
            open_ended=given["open_ended"],
        ),
        observations=tuple(ordered),
        execution=Execution(given["execution"]),
        tier=Tier(given["tier"]),
        outcome=Outcome(given["outcome"]),
        limit=Limit(limit) if limit else None,
        note=given["note"],
        conditions=codec.conditions_from_plain(given["conditions"]),
        reference=given["reference"],
        parser=f"person:{actor}"[:120],
    )


def _observation(seen: Given) -> Observation:
    document = seen["document"]
    return Observation(
        document=Document(
            key=_document_key(document, seen),
            url=document["url"],
            version=document["version"],
            commit=document["commit"],
            path=document["path"],
            sha256=document["sha256"],
            stated_on=document.get("stated_on") or seen["stated_on"],
            retrieved_at=document.get("retrieved_at"),
            title=document["title"],
        ),
        locator=codec.locator_from_plain(seen["locator"]),
        release=seen["release"],
        stated_on=seen["stated_on"],
        raw=seen["raw"],
    )


def _document_key(document: Given, seen: Given) -> str:
    """A key of everything that tells one version of a document from another."""
    parts = [document[n] for n in ("url", "version", "commit", "path", "sha256", "title")]
    parts += [str(document.get("retrieved_at") or ""),
              str(document.get("stated_on") or seen["stated_on"])]  # fmt: skip
    return "written:" + hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]
