#!/usr/bin/env python
"""Runs Django's management commands with Runproof's settings."""

import os
import sys


def main() -> None:
    """Hands the command line to Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "matrix.site.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError as error:
        raise SystemExit(
            "Django is not installed in this Python: run `make install` and use .venv/bin/python."
        ) from error
    from matrix.site.env import SettingError

    try:
        execute_from_command_line(sys.argv)
    except SettingError as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
