"""The whole knowledge as lines of JSON, and the schema of these lines."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from matrix.domain import codec
from matrix.domain.catalogue import NODE_AREAS, Catalogue
from matrix.domain.claims import Claim, Document, Observation
from matrix.domain.verdict_values import RULESET_VERSION
from matrix.index import current_revision, stored_claims
from matrix.queries.catalogue import node_plain, source_plain
from matrix.queries.maintenance import period_plain

Plain = dict[str, Any]
DUMP_FORMAT = "runproof-dump/1"


def dump_lines(catalogue: Catalogue, *, revision: int) -> Iterator[Plain]:
    """Header, sources, nodes, words, releases, maintenance periods, claims with their documents,
    and an end line by which a reader knows that nothing is missing.

    A document stands before the first claim that rests on it.
    """
    yield {"type": "header", "format": DUMP_FORMAT, "revision": revision,
           "ruleset": RULESET_VERSION}  # fmt: skip
    count = 1
    for line in _body(catalogue):
        count += 1
        yield line
    # A write during a long download may have added claims that the header's revision lacks.
    yield {
        "type": "end",
        "lines": count + 1,
        "revision": revision,
        "changed_meanwhile": current_revision() != revision,
    }


def _body(catalogue: Catalogue) -> Iterator[Plain]:
    for key in catalogue.sources:
        yield {"type": "source", **source_plain(catalogue, key)}
    for area in NODE_AREAS:
        for node in catalogue.area(area).values():
            plain = node_plain(catalogue, node)
            plain["sources"] = list(node.sources)
            yield {"type": "node", **plain}
        for covers_all, words in ((True, catalogue.splits), (False, catalogue.ambiguous)):
            for name, nodes in words.get(area, {}).items():
                yield {"type": "word", "area": area, "name": name, "nodes": list(nodes),
                       "covers_all": covers_all}  # fmt: skip
    for slug, releases in catalogue.releases.items():
        upstream = catalogue.upstreams.get(slug, {})
        for release in releases:
            yield {
                "type": "release",
                "framework": slug,
                "version": release.version,
                "released_at": _moment(release.released_at),
                "line": release.line,
                "commit": release.commit,
                "tag": release.tag,
                "yanked": release.yanked,
                "upstream_version": upstream.get(release.version),
            }
    for period in catalogue.periods:
        yield {"type": "maintenance-period", **period_plain(period)}
    yield from _claims()


def _claims() -> Iterator[Plain]:
    written: set[str] = set()
    for claim in stored_claims():
        for observation in claim.observations:
            document = observation.document
            if document.key not in written:
                written.add(document.key)
                yield _document_line(document)
        yield _claim_line(claim)


def _document_line(document: Document) -> Plain:
    return {
        "type": "document",
        "key": document.key,
        "url": document.url,
        "title": document.title,
        "version": document.version,
        "commit": document.commit,
        "path": document.path,
        "sha256": document.sha256,
        "stated_on": document.stated_on.isoformat() if document.stated_on else None,
        "retrieved_at": _moment(document.retrieved_at),
    }


def _claim_line(claim: Claim) -> Plain:
    return {
        "type": "claim",
        **codec.claim_to_plain(claim),
        "recorded_at": _moment(claim.recorded_at),
        "superseded_at": _moment(claim.superseded_at),
        "withdrawn_at": _moment(claim.withdrawn_at),
        "observations": [_observation(o) for o in claim.observations],
    }


def _observation(observation: Observation) -> Plain:
    return {
        "document": observation.document.key,
        "release": observation.release,
        "stated_on": observation.stated_on.isoformat(),
        "locator": codec.locator_to_plain(observation.locator),
        "raw": observation.raw,
    }


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None


_TEXT = {"type": "string"}
_MAYBE_TEXT = {"type": ["string", "null"]}
_TEXTS = {"type": "array", "items": _TEXT}
_DAY = {"type": ["string", "null"], "format": "date"}
_TIME = {"type": ["string", "null"], "format": "date-time"}
_WHOLE = {"type": "integer", "minimum": 0}
_OBJECT = {"type": "object"}

# The fields of each line type that every line of it has.
_LINES: dict[str, Plain] = {
    "header": {"format": {"const": DUMP_FORMAT}, "revision": _WHOLE, "ruleset": _TEXT},
    "source": {"key": _TEXT, "title": _MAYBE_TEXT, "url": _MAYBE_TEXT, "read_on": _DAY},
    "node": {
        "area": {"enum": list(NODE_AREAS)}, "slug": _TEXT, "name": _TEXT, "kind": _TEXT,
        "parent": _MAYBE_TEXT, "aliases": _TEXTS, "former_names": _TEXTS, "facts": _OBJECT,
        "sources": _TEXTS,
    },
    "word": {
        "area": _TEXT, "name": _TEXT, "nodes": _TEXTS, "covers_all": {"type": "boolean"},
    },
    "release": {
        "framework": _TEXT, "version": _TEXT, "released_at": _TIME, "line": _TEXT,
        "commit": _MAYBE_TEXT, "tag": _MAYBE_TEXT, "yanked": {"type": "boolean"},
        "upstream_version": _MAYBE_TEXT,
    },
    "maintenance-period": {
        "framework": _TEXT, "component": _MAYBE_TEXT, "status": _TEXT, "start_on": _DAY,
        "end_on": _DAY, "evidence": _OBJECT,
    },
    "document": {
        "key": _TEXT, "url": _TEXT, "version": _TEXT, "commit": _TEXT, "sha256": _TEXT,
        "stated_on": _DAY, "retrieved_at": _TIME,
    },
    "claim": {
        "uid": _TEXT, "framework": _TEXT, "source": _TEXT, "statement": _TEXT, "scope": _OBJECT,
        "level": {"enum": ["supported", "partial", "unsupported"]}, "kind": _TEXT,
        "first": _TEXT, "last": _TEXT, "recorded_at": _TIME, "superseded_at": _TIME,
        "withdrawn_at": _TIME,
        "observations": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["document", "release", "stated_on", "locator"],
            },
        },
    },
    "end": {"lines": _WHOLE, "revision": _WHOLE, "changed_meanwhile": {"type": "boolean"}},
}  # fmt: skip


def dump_schema() -> Plain:
    """The JSON Schema that every line of a dump meets."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": DUMP_FORMAT,
        "title": "One line of a Runproof dump",
        "type": "object",
        "required": ["type"],
        "oneOf": [
            {
                "properties": {"type": {"const": kind}, **fields},
                "required": ["type", *fields],
            }
            for kind, fields in _LINES.items()
        ],
    }
