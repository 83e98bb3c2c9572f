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


class OtherPeriod(Form):
    """A further maintenance period that covers the day."""

    stated_later = serializers.BooleanField(
        help_text="Whether the evidence was published after that day."
    )
    period = Period()


class Silence(Form):
    """How long nothing was heard of a framework by a day; never an end by itself."""

    days = serializers.IntegerField(help_text="Days since the last known release or push.")
    is_long = serializers.BooleanField()
    limit_days = serializers.IntegerField(help_text="From how many days on silence is long.")
    since = serializers.DateField()
    last_release_on = maybe_day()
    last_push_on = maybe_day()
    code_host_asked_on = maybe_day()


class MaintenanceBeside(Form):
    """What is said beside the status: overlapping periods, strongest first, and silence."""

    others: Any = OtherPeriod(many=True)
    silence = Silence(allow_null=True)


class LatestRelease(Form):
    """The newest stable release on a day."""

    version = text()
    released_on = serializers.DateField()
    age_days = serializers.IntegerField()


class Framework(Node):
    """A framework with its status on a day."""

    as_of = serializers.DateField()
    maintenance = Maintenance()
    maintenance_beside = MaintenanceBeside()
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
    removed_upstream_on = maybe_day()
    url = maybe_text()
    first_seen_at = serializers.DateTimeField(
        allow_null=True, help_text="When a feed first saw it; null for a shipped release."
    )
    upstream_version = maybe_text()


class ReleaseImage(Form):
    """A container image of a release; a tag that moved stands once for each digest."""

    repository = text()
    tag = text()
    digest = text()
    variant = maybe_text()
    platforms = texts()
    pushed_at = serializers.DateTimeField(allow_null=True)
    first_seen_at = serializers.DateTimeField()


class ReleasePin(Form):
    """A requirement that a file of a release states."""

    name = text()
    status = text(help_text="pinned, range or requires.")
    value = text()
    source = text()
    path = maybe_text()
    url = maybe_text()


class ReleaseAnswer(Release):
    """A release with its images and pins, and the revision of the knowledge."""

    images: Any = ReleaseImage(many=True)
    pins: Any = ReleasePin(many=True)
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
