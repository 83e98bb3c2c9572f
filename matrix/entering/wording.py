"""Claims in one line of words, for previews and for the terminal."""

from matrix.domain import codec
from matrix.domain.claims import Claim
from matrix.domain.coordinates import Condition, NumberRange, Scope
from matrix.domain.levels import EndpointKind, Execution, Outcome, Tier


def claim_sentence(claim: Claim) -> str:
    """What a claim says, of what, and since when: slugs and words of the closed vocabularies."""
    marks = [claim.level.value]
    if claim.execution is not Execution.UNSTATED:
        marks.append(claim.execution.value)
    if claim.tier is not Tier.OFFICIAL:
        marks.append(claim.tier.value)
    if claim.outcome is not Outcome.UNSTATED:
        marks.append(claim.outcome.value)
    parts = [f"{claim.framework}: {' '.join(marks)}", scope_words(claim.scope), _range_words(claim)]
    if claim.conditions:
        parts.append("if " + " and ".join(condition_words(c) for c in claim.conditions))
    return f"{'; '.join(parts)} ({claim.kind.value}, {claim.source})"


def scope_words(scope: Scope) -> str:
    """The axes of a scope with their nodes."""
    plain = codec.scope_to_plain(scope)
    parts = [
        f"{axis.value} {', '.join(sorted(nodes.include)) or 'any'}"
        + (f" but not {', '.join(sorted(nodes.exclude))}" if nodes.exclude else "")
        for axis, nodes in sorted(scope.nodes.items())
    ]
    if scope.features:
        parts.append("features " + " + ".join(sorted(scope.features)))
    parts += [f"{number.value} {_span(span)}" for number, span in sorted(scope.numbers.items())]
    return ", ".join(parts) if plain else "everything"


def condition_words(condition: Condition) -> str:
    """A condition as it would be typed."""
    if condition.op == "set":
        return f"{condition.kind.value} {condition.name}"
    if condition.op == "unset":
        return f"no {condition.kind.value} {condition.name}"
    return f"{condition.kind.value} {condition.name} {condition.op} {condition.value}"


def _span(span: NumberRange) -> str:
    if span.minimum == span.maximum:
        return f"{span.minimum:g}"
    if span.maximum is None:
        return f">= {span.minimum:g}"
    return (
        f"<= {span.maximum:g}" if span.minimum is None else f"{span.minimum:g} to {span.maximum:g}"
    )


def _range_words(claim: Claim) -> str:
    validity = claim.validity
    since = {
        EndpointKind.EXACT: f"since {validity.first}",
        EndpointKind.AT_OR_BEFORE: f"in {validity.first}, maybe earlier",
        EndpointKind.BETWEEN: f"since {validity.first}, not yet in {validity.after}",
    }[validity.first_kind]
    seen = list(dict.fromkeys(o.release for o in claim.observations))
    parts = [since, f"seen at {', '.join(seen)}"]
    if validity.open_ended:
        parts.append("and from there on")
    if validity.gone:
        parts.append(f"no longer said at {validity.gone}")
    return ", ".join(parts)
