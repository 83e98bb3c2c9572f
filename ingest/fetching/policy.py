"""What an installation may fetch, who it says it is, and how long and large it lets things be."""

from dataclasses import dataclass, field
from difflib import get_close_matches

from django.conf import settings

from ingest.fetching.errors import FailureCode, FetchFailed
from ingest.fetching.hosts import FETCH_HOSTS, HostKind, HostRule
from ingest.fetching.location import Location, show_url

AGENT_NAME = "Runproof"
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """The limits of every fetch.

    **Shapes**: ``loopback`` lets this machine be asked, without TLS and on any port: for tests.
    ``ca_file`` holds the certificates to trust instead of the shipped ones; empty for those.
    **Units**: ``idle_seconds`` is the longest silence, ``total_seconds`` the longest time for one
    request with its whole answer (each redirect has its own), ``longest_wait_seconds`` the longest
    sleep until a host's turn.
    """

    hosts: tuple[HostRule, ...] = FETCH_HOSTS
    loopback: bool = False
    contact: str = ""
    code_host_token: str = field(default="", repr=False)
    ca_file: str = ""
    connect_seconds: float = 10.0
    idle_seconds: float = 20.0
    total_seconds: float = 120.0
    longest_wait_seconds: float = 60.0
    most_redirects: int = 5

    @property
    def user_agent(self) -> str:
        """The name that servers see, with the contact where there is one."""
        return f"{AGENT_NAME} (+{self.contact})" if self.contact else AGENT_NAME

    def find_rule(self, location: Location) -> HostRule:
        """Returns how the host of an address is asked.

        **Raises** FetchFailed: host-not-allowed, scheme-not-allowed, port-not-allowed.
        """
        rules = [rule for rule in self.hosts if rule.host == location.host]
        if not rules:
            if self.loopback and location.host in LOOPBACK_HOSTS:
                return _loopback_rule(location)
            raise FetchFailed(
                FailureCode.HOST_NOT_ALLOWED,
                url=show_url(location.url),
                host=location.host,
                accepted=self._name_nearest(location.host),
            )
        schemes = {rule.scheme for rule in rules if self.loopback} | {"https"}
        if location.scheme not in schemes:
            raise FetchFailed(
                FailureCode.SCHEME_NOT_ALLOWED,
                url=show_url(location.url),
                host=location.host,
                seen=location.scheme,
                accepted=" or ".join(sorted(schemes)),
            )
        wanted = (location.scheme, location.port)
        rule = next((rule for rule in rules if (rule.scheme, rule.port) == wanted), None)
        if rule is None:
            raise FetchFailed(
                FailureCode.PORT_NOT_ALLOWED,
                url=show_url(location.url),
                host=location.host,
                seen=location.port,
                accepted=", ".join(str(rule.port) for rule in rules),
            )
        return rule

    def _name_nearest(self, host: str) -> str:
        known = sorted({rule.host for rule in self.hosts})
        return ", ".join(get_close_matches(host, known, n=3, cutoff=0.4) or known[:3]) or "none"


def _loopback_rule(location: Location) -> HostRule:
    return HostRule(
        location.host,
        HostKind.DOCUMENTATION,
        interval_seconds=0.0,
        obeys_robots=False,
        port=location.port,
        scheme=location.scheme,
    )


def read_policy() -> FetchPolicy:
    """Returns the policy of this installation's settings."""
    extra = tuple(
        HostRule(host, HostKind.DOCUMENTATION, port=port)
        for host, port in settings.FETCH_EXTRA_HOSTS
    )
    return FetchPolicy(
        hosts=FETCH_HOSTS + extra,
        loopback=settings.FETCH_LOOPBACK,
        contact=settings.FETCH_CONTACT,
        code_host_token=settings.FETCH_CODE_HOST_TOKEN,
        ca_file=settings.FETCH_CA_FILE,
    )
