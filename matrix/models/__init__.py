"""The tables of the knowledge base, one module per subject."""

from typing import Any

from matrix.models.access import ApiToken, AuditEntry
from matrix.models.catalog import (
    Backend,
    CatalogSource,
    Container,
    CuratedAlias,
    CuratedFacts,
    Feature,
    Framework,
    Hardware,
    LanguageModel,
    Quantization,
    SplitName,
)
from matrix.models.claims import Claim, KnowledgeRevision, Observation, SourceDocument
from matrix.models.dossiers import (
    Dossier,
    DossierCandidate,
    DossierComment,
    DossierCriterion,
    DossierRecheck,
    DossierScore,
    DossierSignOff,
    DossierWaiver,
)
from matrix.models.entering import ManualTest
from matrix.models.prices import HardwarePrice
from matrix.models.releases import (
    MaintenancePeriod,
    Release,
    ReleaseImage,
    ReleasePin,
    Repository,
)

# Which table holds the nodes of which catalogue area.
NODE_MODELS: dict[str, Any] = {
    "framework": Framework,
    "backend": Backend,
    "hardware": Hardware,
    "model": LanguageModel,
    "quantization": Quantization,
    "container": Container,
    "feature": Feature,
}

__all__ = [
    "NODE_MODELS",
    "ApiToken",
    "AuditEntry",
    "Backend",
    "CatalogSource",
    "Claim",
    "Container",
    "CuratedAlias",
    "CuratedFacts",
    "Dossier",
    "DossierCandidate",
    "DossierComment",
    "DossierCriterion",
    "DossierRecheck",
    "DossierScore",
    "DossierSignOff",
    "DossierWaiver",
    "Feature",
    "Framework",
    "Hardware",
    "HardwarePrice",
    "KnowledgeRevision",
    "LanguageModel",
    "MaintenancePeriod",
    "ManualTest",
    "Observation",
    "Quantization",
    "Release",
    "ReleaseImage",
    "ReleasePin",
    "Repository",
    "SourceDocument",
    "SplitName",
]
