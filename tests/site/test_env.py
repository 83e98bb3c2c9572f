"""The readers of environment variables."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from matrix.site import env


@pytest.mark.parametrize(
    ("word", "flag"), [("1", True), ("Yes", True), ("off", False), ("0", False)]
)
def test_a_flag_takes_the_usual_words(word: str, flag: bool) -> None:
    assert env.read_flag("X", not flag, environ={"X": word}) is flag


def test_a_blank_flag_is_the_default() -> None:
    assert env.read_flag("X", True, environ={"X": "  "}) is True


def test_a_wrong_flag_is_named_with_what_is_accepted() -> None:
    with pytest.raises(env.SettingError, match=r"^X is 'maybe'; accepted: 1, true, yes, on, 0"):
        env.read_flag("X", True, environ={"X": "maybe"})


@pytest.mark.parametrize("text", ["ten", "1.5", "0", "11"])
def test_a_number_outside_its_bounds_is_refused(text: str) -> None:
    with pytest.raises(env.SettingError, match=r"accepted: a whole number from 1 to 10\.$"):
        env.read_integer("X", 5, minimum=1, maximum=10, environ={"X": text})


def test_an_unset_number_is_the_default() -> None:
    assert env.read_integer("X", 5, environ={}) == 5


def test_words_part_at_commas_and_blanks() -> None:
    assert env.read_words("X", environ={"X": "a.example, b.example c.example"}) == (
        "a.example",
        "b.example",
        "c.example",
    )


def test_a_secret_may_lie_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("hidden\n")
    assert env.read_secret("X", environ={"X_FILE": str(tmp_path / "key")}) == "hidden"


def test_a_secret_given_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(env.SettingError, match="X is set beside X_FILE"):
        env.read_secret("X", environ={"X": "hidden", "X_FILE": str(tmp_path)})


def test_a_missing_or_empty_secret_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("\n")
    with pytest.raises(env.SettingError, match="empty"):
        env.read_secret("X", environ={"X_FILE": str(tmp_path / "key")})
    with pytest.raises(env.SettingError, match="readable file"):
        env.read_secret("X", environ={"X_FILE": str(tmp_path / "none")})


def test_a_database_url_gives_its_parts() -> None:
    url = "postgresql://me:p%40ss@db.example:6432/runproof?sslmode=require"
    address = env.read_database_url("X", environ={"X": url})
    assert address == env.DatabaseAddress(
        name="runproof",
        user="me",
        password="p@ss",
        host="db.example",
        port="6432",
        options=(("sslmode", "require"),),
    )


def test_a_database_url_may_name_a_socket_folder() -> None:
    address = env.read_database_url("X", environ={"X": "postgres://me@/runproof?host=/run/pg"})
    assert address is not None
    assert (address.host, address.port, address.options) == ("/run/pg", "", ())


def test_no_database_url_is_none() -> None:
    assert env.read_database_url("X", environ={}) is None


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("sqlite:///file", "scheme 'sqlite'"),
        ("postgres://me:hidden@host/", "database name ''"),
        ("postgres://me:hidden@host:port/name", "port that is no number"),
    ],
)
def test_a_wrong_database_url_is_refused_without_showing_its_password(url: str, seen: str) -> None:
    with pytest.raises(env.SettingError) as refusal:
        env.read_database_url("X", environ={"X": url})
    assert seen in str(refusal.value)
    assert "hidden" not in str(refusal.value)


def test_a_wrong_value_ends_a_command_with_one_sentence() -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=root, capture_output=True, text=True,
        env={**os.environ, "RUNPROOF_FETCH_LOOPBACK": "maybe"}, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("RUNPROOF_FETCH_LOOPBACK is 'maybe'; accepted: ")
