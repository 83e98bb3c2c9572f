"""The signing key of an installation that names none."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from matrix.site.env import SettingError
from matrix.site.secret_key import read_or_create_secret_key


def test_the_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret-key"
    key = read_or_create_secret_key(path)
    assert len(key) >= 50
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_or_create_secret_key(path) == key
    assert [entry.name for entry in path.parent.iterdir()] == ["secret-key"]


def test_starts_at_the_same_time_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(read_or_create_secret_key, [tmp_path / "secret-key"] * 16))
    assert len(keys) == 1


def test_an_empty_key_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret-key").touch()
    with pytest.raises(SettingError, match="empty"):
        read_or_create_secret_key(tmp_path / "secret-key")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "var").touch()
    with pytest.raises(SettingError, match="RUNPROOF_SECRET_KEY"):
        read_or_create_secret_key(tmp_path / "var" / "secret-key")
