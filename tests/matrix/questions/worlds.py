"""The shipped catalogue, and claims about it that a test states itself."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime

from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim, Document, Locator, Observation, Validity
from matrix.domain.coordinates import NodeSet, Scope
from matrix.domain.index import ClaimIndex
from matrix.domain.levels import Axis, EvidenceKind, Execution, SupportLevel, Tier
from matrix.questions.answers import Answer, answer_question
from matrix.questions.files import Question


def state(
    level: str,
    *,
    catalogue: Catalogue,
    framework: str = "vllm",
    release: str = "0.11.0",
    features: Iterable[str] = (),
    tier: Tier = Tier.OFFICIAL,
    kind: EvidenceKind = EvidenceKind.DOCUMENTATION,
    execution: Execution = Execution.UNSTATED,
    **nodes: str,
) -> Claim:
    """A claim of one page of a release: ``state("supported", hardware="nvidia-turing", …)``."""
    found = catalogue.histories[framework].find(release)
    assert found is not None
    axes: Mapping[Axis, NodeSet] = {
        Axis(name): NodeSet(include=frozenset({slug})) for name, slug in nodes.items()
    }
    statement = "/".join([level, *nodes.values(), *features])
    return Claim(
        uid=f"{statement}@{release}",
        framework=framework,
        source="test:page",
        statement=statement,
        scope=Scope(nodes=axes, features=frozenset(features)),
        level=SupportLevel(level),
        kind=kind,
        execution=execution,
        tier=tier,
        validity=Validity(first=release, last=release),
        observations=(
            Observation(
                document=Document(key=f"{framework}:{release}", url="https://example.org/page"),
                locator=Locator(row="row", line=3),
                release=found.version,
                stated_on=found.released_on,
            ),
        ),
        note="a part" if level == "partial" else "",
        recorded_at=datetime(2025, 1, 1, tzinfo=UTC),
    )


def ask(catalogue: Catalogue, claims: Iterable[Claim], **fields: object) -> Answer:
    """The answer to a question about vLLM 0.11.0 unless the fields say otherwise."""
    stated: dict[str, object] = {
        "uid": "q",
        "framework": "vLLM",
        "framework_version": "0.11.0",
        "as_of": date(2025, 11, 1),
        "question": "Does it run?",
        **fields,
    }
    question = Question(**stated)  # type: ignore[arg-type]
    index = ClaimIndex(claims, catalogue.surroundings)
    return answer_question(question, index=index, catalogue=catalogue)
