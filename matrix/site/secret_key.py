"""The signing key of an installation that names none: made once and kept under var/."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from matrix.site.env import SettingError


def read_or_create_secret_key(path: Path) -> str:
    """Returns the key in the file, which is made (mode 0600) where it is missing.

    Two processes that start at once agree on one key: the file appears complete or not at all, and
    the first to put it there wins.
    **Raises** SettingError when the file can be neither read nor made.
    """
    accepted = "a folder that can be written, or RUNPROOF_SECRET_KEY"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Such a file is made with mode 0600, and vanishes under its first name at the end.
            with tempfile.NamedTemporaryFile("w", dir=path.parent) as draft:
                draft.write(secrets.token_urlsafe(48))
                draft.flush()
                with suppress(FileExistsError):
                    os.link(draft.name, path)
        key = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SettingError(
            name=str(path), seen=f"not usable ({error.strerror})", accepted=accepted
        ) from error
    if not key:
        raise SettingError(name=str(path), seen="empty", accepted=accepted)
    return key
