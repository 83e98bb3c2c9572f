"""Writes of ingest, one module per subject; those that other parts call are named here."""

from ingest.services.accepting import IngestSummary, accept_readings
from ingest.services.settling import Settlement, settle_readings

__all__ = ["IngestSummary", "Settlement", "accept_readings", "settle_readings"]
