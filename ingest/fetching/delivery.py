"""Sending something out: one POST to an address that a person entered, as safe as a fetch."""

from dataclasses import dataclass

from ingest.domain.web_addresses import is_address
from ingest.fetching.errors import FailureCode, FetchFailed
from ingest.fetching.gate import read_clock
from ingest.fetching.headers import check_further_headers
from ingest.fetching.location import Location, parse_location
from ingest.fetching.meter import Meter
from ingest.fetching.policy import FetchPolicy, read_policy
from ingest.fetching.reading import find_pause, refuse_status
from ingest.fetching.resolving import Resolver, resolve_checked, resolve_host
from ingest.fetching.transport import Route, exchange

# The answer's headers; its body is nobody's business and is not read.
MOST_ANSWER_BYTES = 128 * 1024
TOTAL_SECONDS = 20.0
# Below this listen mail, shells and file shares, which an HTTP request must not be made to reach.
FIRST_FREE_PORT = 1_024


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver's word that it took what was sent: a status from 200 to 299."""

    status: int


def deliver(
    url: str,
    content: bytes,
    *,
    media_type: str = "application/json",
    headers: tuple[tuple[str, str], ...] = (),
    policy: FetchPolicy | None = None,
    resolver: Resolver = resolve_host,
) -> Delivered:
    """Sends the content to any public https address, tries once, and follows no redirect.

    The list of registered hosts does not count here, since a receiver is entered by a person;
    everything else does: addresses, ports, names in certificates, limits of time and size.
    **Raises** FetchFailed, and nothing else, for whatever a receiver or network does.
    """
    policy = policy or read_policy()
    location = parse_location(url)
    _check_target(location, loopback=policy.loopback)
    check_further_headers((("Content-Type", media_type), *headers), url=url)
    addresses = resolve_checked(location, resolver=resolver, loopback=policy.loopback)
    meter = Meter(
        url=location.url,
        total_seconds=min(policy.total_seconds, TOTAL_SECONDS),
        idle_seconds=policy.idle_seconds,
        most_bytes=MOST_ANSWER_BYTES,
    )
    sent = {name.title(): value for name, value in headers} | {
        "User-Agent": policy.user_agent,
        "Content-Type": media_type,
        "Connection": "close",
    }
    with exchange(
        location,
        headers=sent,
        route=Route(addresses, policy.connect_seconds, meter),
        ca_file=policy.ca_file,
        content=content,
    ) as answer:
        if 200 <= answer.status < 300:
            return Delivered(answer.status)
        now = read_clock()
        raise refuse_status(
            answer.status, url=location.url, pause_seconds=find_pause(answer, now=now)
        )


def check_delivery_url(url: str) -> None:
    """Raises FetchFailed where an address can never be delivered to; asks nobody.

    For the moment at which a person enters it. What a name stands for is checked with each
    delivery; an address that is written in its place is checked at once as well.
    """
    location, loopback = parse_location(url), read_policy().loopback
    _check_target(location, loopback=loopback)
    if is_address(location.host):
        resolve_checked(location, resolver=lambda host, port: [host], loopback=loopback)


def _check_target(location: Location, *, loopback: bool) -> None:
    if location.scheme != "https" and not loopback:
        raise FetchFailed(
            FailureCode.SCHEME_NOT_ALLOWED,
            url=location.url,
            host=location.host,
            seen=location.scheme,
            accepted="https",
        )
    if location.port != 443 and location.port < FIRST_FREE_PORT:
        raise FetchFailed(
            FailureCode.PORT_NOT_ALLOWED,
            url=location.url,
            host=location.host,
            seen=location.port,
            accepted=f"443, or {FIRST_FREE_PORT} and above",
        )
