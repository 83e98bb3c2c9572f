"""The fetcher of this installation: polite, safe, and with one turn at each host for all."""

from ingest.fetching.session import open_session
from ingest.services.host_turns import DatabaseGate
from ingest.services.poll_context import Fetcher


def open_fetcher() -> Fetcher:
    """A fetcher whose turns at hosts are shared by every process of the installation."""
    return open_session(gate=DatabaseGate()).fetch
