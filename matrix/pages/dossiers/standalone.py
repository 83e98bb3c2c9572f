"""A dossier as one file that opens without a network: the styles inside, no script at all."""

from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.utils.html import escape

STYLES = (
    "css/tokens.css", "css/base.css", "css/layout.css", "css/components.css", "css/matrix.css",
    "css/memory.css", "css/dossiers.css", "css/print.css",
)  # fmt: skip
# The file may show what it holds and reach nothing else, wherever it is opened.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"


class MissingStaticFile(RuntimeError):
    """A static file that the page needs is not installed."""


def standalone_page(*, title: str, body: str, language: str) -> str:
    """The whole file. ``body`` is markup that was escaped where it was made.

    **Raises**: ``MissingStaticFile`` where the installation is broken.
    """
    styles = "\n".join(_in_style(_static_text(name)) for name in STYLES)
    return (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>\n{styles}\n</style>\n"
        f'</head>\n<body>\n<main id="main">\n{body}\n</main>\n</body>\n</html>\n'
    )


def _static_text(name: str) -> str:
    # Collected files may be older than the code; they count where nothing else is installed.
    for path in (Path(finders.find(name) or ""), Path(settings.STATIC_ROOT or "") / name):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise MissingStaticFile(f"The static file {name} is missing; run collectstatic.")


def _in_style(text: str) -> str:
    return text.replace("</", "<\\/")
