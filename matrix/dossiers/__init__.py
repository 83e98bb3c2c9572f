"""Selection dossiers: all that is written to them, one transaction each, audited.

A draft is changed from its newest edition only. A frozen dossier stays as it is; people comment on
it, sign it, re-check it, and open a new version of it.
"""

from matrix.dossiers.drafts import change_dossier, delete_draft, open_dossier
from matrix.dossiers.errors import (
    DraftDossier,
    FrozenDossier,
    InvalidDossier,
    ReplacedDossier,
    StaleEdition,
    UnknownDossier,
)
from matrix.dossiers.freezing import comment, freeze_dossier, new_version, sign_off, unready
from matrix.dossiers.parts import (
    grant_waiver,
    put_candidate,
    put_criterion,
    put_score,
    remove_candidate,
    remove_criterion,
    remove_waiver,
)
from matrix.dossiers.rechecking import recheck_dossier, recheck_due
from matrix.dossiers.verifying import (
    Verification,
    dossier_export,
    verify_dossier,
    verify_export,
)

__all__ = [
    "DraftDossier",
    "FrozenDossier",
    "InvalidDossier",
    "ReplacedDossier",
    "StaleEdition",
    "UnknownDossier",
    "Verification",
    "change_dossier",
    "comment",
    "delete_draft",
    "dossier_export",
    "freeze_dossier",
    "grant_waiver",
    "new_version",
    "open_dossier",
    "put_candidate",
    "put_criterion",
    "put_score",
    "recheck_dossier",
    "recheck_due",
    "remove_candidate",
    "remove_criterion",
    "remove_waiver",
    "sign_off",
    "unready",
    "verify_dossier",
    "verify_export",
]
