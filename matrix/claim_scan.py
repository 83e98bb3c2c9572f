"""Reads all claims with their evidence in one pass over two tables.

The index is built from hundreds of thousands of rows, so this reads plain tuples instead of model
instances, and values that repeat (scopes, conditions, locators, documents, days) are made once.
"""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, TypeVar

from django.db import connection

from matrix.domain import codec
from matrix.domain.claims import Claim, Document, Locator, Observation, Validity
from matrix.domain.coordinates import Condition, Scope
from matrix.domain.levels import (
    EndpointKind,
    EvidenceKind,
    Execution,
    Limit,
    Outcome,
    SupportLevel,
    Tier,
)

# jsonb is written out in one way, so equal texts are equal values and need reading only once.
_CLAIMS_SQL = """
    SELECT id, uid, framework_id, source, statement, scope::text, level, kind,
        first, last, first_kind, after, gone, gone_on, open_ended,
        execution, tier, outcome, "limit", note, conditions::text, reference, parser,
        recorded_at, superseded_at, withdrawn_at
    FROM matrix_claim ORDER BY id
"""
_OBSERVATIONS_SQL = """
    SELECT claim_id, document_id, locator::text, release, stated_on, raw
    FROM matrix_observation ORDER BY claim_id, id
"""
_CHUNK_ROWS = 5_000
_Row = tuple[Any, ...]
_Value = TypeVar("_Value")

_LEVELS = {item.value: item for item in SupportLevel}
_KINDS = {item.value: item for item in EvidenceKind}
_FIRST_KINDS = {item.value: item for item in EndpointKind}
_EXECUTIONS = {item.value: item for item in Execution}
_TIERS = {item.value: item for item in Tier}
_OUTCOMES = {item.value: item for item in Outcome}
_LIMITS: dict[str, Limit | None] = {"": None, **{item.value: item for item in Limit}}


class _Shared(dict[str, _Value]):
    """Values by their JSON text, each read when it is first asked for."""

    def __init__(self, read: Callable[[Any], _Value]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, text: str) -> _Value:
        value = self[text] = self._read(json.loads(text))
        return value


def scan_claims(
    frameworks: Mapping[int, str], documents: Mapping[int, Document]
) -> Iterator[Claim]:
    """All claims with their observations in the order of their rows.

    **Shapes**: ``frameworks`` and ``documents`` are keyed by the rows' primary keys.
    **Queries**: 2, read in chunks.
    """
    scopes: _Shared[Scope] = _Shared(codec.scope_from_plain)
    conditions: _Shared[tuple[Condition, ...]] = _Shared(codec.conditions_from_plain)
    with connection.chunked_cursor() as claims, connection.chunked_cursor() as seen:
        seen.execute(_OBSERVATIONS_SQL)
        claims.execute(_CLAIMS_SQL)
        groups = _observations_of_claims(_rows(seen), documents)
        key, observations = next(groups, _NO_MORE)
        for row in _rows(claims):
            while key is not None and key < row[0]:
                key, observations = next(groups, _NO_MORE)
            found = observations if key == row[0] else ()
            yield _claim(row, frameworks[row[2]], scopes[row[5]], conditions[row[20]], found)


_Group = tuple[int | None, tuple[Observation, ...]]
_NO_MORE: _Group = (None, ())


def _rows(cursor: Any) -> Iterator[_Row]:
    while rows := cursor.fetchmany(_CHUNK_ROWS):
        yield from rows


def _observations_of_claims(
    rows: Iterable[_Row], documents: Mapping[int, Document]
) -> Iterator[_Group]:
    """The key of each claim with its observations, in order."""
    locators: _Shared[Locator] = _Shared(codec.locator_from_plain)
    days: dict[date, date] = {}
    words: dict[str, str] = {}
    for key, group in itertools.groupby(rows, key=lambda row: row[0]):
        observations = [
            Observation(
                document=documents[document],
                locator=locators[locator],
                release=words.setdefault(release, release),
                stated_on=days.setdefault(stated_on, stated_on),
                raw=words.setdefault(raw, raw),
            )
            for _, document, locator, release, stated_on, raw in group
        ]
        yield key, tuple(observations)


def _claim(
    row: _Row,
    framework: str,
    scope: Scope,
    conditions: tuple[Condition, ...],
    observations: tuple[Observation, ...],
) -> Claim:
    first, last, first_kind, after, gone, gone_on, open_ended = row[8:15]
    execution, tier, outcome, limit, note = row[15:20]
    reference, parser, recorded_at, superseded_at, withdrawn_at = row[21:26]
    return Claim(
        uid=row[1],
        framework=framework,
        source=row[3],
        statement=row[4],
        scope=scope,
        level=_LEVELS[row[6]],
        kind=_KINDS[row[7]],
        validity=Validity(
            first=first,
            last=last,
            first_kind=_FIRST_KINDS[first_kind],
            after=after,
            gone=gone,
            gone_on=gone_on,
            open_ended=open_ended,
        ),
        observations=observations,
        execution=_EXECUTIONS[execution],
        tier=_TIERS[tier],
        outcome=_OUTCOMES[outcome],
        limit=_LIMITS[limit],
        note=note,
        conditions=conditions,
        reference=reference,
        parser=parser,
        recorded_at=recorded_at,
        superseded_at=superseded_at,
        withdrawn_at=withdrawn_at,
    )
