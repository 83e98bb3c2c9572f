"""The context of the about pages: glossary, rules, errors, and one of every component."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.asking import PROBLEM_KINDS, ProblemKind
from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import EvidenceKind, UnknownReason
from matrix.domain.verdict_values import CARRY_LIMIT_DAYS, RECHECK_AFTER_DAYS, RULESET_VERSION, Rule
from matrix.pages.rule_words import COMBINING, RULE_NAMES, UNKNOWN_SENTENCES
from matrix.pages.words import EVIDENCE_SIGNS, LEVEL_SIGNS, STATUS_SIGNS, Sign
from matrix.queries.rule_texts import RULE_TEXTS

TERMS: tuple[tuple[Promise, Promise], ...] = (
    (_("framework"), _("An inference engine, one of its plug-ins or forks.")),
    (_("release"), _("A published version on a release line (stable, rc, nightly, …).")),
    (_("backend"), _("The compute back end inside a framework: CUDA, ROCm, Metal, Vulkan, …")),
    (
        _("hardware"),
        _("One device type, or its architecture, family or vendor; the number is separate."),
    ),
    (_("model"), _("A published checkpoint, a family, or an architecture class.")),
    (_("quantization"), _("The numeric scheme of weights, activations or KV cache.")),
    (_("checkpoint container"), _("The file format that carries the scheme.")),
    (
        _("cell"),
        _("One question: a framework release with model, quantization, hardware and features."),
    ),
    (_("scope"), _("The set of cells that a statement speaks about.")),
    (_("claim"), _("One dated statement of one source about a scope; never edited.")),
    (_("evidence"), _("What a claim rests on: document, place in it, day, and what stood there.")),
    (_("verdict"), _("The computed answer for a cell on a day.")),
    (_("as of"), _("The asked day: only evidence stated by then counts.")),
    (_("stated on"), _("The day that a document speaks for.")),
    (_("recorded at"), _("When it was written down here.")),
    (_("known at"), _("Answers with what was written down here by that day.")),
    (_("leg"), _("One of the things that must be stated before a cell is supported.")),
)


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
        summary = str(node.facts.get("summary", ""))
        if node.kind == "feature" and summary:
            entry = FeatureEntry(name=node.name, slug=slug, summary=summary)
            groups.setdefault(tree.up(slug)[-1], []).append(entry)
    return [
        FeatureGroup(name=area[root].name, features=sorted(found, key=lambda f: f.name.casefold()))
        for root, found in sorted(groups.items())
    ]
