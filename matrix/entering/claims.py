"""Reads a claim as people write it; every problem is collected, none is repaired or guessed."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from matrix.domain import codec
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim, Observation, Validity
from matrix.domain.coordinates import CONDITION_OPS, Condition
from matrix.domain.data_rules import DataRule
from matrix.domain.levels import (
    CLAIM_LEVELS,
    ConditionKind,
    EndpointKind,
    EvidenceKind,
    Execution,
    Limit,
    Outcome,
    SupportLevel,
    Tier,
)
from matrix.domain.lint import breaches_of
from matrix.domain.phrases import Phrase
from matrix.domain.versions import ReleaseHistory
from matrix.entering.evidence import SHORT_KINDS, ReleaseReader, read_observation
from matrix.entering.fields import Fields
from matrix.entering.problems import BrokenEntry, Problem, shown_value, with_rule
from matrix.entering.scopes import NameReader, read_scope

SHORT_LEVELS: Mapping[str, SupportLevel] = {
    "yes": SupportLevel.SUPPORTED,
    "no": SupportLevel.UNSUPPORTED,
}
DEFAULT_SOURCE = "curation"
_OF_USERS = frozenset({EvidenceKind.USER_REPORT})
MOST_OBSERVATIONS = 200
_FAILURES = (Outcome.OUT_OF_MEMORY, Outcome.FAILS)
_FLAG = re.compile(r"-{1,2}[A-Za-z0-9][\w.-]*")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")
# Where a reader of the message finds what breaks a rule of the whole claim.
_FIELD_OF_RULE: Mapping[DataRule, str] = {
    DataRule.CLAIM_LEVEL: "level",
    DataRule.PARTIAL_HAS_NOTE: "note",
    DataRule.SHORT_NOTE: "note",
    DataRule.EVIDENCE: "evidence",
    DataRule.NO_HAS_LOCATOR: "evidence",
    DataRule.DATED: "evidence",
    DataRule.EVIDENCE_NEAR_RELEASE: "evidence",
    DataRule.KNOWN_NODES: "scope",
    DataRule.EXCLUDE_WITHIN_INCLUDE: "scope",
    DataRule.TYPED_RANGE: "first",
    DataRule.KNOWN_RELEASES: "first",
    DataRule.RANGE_HOLDS_OBSERVATIONS: "first",
}


class ClaimReader:
    """Reads claims against one catalogue on one day.

    **Raises** on ``read``: ``BrokenEntry`` with every problem.
    **Dates**: ``today`` is the last day that evidence may be dated; the caller's clock.
    """

    def __init__(self, catalogue: Catalogue, *, today: date) -> None:
        self.catalogue = catalogue
        self.today = today
        self._names = NameReader(catalogue)

    def read(
        self, given: Mapping[str, Any], *, source: str = DEFAULT_SOURCE, parser: str = "person"
    ) -> Claim:
        """The claim of a line, with an identifier of everything that the line says.

        ``source`` stands where the line names none; ``by`` in the line is kept with the parser.
        """
        problems: list[Problem] = []
        fields = Fields(given, problems)
        slug = self._framework(fields)
        history = self.catalogue.histories.get(slug)
        claim = None
        if history is not None:
            claim = self._read(fields, history, source=source, parser=parser)
        if claim is not None and not problems:
            problems += self._breaches(claim)
        if claim is None or problems:
            raise BrokenEntry(problems)
        return replace(claim, uid=entered_uid(claim))

    def _framework(self, fields: Fields) -> str:
        word = fields.text("framework", longest=160, required=True)
        if not word:
            return ""
        return self._names.area("framework", word, fields.place("framework"), fields.problems)

    def _read(
        self, fields: Fields, history: ReleaseHistory, *, source: str, parser: str
    ) -> Claim | None:
        problems = fields.problems
        releases = ReleaseReader(history, by_date=fields.flag("release_by_date"))
        level = _read_level(fields)
        kind = fields.word("kind", EvidenceKind, also=SHORT_KINDS)
        observations, kinds = self._observations(fields, releases)
        validity = _read_validity(fields, releases, observations, today=self.today)
        scope = read_scope(fields.raw("scope"), self._names, problems)
        by = fields.text("by", longest=80)
        own_source = fields.text("source", longest=80)
        statement = fields.text("statement", longest=400, required=True)
        note = " ".join(fields.text("note", longest=2_000).split())
        reference = fields.text("reference", longest=200)
        execution = fields.word("execution", Execution) or Execution.UNSTATED
        tier = fields.word("tier", Tier)
        outcome = fields.word("outcome", Outcome) or Outcome.UNSTATED
        if level is SupportLevel.SUPPORTED and outcome in _FAILURES:
            fields.refuse(
                "outcome",
                Phrase('is {value} beside "yes"; accepted: "no" with it', value=outcome.value),
            )
        limit = fields.word("limit", Limit)
        conditions = (*_read_conditions(fields), *_read_settings(fields))
        fields.refuse_unknown()
        kind = _one_kind(fields, kind, kinds)
        if problems or level is None or kind is None or validity is None:
            return None
        return Claim(
            uid="",
            framework=history.framework,
            scope=scope,
            level=level,
            kind=kind,
            validity=validity,
            observations=tuple(observations),
            execution=execution,
            # What only a user saw is not what the project stands for.
            tier=tier or (Tier.UNOFFICIAL if kind in _OF_USERS else Tier.OFFICIAL),
            outcome=outcome,
            limit=limit,
            conditions=conditions,
            source=own_source or source,
            statement=statement,
            note=note,
            reference=reference,
            parser=f"{parser}:{by}"[:120] if by else parser,
        )

    def _observations(
        self, fields: Fields, releases: ReleaseReader
    ) -> tuple[list[Observation], list[tuple[str, EvidenceKind]]]:
        """The observations in order of their releases, and the kind of evidence of each."""
        given = fields.objects("evidence", most=MOST_OBSERVATIONS)
        if not given and not any(p.field.startswith("evidence") for p in fields.problems):
            fields.refuse(
                "evidence", Phrase("is missing; accepted: an object with url and stated_on")
            )
        first = fields.text("first", longest=80)
        # What is wrong with the text of "first" is said where the range is read.
        default = releases.read(first, "first", [])
        found: list[Observation] = []
        kinds: list[tuple[str, EvidenceKind]] = []
        for path, item in given:
            seen, kind = read_observation(
                item, releases, fields.problems, path=path, default_release=default or first,
                today=self.today,
            )  # fmt: skip
            if kind is not None:
                kinds.append((path, kind))
            if seen is not None:
                if any(_same_place(seen, other) for other in found):
                    fields.problems.append(
                        Problem(
                            path, Phrase("repeats a document for the same release; write it once")
                        )
                    )
                found.append(seen)
        ranks = {o.release: releases.history.find_rank(o.release) or 0 for o in found}
        found.sort(key=lambda o: (ranks[o.release], o.stated_on, o.document.key))
        return found, kinds

    def _breaches(self, claim: Claim) -> list[Problem]:
        return [
            Problem(_FIELD_OF_RULE.get(rule, ""), with_rule(what, rule))
            for rule, what in breaches_of(claim, self.catalogue, today=self.today)
        ]


def _same_place(one: Observation, other: Observation) -> bool:
    return one.document.key == other.document.key and one.release == other.release


def _read_level(fields: Fields) -> SupportLevel | None:
    written = str(fields.given.get("level", "")).strip().lower()
    if written == SupportLevel.CONDITIONAL:
        fields.raw("level")
        fields.refuse(
            "level", Phrase('is "conditional"; accepted: "supported" with its conditions')
        )
        return None
    if written == SupportLevel.UNKNOWN:
        fields.raw("level")
        fields.refuse("level", Phrase('is "unknown", which no source states; leave the line out'))
        return None
    return fields.word(
        "level", SupportLevel, also=SHORT_LEVELS, accepted=CLAIM_LEVELS, required=True
    )


def _one_kind(
    fields: Fields, kind: EvidenceKind | None, kinds: list[tuple[str, EvidenceKind]]
) -> EvidenceKind | None:
    """The kind of the whole claim: one claim rests on one kind of evidence."""
    for path, other in kinds:
        if kind is not None and other is not kind:
            fields.problems.append(
                Problem(
                    f"{path}.kind",
                    Phrase(
                        "is {value} beside {earlier}; accepted: one kind a claim, so write "
                        "another line for the other kind",
                        value=other.value,
                        earlier=kind.value,
                    ),
                )
            )
        kind = kind or other
    if kind is None and not any(p.field.endswith("kind") for p in fields.problems):
        fields.refuse(
            "kind", Phrase("is missing; accepted: {names}", names=", ".join(EvidenceKind))
        )
    return kind


def _read_validity(
    fields: Fields,
    releases: ReleaseReader,
    observations: list[Observation],
    *,
    today: date,
) -> Validity | None:
    """The range; an end that is not given is that of the observations."""
    ends = {
        name: releases.read(fields.text(name, longest=80), fields.place(name), fields.problems)
        for name in ("first", "last", "after", "gone")
    }
    first_kind = fields.word("first_kind", EndpointKind)
    gone_on = fields.day("gone_on", today=today)
    open_ended = fields.flag("open_ended")
    gone = releases.find(ends["gone"])
    if gone is not None and gone_on is None:
        gone_on = gone.released_on
    if not observations:
        return None
    if first_kind is None:
        stated = EndpointKind.EXACT if fields.has("first") else EndpointKind.AT_OR_BEFORE
        first_kind = EndpointKind.BETWEEN if ends["after"] else stated
    return Validity(
        first=ends["first"] or observations[0].release,
        last=ends["last"] or observations[-1].release,
        first_kind=first_kind,
        after=ends["after"],
        gone=ends["gone"],
        gone_on=gone_on,
        open_ended=open_ended,
    )


def _read_conditions(fields: Fields) -> list[Condition]:
    found = []
    for path, item in fields.objects("conditions", most=50):
        inner = Fields(item, fields.problems, path=path)
        kind = inner.word("kind", ConditionKind, required=True)
        name = inner.text("name", longest=120, required=True)
        value = inner.text("value", longest=200)
        op = inner.text("op", longest=8) or ("=" if value else "set")
        if op not in CONDITION_OPS:
            inner.refuse(
                "op",
                Phrase(
                    "is {value}; accepted: {names}",
                    value=shown_value(op),
                    names=", ".join(CONDITION_OPS),
                ),
            )
        if op in ("set", "unset") and value:
            inner.refuse(
                "value",
                Phrase(
                    "is {value}; accepted: nothing beside {op!r}", value=shown_value(value), op=op
                ),
            )
        if op not in ("set", "unset") and not value:
            inner.refuse(
                "value",
                Phrase("is missing; accepted: what {name} is compared with", name=name or "it"),
            )
        workaround, link = inner.text("workaround", longest=400), inner.text("link", longest=600)
        if link and not link.startswith(("https://", "http://")):
            inner.refuse(
                "link",
                Phrase("is {value}; accepted: an http or https address", value=shown_value(link)),
            )
        inner.refuse_unknown()
        if kind is not None and name:
            found.append(
                Condition(
                    kind=kind, name=name, op=op, value=value, workaround=workaround, link=link
                )
            )
    return found


def _read_settings(fields: Fields) -> list[Condition]:
    """Flags and variables that must be given, written short: ``{"--enforce-eager": true}``."""
    value = fields.raw("settings")
    if value is None:
        return []
    if not isinstance(value, Mapping):
        fields.refuse(
            "settings", Phrase("is {value}; accepted: names with values", value=shown_value(value))
        )
        return []
    inner = Fields(value, fields.problems, path=fields.place("settings"))
    found = []
    for name, given in value.items():
        kind = _kind_of_setting(name)
        if kind is None:
            inner.refuse(
                name[:60],
                Phrase("is neither a flag nor a variable; write it under conditions by its kind"),
            )
        elif given is True or given is False:
            found.append(Condition(kind=kind, name=name, op="set" if given else "unset"))
        elif text := inner.text(name, longest=200):
            found.append(Condition(kind=kind, name=name, op="=", value=text))
        else:
            inner.refuse(name[:60], Phrase("is empty; accepted: true, false or a value"))
    return found


def _kind_of_setting(name: str) -> ConditionKind | None:
    if len(name) <= 120 and _FLAG.fullmatch(name):
        return ConditionKind.FLAG
    return ConditionKind.ENV if len(name) <= 120 and _VARIABLE.fullmatch(name) else None


def entered_uid(claim: Claim) -> str:
    """A stable identifier of everything that a line says, its evidence included.

    The same line keeps it wherever it is read; any change of the line makes another one.
    """
    said = codec.claim_to_plain(claim)
    del said["uid"]
    said.pop("parser", None)
    said["seen"] = [
        [o.document.key, o.release, o.stated_on.isoformat(), o.raw,
         codec.locator_to_plain(o.locator)]
        for o in claim.observations
    ]  # fmt: skip
    text = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return "e" + hashlib.sha256(text.encode()).hexdigest()[:20]
