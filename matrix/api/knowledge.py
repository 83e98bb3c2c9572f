"""The knowledge as a whole: its revision, what changed in it, and all of it as a file."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from matrix.api import schemas
from matrix.api.base import Endpoint, KnowledgeEndpoint, entity_tag, is_known, mark_cacheable
from matrix.api.pagination import page_of
from matrix.api.renderers import NDJSON_TYPE, LinesOfJSON, SchemaJSON, json_bytes
from matrix.api.tables import one_of
from matrix.asking import MissingParameter, QuestionReader
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.domain.verdict_values import RULESET_VERSION
from matrix.index import Knowledge, current_knowledge
from matrix.queries import Change, Clock, changes_between
from matrix.queries.changes import CHANGE_KINDS_OF_CLOCK
from matrix.queries.dump import DUMP_FORMAT, dump_lines, dump_schema


class Start(Endpoint):
    """The addresses of the interface."""

    @extend_schema(operation_id="start_retrieve", responses=schemas.StartAnswer)
    def get(self, request: Request) -> HttpResponse:
        """All endpoints by name."""
        names = (
            "frameworks", "releases", "backends", "hardware", "models", "quantizations",
            "containers", "features", "aliases", "verdicts", "checks", "stack-checks",
            "memory-estimates", "claims", "claim-imports", "changes", "maintenance-periods",
            "domestic-accelerators", "hardware-prices", "hardware-price-imports", "dossiers",
            "benchmark-runs", "benchmark-comparisons", "benchmark-series", "freshness",
            "review-items", "webhooks", "dump", "dump-schema", "revision", "schema", "explorer",
        )  # fmt: skip
        paths = {name: reverse(f"api-{name}") for name in names}
        paths["verdicts/batch"] = reverse("api-verdicts-batch")
        return self.answer(request, lambda: {"endpoints": paths}, depends_on=[sorted(paths)])


class Revision(KnowledgeEndpoint):
    """The number that every write of knowledge raises."""

    @extend_schema(operation_id="revision_retrieve", responses=schemas.RevisionAnswer)
    def get(self, request: Request) -> HttpResponse:
        """The knowledge revision, the rule set and how many claims answer."""

        def build(knowledge: Knowledge, reader: QuestionReader) -> dict[str, Any]:
            return {
                "revision": knowledge.revision,
                "ruleset": RULESET_VERSION,
                "claims_count": knowledge.index.claim_count,
                "today": reader.today.isoformat(),
            }

        return self.knowledge_answer(request, build)


class Changes(KnowledgeEndpoint):
    """What changed between two dates."""

    accepted = ("from", "to", "framework", "clock", "change")
    paged = True

    @extend_schema(
        operation_id="changes_list",
        parameters=schemas.CHANGE_PARAMETERS,
        responses=schemas.paged("ChangePage", schemas.ChangeItem, dated=True),
    )
    def get(self, request: Request) -> HttpResponse:
        """Changes after ``from`` up to and with ``to``, newest first."""
        return self.knowledge_answer(request, lambda k, reader: _changes(request, k, reader))


def _changes(request: Request, knowledge: Knowledge, reader: QuestionReader) -> dict[str, Any]:
    words = request.query_params
    start = reader.read_day("from", words.get("from"))
    if start is None:
        raise MissingParameter(name="from", accepted=Phrase("a day as YYYY-MM-DD"))
    end = reader.read_day("to", words.get("to")) or reader.today
    if end < start:
        raise InvalidValue(
            name="to", value=end.isoformat(), accepted=Phrase("a day from {start} on", start=start)
        )
    clock = Clock(one_of("clock", [c.value for c in Clock], words.get("clock") or "valid"))
    kind = words.get("change")
    if kind:
        one_of("change", [k.value for k in CHANGE_KINDS_OF_CLOCK[clock]], kind)
    framework = words.get("framework")
    found = changes_between(
        start,
        end,
        revision=knowledge.revision,
        clock=clock,
        framework=reader.resolve("framework", framework) if framework else None,
    )
    if kind:
        found = tuple(change for change in found if change.kind == kind)
    page = page_of(request, found, keys=[f"{c.uid} {c.kind}" for c in found])
    return {
        "from": start.isoformat(),
        "to": end.isoformat(),
        "clock": clock.value,
        "revision": knowledge.revision,
        "count": len(found),
        "next": page.next,
        "previous": page.previous,
        "results": [change_plain(change) for change in page.items],
    }


def change_plain(change: Change) -> dict[str, Any]:
    """One change."""
    return {
        "change": change.kind.value,
        "on": change.on.isoformat(),
        "framework": change.framework,
        "release": change.release,
        "source": change.source,
        "statement": change.statement,
        "level": change.level.value,
        "evidence_kind": change.evidence_kind.value,
        "level_before": change.level_before.value if change.level_before else None,
        "claim": change.uid,
        "claim_before": change.before_uid or None,
        "note": change.note,
        "reason": change.reason or None,
    }


class Dump(Endpoint):
    """The whole knowledge as lines of JSON."""

    renderer_classes = [LinesOfJSON]

    @extend_schema(operation_id="dump_retrieve", responses={(200, NDJSON_TYPE): schemas.DumpLine})
    def get(self, request: Request) -> HttpResponse | StreamingHttpResponse:
        """All lines, a header first and an end line last; see ``dump/schema/``."""
        knowledge = current_knowledge()
        tag = entity_tag([request.path, DUMP_FORMAT, knowledge.revision])
        if is_known(request, tag):
            return mark_cacheable(HttpResponse(status=304), tag)

        def lines() -> Iterator[bytes]:
            for line in dump_lines(knowledge.catalogue, revision=knowledge.revision):
                yield json_bytes(line) + b"\n"

        response = StreamingHttpResponse(lines(), content_type=NDJSON_TYPE)
        name = f"runproof-{knowledge.revision}.jsonl"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return mark_cacheable(response, tag)


class DumpSchema(Endpoint):
    """The JSON Schema of a dump's lines."""

    renderer_classes = [SchemaJSON]

    @extend_schema(
        operation_id="dump_schema_retrieve",
        responses={(200, "application/schema+json"): schemas.JSONSchemaAnswer},
    )
    def get(self, request: Request) -> HttpResponse:
        """The schema, in the 2020-12 dialect."""
        return self.answer(
            request,
            dump_schema,
            depends_on=[DUMP_FORMAT],
            content_type="application/schema+json",
        )
