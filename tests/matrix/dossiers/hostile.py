"""A dossier with hostile text in every field that people write."""

from datetime import timedelta

from django.utils import timezone

from matrix import dossiers
from matrix.models import Dossier
from tests.matrix.dossiers.conftest import WORDS, change

SCRIPT = "<script>alert(1)</script>"
LINK = "[x](javascript:alert(1))"
FORMULA = '=HYPERLINK("http://example.org")'
TEXT = f"{SCRIPT} {LINK} | `a` **b** <img src=x onerror=alert(2)>"


def make_hostile_dossier(*, frozen: bool = True) -> Dossier:
    """The dossier, drafted, frozen, signed, commented on and checked again."""
    need = {
        "purpose": TEXT,
        "precision": TEXT,
        "workload": {"input_tokens_p50": 900, "concurrency": 8},
        "objectives": {"ttft_ms": 500},
        "hardware": [{"hardware": "nvidia-t4", "count": 2}],
        "required_features": ["lora"],
        "limits": dict.fromkeys(("on_call", "images", "languages", "team", "other"), TEXT),
    }
    made = dossiers.open_dossier(title=f"{FORMULA} {SCRIPT}", summary=TEXT, actor="ada", need=need)
    made = change(
        made, "put_candidate", name=f"{FORMULA} {SCRIPT}", words=WORDS, note=TEXT,
        effort={"note": TEXT, "conversion_steps": 2},
    )  # fmt: skip
    made = change(made, "put_candidate", name=f"@second {LINK}", words={"framework": "vllm"})
    made = change(
        made, "put_criterion", name=f"+knock {SCRIPT}", kind="knock-out", check_code="maintenance",
        note=TEXT,
    )  # fmt: skip
    made = change(
        made, "put_criterion", name=f"-ease {LINK}", kind="weighted", weight_percent=100, note=TEXT
    )
    made = change(made, "put_score", candidate="1", criterion="2", points=3, note=f"\t{TEXT}")
    made = change(
        made, "grant_waiver", candidate="1", criterion="1", reason=TEXT, removal_plan=TEXT,
        remove_by=timezone.now().date() + timedelta(days=30),
    )  # fmt: skip
    made = change(made, "change_dossier", decision=TEXT)
    dossiers.comment(made.uid, text=TEXT, actor=SCRIPT[:20])
    if not frozen:
        return made
    made = change(made, "freeze_dossier", actor="curator")
    dossiers.sign_off(
        made.uid, content_sha256=made.content_sha256, person=SCRIPT, role=SCRIPT, stance="dissent",
        statement=TEXT, actor="ada",
    )  # fmt: skip
    dossiers.recheck_dossier(made.uid, actor="curator", note=TEXT)
    return made
