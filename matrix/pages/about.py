"""The context of the about pages: glossary, rules, errors, and one of every component."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

from matrix.asking import PROBLEM_KINDS, ProblemKind
from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import EvidenceKind, UnknownReason
from matrix.domain.verdict_values import CARRY_LIMIT_DAYS, RECHECK_AFTER_DAYS, RULESET_VERSION, Rule
from matrix.pages.glossary import TERMS
from matrix.pages.links import label_of, summary_of
from matrix.pages.rule_words import COMBINING, RULE_NAMES, UNKNOWN_SENTENCES
from matrix.pages.words import EVIDENCE_SIGNS, LEVEL_SIGNS, STATUS_SIGNS, Sign
from matrix.queries.rule_texts import RULE_TEXTS


@dataclass(frozen=True, slots=True)
class FeatureEntry:
    """A feature of the catalogue with its summary."""

    name: str
    slug: str
    summary: str


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """Features under one heading."""

    name: str
    features: Sequence[FeatureEntry]


@dataclass(frozen=True, slots=True)
class About:
    """Everything on the about page."""

    levels: Sequence[Sign]
    statuses: Sequence[Sign]
    evidence: Sequence[tuple[EvidenceKind, str, Promise]]
    rules: Sequence[tuple[Rule, Promise, Promise | str]]
    combining: Sequence[tuple[Promise, Promise]]
    unknown: Sequence[tuple[UnknownReason, Promise]]
    terms: Sequence[tuple[Promise, Promise]]
    groups: Sequence[FeatureGroup]
    errors: Sequence[ProblemKind]
    ruleset: str
    carry_days: int
    recheck_days: int


def build_about(catalogue: Catalogue) -> About:
    """The about page."""
    return About(
        levels=list(LEVEL_SIGNS.values()),
        statuses=list(STATUS_SIGNS.values()),
        evidence=[(kind, *EVIDENCE_SIGNS[kind]) for kind in EvidenceKind],
        rules=[(rule, RULE_NAMES[rule], RULE_TEXTS[rule]) for rule in Rule],
        combining=COMBINING,
        unknown=list(UNKNOWN_SENTENCES.items()),
        terms=TERMS,
        groups=_feature_groups(catalogue),
        errors=PROBLEM_KINDS,
        ruleset=RULESET_VERSION,
        carry_days=CARRY_LIMIT_DAYS,
        recheck_days=RECHECK_AFTER_DAYS,
    )


def _feature_groups(catalogue: Catalogue) -> list[FeatureGroup]:
    tree = catalogue.trees.features
    area = catalogue.area("feature")
    groups: dict[str, list[FeatureEntry]] = {}
    for slug, node in area.items():
        summary = summary_of(node)
        if node.kind == "feature" and summary:
            entry = FeatureEntry(name=label_of(node), slug=slug, summary=summary)
            groups.setdefault(tree.up(slug)[-1], []).append(entry)
    return [
        FeatureGroup(
            name=label_of(area[root]), features=sorted(found, key=lambda f: f.name.casefold())
        )
        for root, found in sorted(groups.items())
    ]
