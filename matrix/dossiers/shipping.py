"""Loads the shipped demonstration dossiers, each once: a draft, filled, frozen and signed."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import transaction

from matrix.dossiers.drafts import change_dossier, open_dossier
from matrix.dossiers.freezing import comment, freeze_dossier, sign_off
from matrix.dossiers.parts import grant_waiver, put_candidate, put_criterion, put_score
from matrix.models import Dossier

SHIPPED_FOLDER = Path(__file__).parent / "shipped"
ACTOR = "demonstration"


def load_shipped_dossiers(folder: Path = SHIPPED_FOLDER) -> list[tuple[str, bool]]:
    """Identifiers of the dossiers of a folder, and whether each was new.

    One that exists stays as it is: it may have been discussed, re-checked and renewed.
    **Raises**: ``InvalidDossier`` for a file that breaks a rule; nothing of it is kept.
    """
    found = []
    for path in sorted(folder.glob("*.toml")):
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
        uid = str(plain["uid"])
        is_new = not Dossier.objects.filter(uid=uid).exists()
        if is_new:
            _load(plain, uid)
        found.append((uid, is_new))
    return found


@transaction.atomic
def _load(plain: Mapping[str, Any], uid: str) -> None:
    dossier = open_dossier(
        uid=uid,
        title=plain["title"],
        summary=plain["summary"],
        need=plain["need"],
        as_of=plain["as_of"],
        recheck_on=plain.get("recheck_on"),
        actor=ACTOR,
        is_demonstration=True,
    )
    keys = _load_criteria(plain, dossier)
    for position, candidate in enumerate(plain["candidate"], 1):
        _load_candidate(candidate, dossier, key=str(position), criteria=keys)
    for text in plain.get("comment", ()):
        comment(uid, text=text["text"], actor=text["author"])
    change_dossier(uid, edition=_edition(dossier), actor=ACTOR, decision=plain["decision"])
    frozen = freeze_dossier(uid, edition=_edition(dossier), actor=ACTOR)
    for signed in plain.get("sign_off", ()):
        sign_off(uid, content_sha256=frozen.content_sha256, actor=ACTOR, **signed)


def _load_criteria(plain: Mapping[str, Any], dossier: Dossier) -> dict[str, str]:
    """Keys of the criteria by the short names of the file."""
    keys = {}
    for position, criterion in enumerate(plain["criterion"], 1):
        fields = {name: value for name, value in criterion.items() if name != "short"}
        put_criterion(dossier.uid, edition=_edition(dossier), actor=ACTOR, **fields)
        keys[criterion["short"]] = str(position)
    return keys


def _load_candidate(
    candidate: Mapping[str, Any], dossier: Dossier, *, key: str, criteria: Mapping[str, str]
) -> None:
    fields = {n: v for n, v in candidate.items() if n not in ("score", "waiver")}
    put_candidate(dossier.uid, edition=_edition(dossier), actor=ACTOR, **fields)
    for short, score in candidate.get("score", {}).items():
        put_score(
            dossier.uid, edition=_edition(dossier), actor=ACTOR, candidate=key,
            criterion=criteria[short], **score,
        )  # fmt: skip
    for short, waiver in candidate.get("waiver", {}).items():
        grant_waiver(
            dossier.uid, edition=_edition(dossier), actor=ACTOR, candidate=key,
            criterion=criteria[short], **waiver,
        )  # fmt: skip


def _edition(dossier: Dossier) -> int:
    return Dossier.objects.values_list("edition", flat=True).get(pk=dossier.pk)
