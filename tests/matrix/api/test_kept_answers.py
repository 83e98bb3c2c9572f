"""Kept answers: built once, for one owner only, in bounded room."""

from matrix.api.kept import KeptAnswers


class _Owner:
    """Stands for the knowledge of a revision."""


def test_an_answer_is_built_once_for_each_tag_and_owner() -> None:
    kept, built = KeptAnswers(), []

    def build() -> bytes:
        built.append(len(built))
        return str(len(built)).encode()

    first, second = _Owner(), _Owner()
    assert [kept.get(first, tag, build) for tag in ("a", "b", "a")] == [b"1", b"2", b"1"]
    assert kept.get(second, "a", build) == b"3"
    assert kept.get(second, "a", build) == b"3"
    assert kept.get(first, "a", build) == b"4"


def test_the_room_is_bounded_and_a_huge_answer_is_not_kept() -> None:
    kept, owner = KeptAnswers(most_bytes=1_000), _Owner()
    built: list[str] = []

    def ask(tag: str, size_bytes: int) -> bytes:
        def build() -> bytes:
            built.append(tag)
            return b"x" * size_bytes

        return kept.get(owner, tag, build)

    for tag in ("a", "b", "a", "c", "c", "a"):
        assert len(ask(tag, 200)) == 200
    # The third one found no room beside the first two.
    assert built == ["a", "b", "c", "a"]
    assert [len(ask("huge", 5_000)) for _ in range(2)] == [5_000, 5_000]
    assert built[-2:] == ["huge", "huge"]
