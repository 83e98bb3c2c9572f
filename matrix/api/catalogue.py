"""Catalogue endpoints: nodes of every area, with their place in the tree."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from matrix.api import schemas
from matrix.api.base import KnowledgeEndpoint, question_reader
from matrix.api.errors import NoSuchThing
from matrix.api.tables import Check, TableEndpoint, one_of
from matrix.asking import QuestionReader
from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.filters import NodeFilters
from matrix.index import Knowledge
from matrix.models import NODE_MODELS
from matrix.queries.catalogue import framework_plain, node_of_row, node_plain


def _check_kind(area: str) -> Check:
    def check(reader: QuestionReader, catalogue: Catalogue, value: str) -> str:
        kinds = sorted({node.kind for node in catalogue.area(area).values()})
        return one_of("kind", kinds, value)

    return check


def _check_parent(area: str) -> Check:
    def check(reader: QuestionReader, catalogue: Catalogue, value: str) -> str:
        return find_node(catalogue, area, value, parameter="parent").slug

    return check


def find_node(catalogue: Catalogue, area: str, word: str, *, parameter: str = "") -> Node:
    """The node of a slug. **Raises**: ``NoSuchThing`` or, for a parameter, ``InvalidValue``."""
    node = catalogue.area(area).get(word)
    if node is not None:
        return node
    table = catalogue.vocabulary.table(area)
    nearest = list(dict.fromkeys((*table.find(word), *_near_slugs(catalogue, area, word))))[:5]
    if parameter:
        wanted = f"the slug of a {area}" + (f" such as {', '.join(nearest)}" if nearest else "")
        raise InvalidValue(name=parameter, value=word[:60], accepted=wanted)
    raise NoSuchThing(what=Phrase(area), value=word, nearest=nearest)


def _near_slugs(catalogue: Catalogue, area: str, word: str) -> list[str]:
    table = catalogue.vocabulary.table(area)
    names = table.nearest(word[:200])
    return [slug for name in names for slug in table.find(name)[:1]]


class NodeList(TableEndpoint):
    """The nodes of one area of the catalogue."""

    filterset_class = NodeFilters
    page_ordering = ("slug",)
    area = ""

    def get_queryset(self) -> Any:
        """All nodes of the area."""
        return NODE_MODELS[self.area].objects.select_related("parent")

    def get(self, request: Request) -> HttpResponse:
        """A page of nodes."""
        self.checks = {"kind": _check_kind(self.area), "parent": _check_parent(self.area)}
        return self.table_answer(request, self._plain)

    def _plain(self, knowledge: Knowledge, rows: Sequence[Any]) -> list[Any]:
        return [node_plain(knowledge.catalogue, node_of_row(self.area, row)) for row in rows]


class NodeDetail(KnowledgeEndpoint):
    """One node of an area, with its place in the tree."""

    area = ""

    def get(self, request: Request, slug: str) -> HttpResponse:
        """The node, its ancestors and its children."""

        def build(knowledge: Knowledge, reader: QuestionReader) -> dict[str, Any]:
            node = find_node(knowledge.catalogue, self.area, slug)
            return {
                "revision": knowledge.revision,
                **self.plain(knowledge.catalogue, node, reader),
                **place_plain(knowledge.catalogue, node),
            }

        return self.knowledge_answer(request, build)

    def plain(self, catalogue: Catalogue, node: Node, reader: QuestionReader) -> dict[str, Any]:
        """The node itself."""
        return node_plain(catalogue, node)


def place_plain(catalogue: Catalogue, node: Node) -> dict[str, Any]:
    """Ancestors from the root down, and children by slug."""
    nodes = catalogue.area(node.area)
    path: list[str] = []
    parent = node.parent
    while parent is not None:
        path.append(parent)
        parent = nodes[parent].parent
    children = sorted(slug for slug, other in nodes.items() if other.parent == node.slug)
    return {"ancestors": path[::-1], "children": children}


class FrameworkList(NodeList):
    """Frameworks with maintenance status and newest stable release."""

    area = "framework"
    accepted = ("as_of",)

    @schemas.table_schema("frameworks_list", schemas.Framework, schemas.AS_OF_PARAMETER)
    def get(self, request: Request) -> HttpResponse:
        """A page of frameworks."""
        return super().get(request)

    def _plain(self, knowledge: Knowledge, rows: Sequence[Any]) -> list[Any]:
        reader = question_reader(knowledge)
        as_of = reader.read_day("as_of", self.request.query_params.get("as_of")) or reader.today
        nodes = [node_of_row(self.area, row) for row in rows]
        return [framework_plain(knowledge.catalogue, node, as_of=as_of) for node in nodes]


class FrameworkDetail(NodeDetail):
    """One framework with maintenance status and newest stable release."""

    area = "framework"
    accepted = ("as_of",)

    @extend_schema(
        operation_id="frameworks_retrieve",
        parameters=[schemas.AS_OF_PARAMETER],
        responses=schemas.FrameworkDetail,
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """One framework."""
        return super().get(request, slug)

    def plain(self, catalogue: Catalogue, node: Node, reader: QuestionReader) -> dict[str, Any]:
        """The framework on the asked day."""
        as_of = reader.read_day("as_of", self.request.query_params.get("as_of")) or reader.today
        return framework_plain(catalogue, node, as_of=as_of)


class BackendList(NodeList):
    """The compute back ends."""

    area = "backend"

    @schemas.table_schema("backends_list", schemas.Node)
    def get(self, request: Request) -> HttpResponse:
        """A page of compute back ends."""
        return super().get(request)


class BackendDetail(NodeDetail):
    """One of the compute back ends."""

    area = "backend"

    @extend_schema(operation_id="backends_retrieve", responses=schemas.NodeDetail)
    def get(self, request: Request, slug: str) -> HttpResponse:
        """One of the compute back ends."""
        return super().get(request, slug)


class HardwareList(NodeList):
    """The vendors, families, architectures and devices."""

    area = "hardware"

    @schemas.table_schema("hardware_list", schemas.Node)
    def get(self, request: Request) -> HttpResponse:
        """A page of vendors, families, architectures and devices."""
        return super().get(request)


class HardwareDetail(NodeDetail):
    """One of the vendors, families, architectures and devices."""

    area = "hardware"

    @extend_schema(operation_id="hardware_retrieve", responses=schemas.NodeDetail)
    def get(self, request: Request, slug: str) -> HttpResponse:
        """One of the vendors, families, architectures and devices."""
        return super().get(request, slug)


class ModelList(NodeList):
    """The architecture classes, families and checkpoints."""

    area = "model"

    @schemas.table_schema("models_list", schemas.Node)
    def get(self, request: Request) -> HttpResponse:
        """A page of architecture classes, families and checkpoints."""
        return super().get(request)


class ModelDetail(NodeDetail):
    """One of the architecture classes, families and checkpoints."""

    area = "model"

    @extend_schema(operation_id="models_retrieve", responses=schemas.NodeDetail)
    def get(self, request: Request, slug: str) -> HttpResponse:
        """One of the architecture classes, families and checkpoints."""
        return super().get(request, slug)


class QuantizationList(NodeList):
    """The quantization families and schemes."""

    area = "quantization"

    @schemas.table_schema("quantizations_list", schemas.Node)
    def get(self, request: Request) -> HttpResponse:
        """A page of quantization families and schemes."""
        return super().get(request)


class QuantizationDetail(NodeDetail):
    """One of the quantization families and schemes."""

    area = "quantization"

    @extend_schema(operation_id="quantizations_retrieve", responses=schemas.NodeDetail)
    def get(self, request: Request, slug: str) -> HttpResponse:
        """One of the quantization families and schemes."""
        return super().get(request, slug)


class ContainerList(NodeList):
    """The checkpoint containers."""

    area = "container"

    @schemas.table_schema("containers_list", schemas.Node)
    def get(self, request: Request) -> HttpResponse:
        """A page of checkpoint containers."""
        return super().get(request)


class ContainerDetail(NodeDetail):
    """One of the checkpoint containers."""

    area = "container"

    @extend_schema(operation_id="containers_retrieve", responses=schemas.NodeDetail)
    def get(self, request: Request, slug: str) -> HttpResponse:
        """One of the checkpoint containers."""
        return super().get(request, slug)


class FeatureList(NodeList):
    """The features and feature groups."""

    area = "feature"

    @schemas.table_schema("features_list", schemas.Node)
    def get(self, request: Request) -> HttpResponse:
        """A page of features and feature groups."""
        return super().get(request)


class FeatureDetail(NodeDetail):
    """One of the features and feature groups."""

    area = "feature"

    @extend_schema(operation_id="features_retrieve", responses=schemas.NodeDetail)
    def get(self, request: Request, slug: str) -> HttpResponse:
        """One of the features and feature groups."""
        return super().get(request, slug)
