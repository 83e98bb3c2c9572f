"""Whatever a reader sees can be translated: pages, scripts, forms, messages and errors."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

BASE = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("matrix", "benchmarks_app", "ingest")
TEMPLATES = sorted((BASE / "templates").rglob("*.html"))
SCRIPTS = sorted((BASE / "static" / "js").glob("*.js"))

# What stays as it is in every language: the product, formats, hash and time names, schemes of
# the page that shows every component.
NAMES = {
    "Runproof", "Run", "proof", "CSV", "JSON", "Markdown", "HTTP", "UTC", "SHA-256", "OpenAPI 3.1",
    "AWQ", "FP8",
}  # fmt: skip
# Elements whose content is code or data, never prose.
_CODE = re.compile(r"<(code|kbd|script|style|samp|pre)\b.*?</\1>", re.DOTALL)
_TRANSLATED = re.compile(
    r"\{#.*?#\}|\{%\s*comment\b.*?endcomment\s*%\}"
    r"|\{%\s*blocktrans(?:late)?\b.*?\{%\s*endblocktrans(?:late)?\s*%\}",
    re.DOTALL,
)
_TAG_OR_VALUE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_ATTRIBUTE = re.compile(r'\b(?:title|aria-label|aria-description|placeholder|alt)="([^"]*)"')
_WORD = re.compile(r"[A-Za-z]{2,}")
_PROSE = re.compile(r"[a-z]{2,}")


def visible_texts(template: str) -> Iterator[str]:
    """Texts and attributes that a reader sees and no translation reaches."""
    source = _TRANSLATED.sub("", template)
    for found in _ATTRIBUTE.finditer(source):
        yield _TAG_OR_VALUE.sub("", found.group(1))
    # Values may stand inside of tags with ">" in them, so they go first.
    bare = _CODE.sub("", _TAG_OR_VALUE.sub("", source))
    for text in re.split(r"<[^>]*>", bare):
        yield re.sub(r"&[a-z#0-9]+;", "", text)


def untranslated(template: str) -> list[str]:
    """What of the visible texts is neither translated nor a name."""
    texts = (" ".join(text.split()) for text in visible_texts(template))
    bare = (text.strip("·:,;() ") for text in texts if _WORD.search(text))
    return [text for text in bare if text not in NAMES]


def test_a_literal_text_and_attribute_of_a_template_would_be_found() -> None:
    assert untranslated('<p title="Show all">Hello {{ name }}</p>') == ["Show all", "Hello"]
    assert untranslated('{% translate "Hello" %} <a href="/x">{{ name }}</a> · Runproof') == []
    assert untranslated("{% blocktranslate %}Hello{% endblocktranslate %}") == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_every_text_of_a_template_is_translated(path: Path) -> None:
    assert untranslated(path.read_text("utf-8")) == []


_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`")
_COMMENT = re.compile(r"^\s*//.*$|/\*.*?\*/", re.MULTILINE | re.DOTALL)
_SHOWING = re.compile(
    r"(?:textContent|innerText|innerHTML|title|placeholder|ariaLabel)\s*=\s*[\"'`]\s*[A-Za-z]"
    r"|(?:alert|confirm|prompt)\(\s*[\"'`]"
)
_SENTENCE = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
_SELECTING = re.compile(r"(?:querySelector(?:All)?|closest|matches)\(\s*$")


def sentences_of_script(source: str) -> list[str]:
    """Literal texts that a script may show; selectors are not shown."""
    source = _COMMENT.sub("", source)
    found = [match.group(0) for match in _SHOWING.finditer(source)]
    for match in _STRING.finditer(source):
        before = source[: match.start()][-40:]
        text = re.sub(r"\$\{.*?\}", "", match.group(0)[1:-1])
        if _SENTENCE.search(text) and text != "use strict" and not _SELECTING.search(before):
            found.append(text)
    return found


def test_a_sentence_in_a_script_would_be_found() -> None:
    assert sentences_of_script('box.textContent = "Done";') == ['textContent = "D']
    assert sentences_of_script('show("Nothing was found");') == ["Nothing was found"]
    assert sentences_of_script('all.querySelectorAll("tbody tr"); "use strict";') == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_takes_its_words_from_the_page(path: Path) -> None:
    assert sentences_of_script(path.read_text("utf-8")) == []


def modules() -> Iterator[tuple[Path, ast.Module]]:
    """The modules of the packages with their syntax trees; migrations are history."""
    for package in PACKAGES:
        for path in sorted((BASE / package).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path.relative_to(BASE), ast.parse(path.read_text("utf-8"))


MODULES = list(modules())


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is English that no translation reaches."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(_PROSE.search(node.value))
    if isinstance(node, ast.JoinedStr):
        parts = (part.value for part in node.values if isinstance(part, ast.Constant))
        return bool(_PROSE.search("".join(map(str, parts))))
    if isinstance(node, ast.IfExp):
        return is_literal(node.body) or is_literal(node.orelse)
    if isinstance(node, ast.BinOp):
        return is_literal(node.left) or is_literal(node.right)
    return False


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def called_by(node: ast.AST) -> str:
    """The last name of what a node calls; empty where it calls nothing."""
    return called(node) if isinstance(node, ast.Call) else ""


def places(found: Iterator[tuple[Path, ast.expr]]) -> list[str]:
    """Where something stands, as a failing test shows it."""
    return [f"{path}:{node.lineno} {ast.unparse(node)[:80]}" for path, node in found]


def shown_literals() -> Iterator[tuple[Path, ast.expr]]:
    """Messages of a page and errors of its forms."""
    for path, tree in MODULES:
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            whole = ast.unparse(node.func)
            second = node.args[1:2]
            if whole.startswith("messages.") or whole.endswith(".add_error"):
                yield from ((path, text) for text in second if is_literal(text))
            if called(node) == "ValidationError":
                yield from ((path, text) for text in node.args[:1] if is_literal(text))


def test_messages_and_form_errors_are_translated() -> None:
    assert places(shown_literals()) == []


def form_words() -> Iterator[tuple[Path, ast.expr]]:
    """Labels, hints and choices of the fields of pages; those of REST are its documentation."""
    for path, tree in MODULES:
        if path.parts[1] == "api" or path.parts[1] in ("sources", "domain", "reading"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node).endswith("Field"):
                yield from ((path, one) for one in words_of_field(node) if is_literal(one))


def words_of_field(field: ast.Call) -> Iterator[ast.expr]:
    """What a field shows: its label and hints, and the words of its choices."""
    for keyword in field.keywords:
        if keyword.arg in ("label", "help_text", "empty_label", "verbose_name"):
            yield keyword.value
        elif keyword.arg == "choices" and isinstance(keyword.value, ast.List | ast.Tuple):
            pairs = (one for one in keyword.value.elts if isinstance(one, ast.Tuple))
            yield from (pair.elts[-1] for pair in pairs)


def test_labels_hints_and_choices_of_forms_are_translated() -> None:
    assert places(form_words()) == []


# Functions that make an error, beside the classes of errors: their positional arguments are what
# was wrong and what is accepted.
_MAKERS = {
    "Problem", "refuse", "invalid", "_unreadable", "_broken", "wrong_type", "_unsupported",
    "_refused",
}  # fmt: skip
_SAID = {"message", "accepted", "what", "hint"}


def error_classes() -> set[str]:
    """The names of all classes that derive from ``RunproofError``, over any number of steps."""
    bases = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for _path, tree in MODULES
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {"RunproofError"}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def literal_errors() -> Iterator[tuple[Path, ast.expr]]:
    """What an error says that is no phrase."""
    classes = error_classes()
    for path, tree in MODULES:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name in classes:
                calls = [one for one in ast.walk(node) if called_by(one) == "__init__"]
            else:
                calls = [node] if called_by(node) in classes | _MAKERS else []
            for call in calls:
                yield from ((path, one) for one in said_by(call) if _is_sentence(one))


def said_by(call: ast.AST) -> list[ast.expr]:
    """The arguments of a call that become part of an error's sentence."""
    assert isinstance(call, ast.Call)
    return [*call.args, *(word.value for word in call.keywords if word.arg in _SAID)]


def _is_sentence(node: ast.expr) -> bool:
    # One word is the name of a field or a code.
    words = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return is_literal(node) and any(" " in str(word) for word in words)


def test_what_an_error_says_is_a_phrase() -> None:
    assert {"InvalidValue", "ResultError", "MemoryInputError"} <= error_classes()
    assert places(literal_errors()) == []
