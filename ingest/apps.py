"""Names the Django app by which knowledge arrives."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class IngestConfig(AppConfig):
    """The outermost app: it may import both others."""

    name = "ingest"
    verbose_name = gettext_lazy("Ingest")
    default_auto_field = "django.db.models.BigAutoField"
