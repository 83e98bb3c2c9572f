"""The registry of feeds: literal tuples, nothing is discovered; each source has one."""

from datetime import timedelta

from ingest.domain.feeds.code_hosts import CODE_HOST_FEEDS
from ingest.domain.feeds.documentation import DOCUMENTATION_FEEDS
from ingest.domain.feeds.feed import Feed, FeedKind
from ingest.domain.feeds.images import IMAGE_FEEDS

MODEL_FEEDS: tuple[Feed, ...] = (
    Feed(
        name="models-huggingface",
        kind=FeedKind.MODEL_HUB,
        framework="",
        host="huggingface.co",
        # A part of the models at each poll: all of them in about a fortnight.
        cadence=timedelta(days=1),
        media_types=("application/json", "text/plain"),
        endpoints=(
            "https://huggingface.co/api/models/{model}?expand[]=config&expand[]=safetensors"
            "&expand[]=gguf&expand[]=sha&expand[]=lastModified",
            "https://huggingface.co/{model}/raw/main/config.json",
        ),
    ),
)

FEEDS: tuple[Feed, ...] = (
    *DOCUMENTATION_FEEDS,
    *CODE_HOST_FEEDS,
    *IMAGE_FEEDS,
    *MODEL_FEEDS,
)


def find_feed(name: str) -> Feed | None:
    """The feed of that name, or ``None``."""
    return next((feed for feed in FEEDS if feed.name == name), None)


def feeds_of(source: str) -> tuple[Feed, ...]:
    """The feeds that a source or all sources of a framework read."""
    return tuple(feed for feed in FEEDS if source in {*feed.sources, feed.framework})
