"""Readers of container registries: tag lists, image indexes, the hub's own list of tags."""

from ingest.sources.registries.hub import read_hub_tags
from ingest.sources.registries.images import ListedImage
from ingest.sources.registries.oci import read_index, read_tag_list

__all__ = ["ListedImage", "read_hub_tags", "read_index", "read_tag_list"]
