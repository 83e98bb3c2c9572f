"""System checks of an installation: what settings name has to be there."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.utils.module_loading import import_string

from matrix.site.env import read_secret

SHORTEST_SECRET = 32


def check_var_folder(**kwargs: Any) -> Sequence[CheckMessage]:
    """Returns an error where the folder for the database, key and static files is not writable."""
    folder = Path(settings.VAR_DIR)
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return []
    return [
        Error(
            f"RUNPROOF_VAR_DIR is {str(folder)!r}, which is no folder that can be written to.",
            hint="Make the folder, or name another one.",
            id="site.E001",
        )
    ]


def check_panels(**kwargs: Any) -> Sequence[CheckMessage]:
    """Returns an error for each name among the panels that leads to nothing callable."""
    problems = []
    named = [("MATRIX_CELL_PANELS", name) for name in settings.MATRIX_CELL_PANELS]
    named += [("MATRIX_OVERVIEW_PANELS", name) for name in settings.MATRIX_OVERVIEW_PANELS]
    for setting, name in named:
        try:
            found = callable(import_string(name))
        except ImportError:
            found = False
        if not found:
            problems.append(
                Error(
                    f"{setting} names {name!r}, which is no function of an installed app.",
                    hint="Write a function's dotted name, such as 'benchmarks_app.panels.runs'.",
                    id="site.E002",
                )
            )
    return problems


def check_secret_key(**kwargs: Any) -> Sequence[CheckMessage]:
    """Returns an error where the signing key can be guessed."""
    if len(settings.SECRET_KEY) >= SHORTEST_SECRET:
        return []
    return [
        Error(
            f"RUNPROOF_SECRET_KEY has {len(settings.SECRET_KEY)} characters; at least "
            f"{SHORTEST_SECRET} are needed.",
            hint="Unset it to have one made under var/, or set a long random text.",
            id="site.E003",
        )
    ]


def check_secret_is_shared(**kwargs: Any) -> Sequence[CheckMessage]:
    """Returns a warning for a deployment whose key is the one made on this machine."""
    if read_secret("RUNPROOF_SECRET_KEY"):
        return []
    return [
        Warning(
            "RUNPROOF_SECRET_KEY is not set, so every machine makes a key of its own.",
            hint="Set it, or RUNPROOF_SECRET_KEY_FILE, where several machines serve one site.",
            id="site.W001",
        )
    ]
