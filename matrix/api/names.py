"""Names of the catalogue and what they mean."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from matrix.api import schemas
from matrix.api.base import KnowledgeEndpoint
from matrix.api.errors import NoSuchThing
from matrix.api.pagination import page_of
from matrix.api.tables import one_of
from matrix.asking import QuestionReader
from matrix.domain.aliases import normalise_name
from matrix.domain.catalogue import NODE_AREAS
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge
from matrix.queries.catalogue import Meaning, meanings


def meaning_plain(meaning: Meaning) -> dict[str, Any]:
    """One name with the nodes it means."""
    return {"area": meaning.area, "name": meaning.name, "kind": meaning.kind,
            "nodes": list(meaning.nodes)}  # fmt: skip


MEANING_KINDS = ("slug", "name", "same", "moved", "split", "ambiguous")


class AliasList(KnowledgeEndpoint):
    """Every name of the catalogue and what it means."""

    accepted = ("area", "kind", "q")
    paged = True

    @extend_schema(
        operation_id="aliases_list",
        parameters=schemas.ALIAS_PARAMETERS,
        responses=schemas.paged("AliasPage", schemas.Alias),
    )
    def get(self, request: Request) -> HttpResponse:
        """A page of names."""
        words = request.query_params
        area, kind = words.get("area", ""), words.get("kind", "")
        if area:
            one_of("area", NODE_AREAS, area)
        if kind:
            one_of("kind", MEANING_KINDS, kind)
        part = normalise_name(words.get("q", "")[:100])

        def build(knowledge: Knowledge, reader: QuestionReader) -> dict[str, Any]:
            found = {
                f"{m.area}\t{m.kind}\t{m.name}\t{' '.join(m.nodes)}": m
                for m in meanings(knowledge.catalogue)
                if (not area or m.area == area)
                and (not kind or m.kind == kind)
                and (not part or part in normalise_name(m.name))
            }
            page = page_of(request, list(found.values()), keys=list(found))
            return {
                "revision": knowledge.revision,
                "count": len(found),
                "next": page.next,
                "previous": page.previous,
                "results": [meaning_plain(m) for m in page.items],
            }

        return self.knowledge_answer(request, build)


class AliasDetail(KnowledgeEndpoint):
    """What one name means, in every area."""

    @extend_schema(operation_id="aliases_retrieve", responses=schemas.AliasMeanings)
    def get(self, request: Request, name: str) -> HttpResponse:
        """The nodes that the name means, compared as questions compare names."""

        def build(knowledge: Knowledge, reader: QuestionReader) -> dict[str, Any]:
            wanted = normalise_name(name)
            found = [m for m in meanings(knowledge.catalogue) if normalise_name(m.name) == wanted]
            if not found:
                nearest = [
                    near
                    for area in ("framework", "hardware", "quantization", "model", "feature")
                    for near in knowledge.catalogue.vocabulary.table(area).nearest(
                        name[:100], limit=1
                    )
                ]
                raise NoSuchThing(what=Phrase("name"), value=name, nearest=nearest)
            return {
                "revision": knowledge.revision,
                "name": name,
                "meanings": [meaning_plain(m) for m in found],
            }

        return self.knowledge_answer(request, build)
