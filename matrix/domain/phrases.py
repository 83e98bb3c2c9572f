"""Sentences that stay translatable: what is said, apart from what is put into it."""

from collections.abc import Iterable, Mapping


class Phrase(str):
    """An English sentence that remembers its template and the values in it.

    The domain speaks English and knows no translation; the pages look the template up in the
    reader's language and put the same values in. It is a plain string everywhere else. Templates
    are literals, so that the extraction finds them: ``Phrase("up to {most} files", most=20)``.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> "Phrase":
        """The sentence with its values put in by ``str.format``."""
        made = super().__new__(cls, template.format(**values))
        made.template = template
        made.values = values
        return made

    def __str__(self) -> str:
        """Itself: ``str(error)`` stays translatable."""
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        """What copies and pickles are made of."""
        return (self.template,), dict(self.values)


def join_phrases(separator: str, parts: Iterable[str]) -> Phrase:
    """The parts in one text, each of which stays translatable; the separator is no word."""
    listed = {f"part_{number}": part for number, part in enumerate(parts)}
    mark = separator.replace("{", "{{").replace("}", "}}")
    return Phrase(mark.join(f"{{{name}}}" for name in listed), **listed)
