"""What a robots.txt allows.

The standard library's parser takes the first rule that fits and knows no wildcards; the standard
wants the longest, and real files use them.

**Source**: RFC 9309, sections 2.2.1 to 2.2.3; Crawl-delay is a common extension of it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

MOST_CHARACTERS = 512 * 1024
LONGEST_DELAY_SECONDS = 86_400.0
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@dataclass(frozen=True, slots=True)
class PathRule:
    """One Allow or Disallow line; ``pattern`` may hold ``*``, and end with ``$``."""

    allow: bool
    pattern: str

    def fits(self, target: str) -> bool:
        """Whether a path with its query, in normal form, begins as the pattern says."""
        anchored = self.pattern.endswith("$")
        first, *parts = self.pattern.removesuffix("$").split("*")
        if not target.startswith(first):
            return False
        place = len(first)
        for part in parts[:-1] if anchored else parts:
            found = target.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        if not anchored:
            return True
        if not parts:
            return place == len(target)
        return target.endswith(parts[-1]) and len(target) - len(parts[-1]) >= place


@dataclass(frozen=True, slots=True)
class AgentRules:
    """The rules for the agents that one group names, in lower case."""

    agents: tuple[str, ...]
    rules: tuple[PathRule, ...] = ()
    delay_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """A whole robots.txt; no groups means that everything is allowed."""

    groups: tuple[AgentRules, ...] = ()

    def allows(self, agent: str, target: str) -> bool:
        """Whether the agent may read a path with its query: the longest fitting rule decides."""
        normal = _normalize(target)
        fitting = [
            (len(rule.pattern), rule.allow)
            for group in self._groups_of(agent)
            for rule in group.rules
            if rule.fits(normal)
        ]
        return max(fitting, default=(0, True))[1]

    def delay_seconds(self, agent: str) -> float:
        """The wait between two requests that the file asks of the agent, 0 where of none."""
        delays = [group.delay_seconds or 0.0 for group in self._groups_of(agent)]
        return max(delays, default=0.0)

    def _groups_of(self, agent: str) -> tuple[AgentRules, ...]:
        name = agent.lower()
        own = tuple(group for group in self.groups if name in group.agents)
        return own or tuple(group for group in self.groups if "*" in group.agents)


def read_robots(text: str) -> RobotsRules:
    """Returns the rules of a robots.txt; lines that nobody understands are left out.

    Only the first half million characters count, as the standard allows.
    """
    groups: list[AgentRules] = []
    agents: list[str] = []
    rules: list[PathRule] = []
    delay: float | None = None
    in_rules = False
    for key, value in _list_lines(text[:MOST_CHARACTERS]):
        if key == "user-agent":
            if in_rules:
                groups.append(AgentRules(tuple(agents), tuple(rules), delay))
                agents, rules, delay, in_rules = [], [], None, False
            agents.append(value.partition("/")[0].strip().lower())
        elif agents:
            in_rules = True
            if key == "crawl-delay":
                delay = _read_delay(value)
            elif value:
                rules.append(PathRule(key == "allow", _normalize(value)))
    if agents:
        groups.append(AgentRules(tuple(agents), tuple(rules), delay))
    return RobotsRules(tuple(groups))


def _list_lines(text: str) -> Iterator[tuple[str, str]]:
    for line in re.split(r"[\r\n]+", text.removeprefix("\ufeff")):
        key, colon, value = line.partition("#")[0].partition(":")
        key = key.strip().lower()
        if colon and key in ("user-agent", "allow", "disallow", "crawl-delay"):
            yield key, value.strip()


def _read_delay(value: str) -> float | None:
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
        return None
    return min(float(value), LONGEST_DELAY_SECONDS)


def _normalize(target: str) -> str:
    """Returns a path in one spelling: escapes only where they are needed, in upper case."""

    def spell(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        return character if character in _UNRESERVED else f"%{match[1].upper()}"

    escaped = quote(target, safe="".join(map(chr, range(0x21, 0x7F))))
    return re.sub(r"%([0-9A-Fa-f]{2})", spell, escaped)
