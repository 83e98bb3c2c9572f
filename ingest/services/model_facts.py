"""Answers of a model hub become facts of checkpoints; contradictions wait for a curator."""

from ingest.services.items import open_items
from ingest.services.json_pages import JsonPage
from ingest.services.proposals import model_facts_draft
from ingest.sources.model_hub import read_config, read_model
from ingest.sources.model_hub.config import Fact
from matrix.domain.catalogue import Catalogue
from matrix.hub_facts import contradictions_of, record_facts

_CONFIG = "config.json"


def read_model_hub(page: JsonPage, catalogue: Catalogue) -> bool:
    """Keeps what the hub states and nobody stated before; whether anything was written.

    A fact that the catalogue states otherwise changes nothing: it becomes a review item.
    """
    slug = _model_of(page, catalogue)
    if not slug:
        return False
    facts: dict[str, Fact]
    revision = ""
    if page.template.endswith(_CONFIG):
        facts = read_config(page.value, url=page.url)
    else:
        model = read_model(page.value, url=page.url)
        facts, revision = dict(model.facts), model.revision
    contradicting = contradictions_of(slug, facts)
    fresh = {name: value for name, value in facts.items() if name not in contradicting}
    written = bool(fresh) and record_facts(
        slug,
        fresh,
        url=page.url,
        revision=revision,
        snapshot_sha256=page.snapshot_sha256,
        actor=page.feed.name,
        now=page.retrieved_at,
    )
    opened = 0
    if contradicting:
        draft = model_facts_draft(page, slug, contradicting, revision=revision)
        opened = open_items([draft], now=page.retrieved_at)
    return written or bool(opened)


def _model_of(page: JsonPage, catalogue: Catalogue) -> str:
    """The checkpoint that the address was made for."""
    before, _, after = page.template.partition("{model}")
    after = page.feed.fill(after)
    name = page.url.removeprefix(page.feed.fill(before)).removesuffix(after)
    found = [n.slug for n in catalogue.area("model").values() if n.name == name]
    return found[0] if len(found) == 1 else ""
