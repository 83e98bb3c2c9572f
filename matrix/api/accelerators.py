"""How well the frameworks run on domestic accelerators, over REST."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from matrix.api import schemas
from matrix.api.base import KnowledgeEndpoint
from matrix.api.schemas.forms import Form, any_object, maybe_day, maybe_text, text, texts, word_of
from matrix.asking import QuestionReader
from matrix.domain.levels import EvidenceKind, MaintenanceStatus
from matrix.index import Knowledge
from matrix.pages.domestic import (
    CountRow,
    StackRow,
    VendorRow,
    build_domestic_page,
    following_plain,
)


class FollowingAnswer(Form):
    """Which upstream release a stack follows."""

    upstream = text()
    version = maybe_text(help_text="Newest release of the stack whose upstream release is known.")
    is_newest_version = serializers.BooleanField()
    follows = maybe_text()
    follows_on = maybe_day()
    upstream_newest = text()
    upstream_newest_on = serializers.DateField()
    behind_days = serializers.IntegerField(allow_null=True)
    behind_releases_count = serializers.IntegerField(
        allow_null=True, help_text="Stable releases of the upstream since the followed one."
    )


class CountAnswer(Form):
    """How the nodes of one axis stand that claims name together with the hardware."""

    axis = text()
    levels = serializers.DictField(child=serializers.IntegerField())
    elsewhere_count = serializers.IntegerField(
        help_text="Named by the framework's claims, but never with this hardware: unknown here."
    )
    matrix_url = text()


class ConflictAnswer(Form):
    """A cell whose sources contradict."""

    about = text()
    cell_url = text()


class StackAnswer(Form):
    """One framework on the hardware of one vendor."""

    framework = text()
    kind = text(help_text="plugin, fork, engine and so on.")
    parent = maybe_text()
    maintenance_status = word_of(MaintenanceStatus)
    maintenance = any_object(allow_null=True, help_text="The period with its evidence.")
    newest_version = maybe_text()
    newest_released_on = maybe_day()
    following = FollowingAnswer(allow_null=True)
    claims_count = serializers.IntegerField()
    claims_url = text()
    devices = texts()
    counts = CountAnswer(many=True)
    strongest_evidence_kind = word_of(EvidenceKind, allow_null=True)
    measured_claims_count = serializers.IntegerField()
    newest_observation_on = maybe_day()
    is_recheck_due = serializers.BooleanField()
    conflicts_count = serializers.IntegerField()
    conflicts = ConflictAnswer(many=True, help_text="The first five.")


class VendorAnswer(Form):
    """One vendor."""

    vendor = text()
    name = text()
    claims_count = serializers.IntegerField()
    devices = texts(help_text="Hardware that claims name.")
    unnamed_devices = texts(help_text="Hardware of the catalogue that no claim speaks about.")
    stacks = StackAnswer(many=True)
    stacks_without_claims = texts()
    gaps = texts(help_text="Sentences in the language of the request.")


class DomesticAnswer(Form):
    """All domestic vendors on a day."""

    revision = serializers.IntegerField()
    as_of = serializers.DateField()
    vendors = VendorAnswer(many=True)


class DomesticAccelerators(KnowledgeEndpoint):
    """Domestic accelerators, vendor by vendor."""

    accepted = ("as_of",)

    @extend_schema(
        operation_id="accelerators_domestic_retrieve",
        parameters=[schemas.AS_OF_PARAMETER],
        responses=DomesticAnswer,
    )
    def get(self, request: Request) -> HttpResponse:
        """What the claims say about each vendor, stack by stack."""

        def build(knowledge: Knowledge, reader: QuestionReader) -> dict[str, Any]:
            as_of = reader.read_day("as_of", request.query_params.get("as_of")) or reader.today
            page = build_domestic_page(knowledge, as_of=as_of, today=reader.today)
            return {
                "revision": page.revision,
                "as_of": as_of.isoformat(),
                "vendors": [_vendor_plain(row) for row in page.vendors],
            }

        return self.knowledge_answer(request, build)


def _vendor_plain(row: VendorRow) -> dict[str, Any]:
    vendor = row.vendor
    return {
        "vendor": vendor.node.slug,
        "name": vendor.node.name,
        "claims_count": vendor.claims,
        "devices": list(vendor.devices),
        "unnamed_devices": list(vendor.unnamed_devices),
        "stacks": [_stack_plain(stack) for stack in row.stacks],
        "stacks_without_claims": [slug for slug, _name in row.silent],
        "gaps": list(row.gaps),
    }


def _stack_plain(row: StackRow) -> dict[str, Any]:
    stack = row.stack
    newest = stack.newest
    return {
        "framework": stack.node.slug,
        "kind": stack.node.kind,
        "parent": stack.node.parent,
        "maintenance_status": stack.maintenance["status"],
        "maintenance": stack.maintenance["period"],
        "newest_version": newest.version if newest else None,
        "newest_released_on": newest.released_on.isoformat() if newest else None,
        "following": following_plain(stack.following),
        "claims_count": stack.claims,
        "claims_url": row.claims_url,
        "devices": list(stack.devices),
        "counts": [_count_plain(count) for count in row.counts],
        "strongest_evidence_kind": stack.strongest.value if stack.strongest else None,
        "measured_claims_count": stack.measured,
        "newest_observation_on": stack.newest_on.isoformat() if stack.newest_on else None,
        "is_recheck_due": stack.is_due,
        "conflicts_count": stack.conflicts,
        "conflicts": [{"about": about, "cell_url": url} for about, url in row.conflicts],
    }


def _count_plain(row: CountRow) -> dict[str, Any]:
    return {
        "axis": row.count.axis,
        "levels": {level.value: number for level, number in row.count.levels.items()},
        "elsewhere_count": row.count.elsewhere,
        "matrix_url": row.url,
    }
