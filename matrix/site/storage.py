"""Static files under names that carry their content's hash, JavaScript modules included."""

from collections.abc import Callable
from pathlib import Path
from re import Match
from typing import Any

from django.conf import settings
from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):
    """Rewrites `import … from "./x.js";` too, so that a changed module is not served from a cache.

    Only in our own scripts: in the text of a package's minified bundle the pattern finds imports
    that are none, and would fail on files that never were.
    """

    support_js_module_import_aggregation = True

    def url_converter(
        self, name: str, hashed_files: dict[str, str], template: str | None = None
    ) -> Callable[[Match[str]], str]:
        """Returns the rewriting of one file's references; none for the scripts of packages."""
        if name.endswith(".js") and not is_own_file(name):
            return keep_as_it_is
        converter: Any = super().url_converter(name, hashed_files, template)
        return converter


def is_own_file(name: str) -> bool:
    """Returns whether the static file is one of this repository's."""
    return (Path(settings.BASE_DIR) / "static" / name).exists()


def keep_as_it_is(match: Match[str]) -> str:
    """Returns the matched text."""
    return match.group(0)
