"""Names the composition root as a Django app, for its checks and commands; it has no tables."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy


class SiteConfig(AppConfig):
    """Settings, root URLs and the commands that run an installation."""

    name = "matrix.site"
    label = "site"
    verbose_name = gettext_lazy("Site")

    def ready(self) -> None:
        """Registers the checks of the installation."""
        from matrix.site import checks

        register(checks.check_var_folder, Tags.files)
        register(checks.check_panels)
        register(checks.check_secret_key, Tags.security)
        register(checks.check_secret_is_shared, Tags.security, deploy=True)
