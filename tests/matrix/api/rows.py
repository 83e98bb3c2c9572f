"""Rows of a small world: the trees of `tests.builders`, releases, periods and some claims."""

from datetime import UTC, date, datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from matrix.domain.levels import EvidenceKind
from matrix.domain.trees import Tree
from matrix.models import (
    NODE_MODELS,
    CatalogSource,
    Framework,
    HardwarePrice,
    MaintenancePeriod,
    Release,
    SplitName,
)
from matrix.services import add_claims, raise_revision
from matrix.tokens import issue_token
from tests import builders

_TREES = {
    "hardware": builders.HARDWARE,
    "quantization": builders.QUANTIZATION,
    "model": builders.MODEL,
    "feature": builders.FEATURE,
    "backend": builders.BACKEND,
    "container": Tree({"awq": None}),
}
_KINDS = {
    "hardware": ("vendor", "architecture", "device"),
    "model": ("architecture", "family", "checkpoint"),
}
_NAMES = {"nvidia-turing": "Turing", "meta--llama-3-8b": "meta/Llama-3-8B", "vllm": "vLLM"}
_FACTS: dict[str, dict[str, Any]] = {
    "cuda": {"default_for": ["nvidia"], "hardware_roots": ["nvidia"]},
    "rocm": {"default_for": ["amd"], "hardware_roots": ["amd"]},
    "nvidia-t4": {"memory_bytes": 16 * 2**30},
    "meta--llama-3-8b": {
        "num_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_kv_heads": 8,
        "head_dim": 128, "intermediate_size": 14336, "vocab_size": 128256,
        "tied_embeddings": False, "max_context_tokens": 8192, "parameters_total": 8030261248,
    },
}  # fmt: skip

AWQ_ON_TURING = builders.claim(
    "supported",
    about=builders.scope(quantization="awq", hardware="nvidia-turing"),
    seen=("0.6.0", "0.7.0"),
    uid="awq-on-turing",
)
FP8_ON_VOLTA = builders.claim(
    "unsupported",
    about=builders.scope(quantization="fp8", hardware="nvidia-volta"),
    seen=("0.6.0",),
    uid="fp8-on-volta",
    gone="0.8.0",
)
FP8_ON_VOLTA_LATER = builders.claim(
    "partial",
    about=builders.scope(quantization="fp8", hardware="nvidia-volta"),
    seen=("0.8.0",),
    uid="fp8-on-volta-later",
    note="weights <only>",
)
TURING = builders.claim(
    "supported", about=builders.scope(hardware="nvidia-turing"), seen=("0.6.0",), uid="turing"
)
CLAIMS = (AWQ_ON_TURING, FP8_ON_VOLTA, FP8_ON_VOLTA_LATER, TURING)


def make_world() -> None:
    """Fills the tables."""
    CatalogSource.objects.create(
        key="notes", title="Notes", url="https://example.org/notes", read_on=date(2026, 1, 2)
    )
    for slug, parent in (("vllm", None), ("vllm-ascend", "vllm")):
        Framework.objects.create(
            slug=slug,
            name=_NAMES.get(slug, slug),
            kind="engine" if parent is None else "plugin",
            parent=Framework.objects.get(slug=parent) if parent else None,
            facts={"version_scheme": "pep440", "backends": ["cuda", "rocm"]},
            source_keys=["notes"],
        )
    for area in _TREES:
        _make_nodes(area)
    SplitName.objects.create(area="hardware", name="old cards", nodes=["nvidia-v100", "nvidia-t4"])
    vllm = Framework.objects.get(slug="vllm")
    Release.objects.bulk_create(
        Release(
            framework=vllm,
            version=version,
            tag=f"v{version}",
            released_at=datetime.combine(
                builders.released_on(version), datetime.min.time(), tzinfo=UTC
            ),
        )
        for version in builders.VERSIONS
    )
    MaintenancePeriod.objects.create(
        framework=vllm,
        status="active",
        start_on=date(2025, 1, 1),
        end_on=date(2025, 12, 1),
        evidence_kind=EvidenceKind.RELEASE_NOTE.value,
        url="https://example.org/releases",
        stated_on=date(2025, 11, 1),
    )
    add_claims(CLAIMS, shipped=False)
    raise_revision()


def _make_nodes(area: str) -> None:
    """All nodes of an area, level by level, so that a parent stands before its children."""
    model, tree = NODE_MODELS[area], _TREES[area]
    rows: dict[str, Any] = {}
    for depth in range(3):
        kind = _KINDS.get(area, ("group", "scheme", "scheme"))[depth]
        level = [
            model(
                slug=slug,
                name=_NAMES.get(slug, slug),
                kind=kind,
                parent=rows[parent] if parent else None,
                facts=_FACTS.get(slug, {}),
                source_keys=["notes"],
            )
            for slug, parent in tree.parents.items()
            if tree.depth(slug) == depth
        ]
        rows |= {row.slug: row for row in model.objects.bulk_create(level)}


def make_price() -> None:
    """A price of the small world, so that addresses of prices answer."""
    HardwarePrice.objects.create(
        uid="t4-price",
        hardware="nvidia-t4",
        amount_per_hour="0.53",
        currency="USD",
        effective_on=date(2026, 1, 1),
        recorded_by="ada",
        recorded_at=datetime(2026, 1, 2, tzinfo=UTC),
    )


def make_user(name: str, *roles: str) -> Any:
    """An account with roles."""
    user = get_user_model().objects.create_user(username=name)
    for role in roles:
        user.groups.add(Group.objects.get_or_create(name=role)[0])
    return user


def bearer(user: Any, *scopes: str) -> dict[str, str]:
    """The header of a fresh token."""
    _, text = issue_token(user, name="test", scopes=scopes, days=1, actor="test")
    return {"authorization": f"Bearer {text}"}


CLAIM_BODY: dict[str, Any] = {
    "framework": "vllm",
    "statement": "AWQ on Ampere",
    "scope": {"quantization": {"include": ["awq"]}, "hardware": {"include": ["nvidia-ampere"]}},
    "level": "supported",
    "kind": "documentation",
    "observations": [
        {
            "release": "0.6.0",
            "stated_on": "2025-07-01",
            "raw": "yes",
            "locator": {"row": "AWQ", "column": "Ampere", "line": 3},
            "document": {"url": "https://example.org/page", "version": "0.6.0"},
        }
    ],
}
