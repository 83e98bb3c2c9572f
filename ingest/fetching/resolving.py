"""From a host's name to the addresses that may be connected to."""

import socket
from collections.abc import Callable, Sequence

from ingest.domain.web_addresses import refuse_address
from ingest.fetching.errors import FailureCode, FetchFailed
from ingest.fetching.location import Location

# Takes host and port, returns IP addresses as text; raises OSError where there are none.
Resolver = Callable[[str, int], Sequence[str]]


def resolve_host(host: str, port: int) -> list[str]:
    """Returns the addresses of a host, in the system's order, each once.

    **Raises** OSError as the system's resolver does.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def resolve_checked(location: Location, *, resolver: Resolver, loopback: bool) -> tuple[str, ...]:
    """Returns the addresses of a location's host: all of them may be connected to.

    One refused address refuses the host, because the name is then not what it seems.
    **Raises** FetchFailed: name-not-found, address-refused.
    """
    try:
        addresses = tuple(resolver(location.host, location.port))
    except (OSError, UnicodeError) as error:
        problem = " ".join(str(getattr(error, "strerror", None) or error).split())[:200]
        raise _not_found(location, problem) from error
    if not addresses:
        raise _not_found(location, "it has no address")
    for address in addresses:
        reason = refuse_address(address, loopback=loopback)
        if reason:
            raise FetchFailed(
                FailureCode.ADDRESS_REFUSED,
                url=location.url,
                host=location.host,
                seen=address,
                problem=reason,
            )
    return addresses


def _not_found(location: Location, problem: str) -> FetchFailed:
    return FetchFailed(
        FailureCode.NAME_NOT_FOUND, url=location.url, host=location.host, problem=problem
    )
