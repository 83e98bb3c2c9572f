"""Structural readers: page text in, one :class:`Document` model out, without any network."""

from ingest.reading.errors import UndecodablePage
from ingest.reading.lines import decode_page
from ingest.reading.page import read_page

__all__ = ["UndecodablePage", "decode_page", "read_page"]
