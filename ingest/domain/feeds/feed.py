"""One feed: where it lies, how often it is asked, which sources read it."""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from ingest.domain.feeds.policy import AcceptPolicy


class FeedKind(StrEnum):
    """What a feed consists of."""

    DOCUMENTATION_AT_TAG = "documentation-at-tag"
    DOCUMENTATION_LIVE = "documentation-live"
    CODE_HOST = "code-host"
    CONTAINER_REGISTRY = "container-registry"
    MODEL_HUB = "model-hub"


# Kinds whose pages are read by the rules of sources; the others hold JSON of an interface.
DOCUMENTATION_KINDS = (FeedKind.DOCUMENTATION_AT_TAG, FeedKind.DOCUMENTATION_LIVE)


@dataclass(frozen=True, slots=True)
class LivePage:
    """One page of a live site: the path that rules know it by, and its address."""

    path: str
    url: str


@dataclass(frozen=True, slots=True)
class Feed:
    """One feed of the registry.

    **Shapes**: templates know ``{repository}``, ``{ref}`` (commit, tag or branch), ``{version}``,
    ``{tag}`` and ``{path}``. Documentation at tags is listed by ``listing_url`` and fetched by
    ``page_url``; ``public_url`` is what evidence links to, ``label`` the version under which a page
    is kept. A live feed has a ``branch`` (its newest commit is asked at ``branch_url``) or
    ``pages``. Interface feeds list their addresses in ``endpoints``; a registry that wants a token
    from everybody hands it out at ``token_url``. ``versions_from`` says where
    versions come from, ``lines`` which release lines count.
    """

    name: str
    kind: FeedKind
    framework: str
    cadence: timedelta
    media_types: tuple[str, ...]
    sources: tuple[str, ...] = ()
    repository: str = ""
    host: str = ""
    listing_url: str = ""
    page_url: str = ""
    public_url: str = ""
    branch: str = ""
    branch_url: str = ""
    label: str = "{tag}"
    versions_from: str = "catalogue"
    lines: tuple[str, ...] = ("stable", "post")
    pages: tuple[LivePage, ...] = ()
    endpoints: tuple[str, ...] = ()
    token_url: str = ""
    accept: str = ""
    policy: AcceptPolicy = field(default_factory=AcceptPolicy)

    def fill(self, template: str, **values: str) -> str:
        """The template with the feed's own repository and the given values."""
        return template.format_map({"repository": self.repository, "host": self.host, **values})
