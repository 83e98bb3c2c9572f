"""Reads what the newest README of a project says about its own maintenance."""

from ingest.sources.maintenance_notices.readme import read_notices

__all__ = ["read_notices"]
