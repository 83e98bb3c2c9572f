"""Names the Django app that holds measured facts."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class BenchmarksConfig(AppConfig):
    """Measured runs; imports matrix only, and carries the label that tables and URLs use."""

    name = "benchmarks_app"
    label = "benchmarks"
    verbose_name = gettext_lazy("Benchmarks")
    default_auto_field = "django.db.models.BigAutoField"
