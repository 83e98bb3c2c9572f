"""The translations: what is to be translated, brought into the files, and made ready for use.

Messages are found without GNU gettext, so that everybody can renew and check them: Python by its
syntax tree, templates by Django's own reading of them, and the labels of the shipped catalogue.
"""

import ast
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

BASE = Path(__file__).resolve().parent.parent.parent
LOCALE = "zh_Hans"
PO_FILE = BASE / "locale" / LOCALE / "LC_MESSAGES" / "django.po"
MO_FILE = PO_FILE.with_suffix(".mo")
PACKAGES = ("matrix", "benchmarks_app", "ingest")

# Functions that take messages: how many leading arguments are messages, and whether the first one
# is a context.
_SINGLE = {"_", "_now", "_lazy", "gettext", "gettext_lazy", "gettext_noop", "Phrase"}
_PLURAL = {"ngettext", "ngettext_lazy"}
_CONTEXT = {"pgettext", "pgettext_lazy"}
# Labels of the shipped catalogue that are words, not proper names: file, table, kinds, fields.
CATALOGUE_LABELS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("features.toml", "feature", (), ("name", "summary")),
    ("quantizations.toml", "quantization", (), ("name",)),
    ("quantizations.toml", "container", (), ("name",)),
    ("backends.toml", "backend", (), ("name",)),
    ("hardware.toml", "hardware", ("vendor", "family"), ("name",)),
)
_WORD = re.compile(r"(?<![A-Za-z])[a-z]{3,}")
_TEMPLATE_CALL = re.compile(r"\b(n?p?gettext|_)\(")


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """One thing to translate; ``plural`` and ``context`` empty where there is none."""

    text: str
    plural: str = ""
    context: str = ""

    @property
    def key(self) -> str | tuple[str, str]:
        """What Babel files it under."""
        return (self.text, self.plural) if self.plural else self.text


def messages_of_python(source: str) -> Iterator[Message]:
    """The messages of a module. Only literals count: a variable cannot be translated ahead."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        texts = [_literal(argument) for argument in node.args]
        if name in _SINGLE and texts and texts[0]:
            yield Message(texts[0])
        elif name in _PLURAL and len(texts) > 1 and texts[0] and texts[1]:
            yield Message(texts[0], plural=texts[1])
        elif name in _CONTEXT and len(texts) > 1 and texts[0] and texts[1]:
            yield Message(texts[1], context=texts[0])


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def messages_of_template(source: str) -> Iterator[Message]:
    """The messages of a template, as Django finds them."""
    python = templatize(source)
    for found in _TEMPLATE_CALL.finditer(python):
        texts = list(_strings_from(python, found.end()))
        name = found.group(1)
        context = texts.pop(0) if "pgettext" in name and texts else ""
        plural = texts[1] if name.startswith("n") and len(texts) > 1 else ""
        if texts:
            yield Message(texts[0], plural=plural, context=context)


def _strings_from(python: str, start: int) -> Iterator[str]:
    """The string literals that follow each other as arguments."""
    literal = re.compile(r"\s*u?(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')\s*(,?)", re.DOTALL)
    while match := literal.match(python, start):
        yield str(ast.literal_eval(match.group(1)))
        start = match.end()
        if not match.group(2):
            return


def messages_of_catalogue(folder: Path) -> Iterator[Message]:
    """The labels of the shipped catalogue that are words rather than names."""
    for file, table, kinds, fields in CATALOGUE_LABELS:
        for row in _rows(folder / file, table):
            if kinds and row.get("kind") not in kinds:
                continue
            for field in fields:
                text = str(row.get(field, ""))
                if _WORD.search(text):
                    yield Message(text)


def _rows(path: Path, table: str) -> Iterable[Mapping[str, object]]:
    rows = tomllib.loads(path.read_text("utf-8")).get(table, [])
    return [row for row in rows if isinstance(row, dict)]


def all_messages(base: Path = BASE) -> dict[Message, set[str]]:
    """Every message, with the files that it stands in."""
    found: dict[Message, set[str]] = {}

    def add(path: Path, messages: Iterable[Message]) -> None:
        for message in messages:
            found.setdefault(message, set()).add(path.relative_to(base).as_posix())

    for package in PACKAGES:
        for path in sorted((base / package).rglob("*.py")):
            # What migrations say is history; the models say the same.
            if "migrations" not in path.parts:
                add(path, messages_of_python(path.read_text("utf-8")))
    for path in sorted((base / "templates").rglob("*.*")):
        add(path, messages_of_template(path.read_text("utf-8")))
    catalogue = base / "matrix" / "catalog"
    add(catalogue / "features.toml", messages_of_catalogue(catalogue))
    return found


def read_translations(path: Path = PO_FILE) -> Catalog:
    """The translations as they stand in the file."""
    with path.open("rb") as file:
        return read_po(file, locale=LOCALE)


def update_translations(path: Path = PO_FILE, base: Path = BASE) -> tuple[int, int]:
    """Brings the file up to what is to be translated; how many are new, and how many went.

    What is gone is dropped; nothing is guessed from similar messages, so a changed sentence is
    untranslated until somebody translates it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    old = read_translations(path) if path.exists() else Catalog(locale=LOCALE)
    new = Catalog(locale=LOCALE, charset="utf-8", fuzzy=False)
    for message, files in sorted(all_messages(base).items()):
        known = old.get(message.key, context=message.context or None)
        new.add(
            message.key,
            known.string if known is not None else None,
            context=message.context or None,
            locations=[(file, 0) for file in sorted(files)[:3]],
        )
    before = {(m.id, m.context) for m in old if m.id}
    after = {(m.id, m.context) for m in new if m.id}
    with path.open("wb") as file:
        write_po(file, new, width=100, include_lineno=False, omit_header=False)
    _stay_the_same(path)
    return len(after - before), len(before - after)


def _stay_the_same(path: Path) -> None:
    """Takes the time and the tool's version out of the header: they change without a reason."""
    text = path.read_text("utf-8")
    head, blank, rest = text.partition("\n\n")
    kept = ("Language", "Plural-Forms", "MIME-Version", "Content-T")
    lines = [line for line in head.splitlines() if line.removeprefix('"').startswith(kept)]
    title = "# Runproof in Simplified Chinese; `manage.py update_translations` renews the messages."
    head = "\n".join([title, 'msgid ""', 'msgstr ""', *lines])
    path.write_text(head + blank + rest, "utf-8")


def compile_translations(path: Path = PO_FILE) -> bool:
    """Writes the form that Django reads where it is older than the translations; whether it did."""
    target = path.with_suffix(".mo")
    if target.exists() and target.stat().st_mtime >= path.stat().st_mtime:
        return False
    made = target.with_suffix(f".mo.{os.getpid()}")
    with made.open("wb") as file:
        write_mo(file, read_translations(path))
    made.replace(target)
    return True
