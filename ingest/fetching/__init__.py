"""Fetching pages from other machines, politely and safely: the one way out of the application."""

from ingest.fetching.delivery import Delivered, check_delivery_url, deliver
from ingest.fetching.errors import FailureCode, FetchFailed
from ingest.fetching.gate import HostGate, ProcessGate
from ingest.fetching.hosts import FETCH_HOSTS, HostRule
from ingest.fetching.policy import FetchPolicy, read_policy
from ingest.fetching.request import Fetched, FetchRequest, NotModified, Redirect
from ingest.fetching.session import FetchSession, fetch, open_session

__all__ = [
    "FETCH_HOSTS",
    "Delivered",
    "FailureCode",
    "FetchFailed",
    "FetchPolicy",
    "FetchRequest",
    "FetchSession",
    "Fetched",
    "HostGate",
    "HostRule",
    "NotModified",
    "ProcessGate",
    "Redirect",
    "check_delivery_url",
    "deliver",
    "fetch",
    "open_session",
    "read_policy",
]
