"""Readers of model hub answers: what a checkpoint's configuration and weights are."""

from ingest.sources.model_hub.config import read_config
from ingest.sources.model_hub.weights import HubModel, read_model

__all__ = ["HubModel", "read_config", "read_model"]
