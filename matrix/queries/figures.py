"""Figures of the knowledge, for monitoring."""

from collections.abc import Sequence

from django.db.models import Count

from matrix.domain.figures import Figure
from matrix.index import current_revision, held_knowledge
from matrix.models import Claim, Dossier


def knowledge_figures() -> Sequence[Figure]:
    """The revision, standing claims, dossiers, and the index of this process. **Queries**: 3."""
    standing = Claim.objects.filter(superseded_at__isnull=True, withdrawn_at__isnull=True)
    dossiers = dict(Dossier.objects.order_by().values_list("state").annotate(Count("pk")))
    found = [
        Figure(
            "runproof_knowledge_revision",
            "Number of the knowledge revision in the tables.",
            current_revision(),
        ),
        Figure("runproof_claims", "Claims that stand.", standing.count()),
        *(
            Figure(
                "runproof_dossiers", "Dossiers by state.", dossiers.get(state, 0), {"state": state}
            )
            for state in ("draft", "frozen")
        ),
    ]
    held = held_knowledge()
    if held is not None:
        found += [
            Figure(
                "runproof_index_revision",
                "Revision that this process answers from.",
                held.revision,
            ),
            Figure(
                "runproof_index_build_seconds",
                "Time that building the index of this process took.",
                held.built_in_s,
            ),
        ]
    return found
