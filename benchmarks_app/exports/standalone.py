"""A page as one file that opens without a network: styles, scripts and plots inside."""

from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.utils.html import escape

STYLES = (
    "css/tokens.css", "css/base.css", "css/layout.css", "css/components.css", "css/matrix.css",
    "css/benchmarks.css", "css/plots.css", "css/print.css",
)  # fmt: skip
PLOTTING = "plotly/plotly.min.js"
SCRIPTS = ("js/plots.js",)
# The file may run what it holds and reach nothing else, wherever it is opened.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


class MissingStaticFile(RuntimeError):
    """A static file that the page needs is not installed."""


def standalone_page(*, title: str, body: str, language: str, with_plots: bool) -> str:
    """The whole file. ``body`` is markup that was escaped where it was made.

    **Raises**: ``MissingStaticFile`` where the installation is broken.
    """
    styles = "\n".join(_in_style(_static_text(name)) for name in STYLES)
    names = (PLOTTING, *SCRIPTS) if with_plots else ()
    scripts = "\n".join(
        f"<script{_kind_of(name)}>\n{_in_script(_static_text(name))}\n</script>" for name in names
    )
    return (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n"
        f'<style id="plotly.js-style-global" class="no-inline-styles">\n{styles}\n</style>\n'
        f'</head>\n<body>\n<main id="main">\n{body}\n</main>\n{scripts}\n</body>\n</html>\n'
    )


def _static_text(name: str) -> str:
    # Collected files may be older than the code; they count where nothing else is installed.
    for path in (Path(finders.find(name) or ""), Path(settings.STATIC_ROOT or "") / name):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise MissingStaticFile(f"The static file {name} is missing; run collectstatic.")


def _kind_of(name: str) -> str:
    return ' type="module"' if name in SCRIPTS else ""


def _in_script(text: str) -> str:
    """The text so that no part of it ends the script element that it stands in."""
    return text.replace("</script", "<\\/script").replace("<!--", "\\x3c!--")


def _in_style(text: str) -> str:
    return text.replace("</", "<\\/")
