"""Forms of catalogue answers."""

from typing import Any

from rest_framework import serializers

from matrix.api.schemas.forms import (
    Form,
    Word,
    any_object,
    maybe_day,
    maybe_text,
    text,
    texts,
    word_of,
)
from matrix.domain.levels import EvidenceKind, MaintenanceStatus


class CatalogueSource(Form):
    """Where a catalogue row comes from."""

    key = text()
    title = maybe_text()
    url = maybe_text()
    read_on = maybe_day()
    version = maybe_text()
    commit = maybe_text()


class Node(Form):
    """A catalogue node."""

    area = text()
    slug = text()
    name = text()
    kind = text()
    parent = maybe_text()
    aliases = texts()
    former_names = texts()
    facts = any_object(help_text="Facts that rules use; each number has its unit in its key.")
    sources = CatalogueSource(many=True)


class NodeDetail(Node):
    """A catalogue node with its place in the tree."""

    revision = serializers.IntegerField()
    ancestors = texts(help_text="Slugs from the root down.")
    children = texts()


class PeriodEvidence(Form):
    """The evidence of a maintenance period."""

    kind = word_of(EvidenceKind)
    strength = maybe_text()
    url = maybe_text()
    commit = maybe_text()
    locator = maybe_text()
    stated_on = maybe_day()


class Period(Form):
    """A maintenance period."""

    framework = text()
    component = maybe_text(help_text="Null for the whole framework.")
    status = word_of(MaintenanceStatus)
    start_on = serializers.DateField()
    start_kind = text()
    end_on = maybe_day()
    note = text()
    evidence = PeriodEvidence()


class Maintenance(Form):
    """The maintenance status of a framework on a day."""

    status = word_of(MaintenanceStatus)
    as_of = serializers.DateField()
    stated_later = serializers.BooleanField(
        help_text="Whether the evidence was published after that day."
    )
    period = Period(allow_null=True)


class LatestRelease(Form):
    """The newest stable release on a day."""

    version = text()
    released_on = serializers.DateField()
    age_days = serializers.IntegerField()


class Framework(Node):
    """A framework with its status on a day."""

    as_of = serializers.DateField()
    maintenance = Maintenance()
    latest_release = LatestRelease(allow_null=True)


class FrameworkDetail(Framework):
    """A framework with its place in the tree."""

    revision = serializers.IntegerField()
    ancestors = texts()
    children = texts()


class Release(Form):
    """A release."""

    framework = text()
    version = text()
    released_at = serializers.DateTimeField()
    line = text()
    commit = maybe_text()
    tag = maybe_text()
    yanked = serializers.BooleanField()
    upstream_version = maybe_text()


class ReleaseAnswer(Release):
    """A release with the revision of the knowledge."""

    revision = serializers.IntegerField()


class Alias(Form):
    """A name and the nodes that it means."""

    area = text()
    name = text()
    kind = Word(
        choices=["slug", "name", "same", "moved", "split", "ambiguous"],
        help_text="`split` means all of the nodes, `ambiguous` one of them.",
    )
    nodes = texts()


class AliasMeanings(Form):
    """What a name means in every area."""

    revision = serializers.IntegerField()
    name = text()
    meanings: Any = Alias(many=True)
