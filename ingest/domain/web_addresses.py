"""Which network addresses a fetch may connect to."""

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

# Public by number, but answered inside a data centre: the machine's own keys lie there.
_METADATA = (ip_address("168.63.129.16"), ip_address("169.254.169.254"))
# The standard library knows most special ranges; these reach a machine inside all the same, or
# carry an IPv4 address that would have to be judged by the gateway's rules and not by ours.
# **Source**: IANA registries of special-purpose IPv4 and IPv6 addresses, RFC 6052, 8215, 7343.
_SPECIAL: tuple[tuple[IPv4Network | IPv6Network, str], ...] = (
    (ip_network("0.0.0.0/8"), "which stands for this machine"),
    (ip_network("100.64.0.0/10"), "which is shared inside a provider's network"),
    (ip_network("192.0.0.0/24"), "which is set aside for protocols"),
    (ip_network("192.88.99.0/24"), "which leads through a 6to4 relay"),
    (ip_network("::/96"), "which holds an IPv4 address"),
    (ip_network("64:ff9b::/96"), "which is translated to an IPv4 address (NAT64)"),
    (ip_network("64:ff9b:1::/48"), "which is translated to an IPv4 address (NAT64)"),
    (ip_network("2001::/23"), "which is set aside for protocols"),
    (ip_network("2002::/16"), "which holds an IPv4 address (6to4)"),
    (ip_network("3fff::/20"), "which is for documents only"),
    (ip_network("fec0::/10"), "which is private to a site"),
)
# All IPv6 addresses that the internet routes today; what is outside may become anything.
_ROUTED_IPV6 = ip_network("2000::/3")


def is_address(text: str) -> bool:
    """Whether a host is an IP address and no name."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def refuse_address(text: str, *, loopback: bool = False) -> str | None:
    """Returns why an address may not be connected to, as the end of a sentence; None if it may.

    ``loopback`` lets this machine's own addresses pass, and nothing else.
    """
    try:
        address = ip_address(text)
    except ValueError:
        return "which is no IP address"
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return "which is bound to one network card"
        if address.ipv4_mapped is not None:
            return _refuse(address.ipv4_mapped, loopback=loopback)
    return _refuse(address, loopback=loopback)


def _refuse(address: IPv4Address | IPv6Address, *, loopback: bool) -> str | None:
    if address.is_loopback:
        return None if loopback else "which is this machine"
    if address in _METADATA:
        return "which serves a data centre's machine metadata"
    for network, reason in _SPECIAL:
        if address.version == network.version and address in network:
            return reason
    if address.is_link_local:
        return "which is link-local"
    if address.is_multicast:
        return "which is multicast"
    if address.version == 6 and address not in _ROUTED_IPV6:
        return "which is private or reserved"
    return None if address.is_global else "which is private or reserved"
