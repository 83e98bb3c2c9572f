"""Names the Django app that holds the knowledge: catalogue, claims, verdicts, dashboard."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy


class MatrixConfig(AppConfig):
    """The innermost app: it imports neither of the others."""

    name = "matrix"
    verbose_name = gettext_lazy("Matrix")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Registers the checks that hold vocabularies, tables, words and styles together."""
        from matrix import checks

        register(checks.check_columns, Tags.models)
        register(checks.check_words)
        register(checks.check_styles, Tags.staticfiles)
        register(checks.check_triggers, Tags.database)
