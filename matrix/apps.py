"""Names the Django app that holds the knowledge: catalogue, claims, verdicts, dashboard."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class MatrixConfig(AppConfig):
    """The innermost app: it imports neither of the others."""

    name = "matrix"
    verbose_name = gettext_lazy("Matrix")
    default_auto_field = "django.db.models.BigAutoField"
