"""The variables that say what may be fetched, and as whom."""

from pathlib import Path

import pytest

from matrix.site import env


def test_hosts_have_the_port_of_https_where_none_stands() -> None:
    environ = {"X": "Docs.Example, mirror.example:8443 intranet"}
    assert env.read_hosts("X", environ=environ) == (
        ("docs.example", 443),
        ("mirror.example", 8443),
        ("intranet", 443),
    )
    assert env.read_hosts("X", environ={}) == ()


@pytest.mark.parametrize(
    "word",
    [
        "https://docs.example",
        "docs.example/",
        "docs.example:",
        "docs.example:0",
        "docs.example:65536",
        "docs.example:https",
        "user@docs.example",
        "10.0.0.1",
        "[::1]",
        "*.example",
        "-docs.example",
        "docs..example",
    ],
)
def test_a_word_that_is_no_host_is_named(word: str) -> None:
    with pytest.raises(env.SettingError, match=r"^X is .*; accepted: host names such as"):
        env.read_hosts("X", environ={"X": word})


def test_a_contact_is_printable_ascii() -> None:
    text = "https://runproof.example/contact (operations)"
    assert env.read_header_text("X", environ={"X": text}) == text
    assert env.read_header_text("X", environ={}) == ""
    for wrong in ("a\r\nb", "é", "a\0b"):
        with pytest.raises(env.SettingError, match=r"accepted: printable ASCII on one line"):
            env.read_header_text("X", environ={"X": wrong})


def test_a_token_may_come_from_a_file_and_is_never_repeated(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("t0ken\n")
    environ = {"X_FILE": str(file)}
    assert env.read_header_text("X", secret=True, environ=environ) == "t0ken"
    with pytest.raises(env.SettingError) as error:
        env.read_header_text("X", secret=True, environ={"X": "t0k\nen"})
    assert "t0k" not in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    with pytest.raises(env.SettingError, match=r"ca\.pem.*readable file"):
        env.read_file_path("X", environ={"X": str(file)})
    file.touch()
    assert env.read_file_path("X", environ={"X": str(file)}) == str(file)
    assert env.read_file_path("X", environ={}) == ""
