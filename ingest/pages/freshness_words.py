"""Words and signs of the freshness page; a sign and a word always stand together."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ingest.domain.feeds import FeedKind
from ingest.queries_freshness import FeedHealth, Origin

KIND_WORDS: Mapping[str, Promise] = {
    FeedKind.DOCUMENTATION_AT_TAG: _("documentation at a tag"),
    FeedKind.DOCUMENTATION_LIVE: _("live documentation"),
    FeedKind.CODE_HOST: _("code host"),
    FeedKind.CONTAINER_REGISTRY: _("container registry"),
    FeedKind.MODEL_HUB: _("model hub"),
}
HEALTH_SIGNS: Mapping[FeedHealth, tuple[str, Promise]] = {
    FeedHealth.FAILING: ("✕", _("failing")),
    FeedHealth.OVERDUE: ("◔", _("overdue")),
    FeedHealth.NEVER_POLLED: ("?", _("never polled here")),
    FeedHealth.ON_TIME: ("✓", _("on time")),
}
ORIGIN_SIGNS: Mapping[Origin, tuple[str, Promise]] = {
    Origin.POLLED_HERE: ("↻", _("polled here")),
    Origin.RECORDED_HERE: ("✎", _("recorded here, not polled")),
    Origin.SHIPPED: ("▣", _("shipped, never polled here")),
}


def kind_word(kind: str) -> str | Promise:
    """The name of a kind of feed; an unlisted one as it is written."""
    return KIND_WORDS.get(kind, kind)
