"""Changes of a whole page: cut off, replaced, re-encoded; legend, headings, notes altered."""

import codecs
import re
from collections.abc import Iterator

from ingest.reading import decode_page
from tests.ingest.mutations.changes import Change, Effect, Subject, one_line

_LOGIN = """\
<!DOCTYPE html><html><head><title>Sign in</title></head><body>
<form action="/login" method="post"><h1>Sign in to continue</h1>
<input name="user"><input name="password" type="password"><button>Sign in</button></form>
</body></html>
"""
_CHALLENGE = """\
<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>
<p>Checking your browser before you can go on. Enable JavaScript and cookies to continue.</p>
</body></html>
"""
_PROSE = (".md", ".mdx", ".rst", ".html")
_SIGN = re.compile("[✅❌✔✓✗✘🟠🟡🟢🔴🔵🚧❓❔]")
_SWAP = str.maketrans("✅✔✓❌✗✘", "❌✘✗✅✓✔")
_FOOTNOTE = re.compile(
    r"^\s*(?:\[\^[^\]]+\]:|\.\. \[#?\w*\]|<sup>.{1,20}</sup>\s|\\?\*\s?\w|\(\d\)\s)"
)
_HEADING = re.compile(r"^(#{1,6}) (.+)$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`+*#])\1{2,}\s*$")


def change_page(subject: Subject) -> Iterator[Change]:
    """Yields every change of the whole page that its kind allows."""
    yield from _replaced(subject)
    yield from _cut_off(subject)
    yield from _encoded(subject)
    yield from _line_removed(subject)
    if subject.page.path.endswith(_PROSE):
        yield from _spelled(subject)
        yield from _legend(subject)
        yield from _headings(subject)
        yield from _notes(subject)
        yield from _wrapped(subject)


def _replaced(subject: Subject) -> Iterator[Change]:
    for kind, text in (
        ("page emptied", ""),
        ("login page", _LOGIN),
        ("challenge page", _CHALLENGE),
        ("another page", "# Moved\n\nThis page now lives elsewhere.\n"),
    ):
        yield Change(kind=kind, text=text, effect=Effect.DAMAGE)


def _cut_off(subject: Subject) -> Iterator[Change]:
    text = subject.page.text
    for kind, share in (("cut in the middle", 0.5), ("cut near the end", 0.8)):
        yield Change(kind=kind, text=text[: int(len(text) * share)], effect=Effect.DAMAGE)


def _encoded(subject: Subject) -> Iterator[Change]:
    text = subject.page.text
    for kind, content in (
        ("CRLF", text.replace("\n", "\r\n").encode()),
        ("byte order mark", codecs.BOM_UTF8 + text.encode()),
        ("UTF-16", codecs.BOM_UTF16_LE + text.encode("utf-16-le", "surrogatepass")),
    ):
        yield Change(kind=kind, text=decode_page(content), effect=Effect.NOTHING)
    yield Change(kind="CRLF undecoded", text=text.replace("\n", "\r\n"), effect=Effect.NOTHING)


def _decoded(kind: str, text: str) -> Change:
    return Change(kind=kind, text=decode_page(text.encode()), effect=Effect.NOTHING)


def _line_removed(subject: Subject) -> Iterator[Change]:
    """Yields the page without one line that findings outside of tables cite."""
    if subject.page.path.endswith(".csv"):
        # A finding of such a file sums up many rows: without its only no it rightly says yes.
        return
    cited = sorted(
        {
            f.locator.line
            for f in subject.reading.findings
            if f.locator.line and f.locator.table is None and f.locator.line <= len(subject.lines)
        }
    )
    if not cited:
        return
    at = cited[len(cited) // 2] - 1
    lines = subject.lines
    left = "\n".join([*lines[:at], *lines[at + 1 :]])
    yield Change(
        kind="cited line removed",
        text=left,
        effect=Effect.REMOVAL,
        lines=frozenset({one_line(lines[at])}),
    )


def _spelled(subject: Subject) -> Iterator[Change]:
    """Yields other spellings of the same page."""
    text, lines = subject.page.text, subject.lines
    for kind, mark in (("U+FE0E added", "\ufe0e"), ("U+FE0F added", "\ufe0f")):
        changed = _SIGN.sub(
            lambda m, mark=mark: m.group() + mark, re.sub("[\ufe0e\ufe0f]", "", text)
        )
        if changed != text:
            yield Change(kind=kind, text=changed, effect=Effect.NOTHING)
    wide = [re.sub(r"(?<=\w) (?=\w)", "\u00a0", line) if "|" in line else line for line in lines]
    if wide != lines:
        yield _decoded("NBSP in tables", "\n".join(wide))
    prose = re.sub(r"(?<=\w) (?=\w)", "\u00a0", text)
    yield _decoded("NBSP everywhere", prose)
    padded = [
        f"{line}   " if line and not line.endswith("  ") and "|" in line else line for line in lines
    ]
    if padded != lines:
        yield Change(kind="rows padded", text="\n".join(padded), effect=Effect.NOTHING)


def _legend(subject: Subject) -> Iterator[Change]:
    """Yields changes of what signs mean: in the legend, in the cells, in both."""
    text, lines = subject.page.text, subject.lines
    rows = _table_lines(subject)
    outside = [
        line.translate(_SWAP) if at + 1 not in rows else line for at, line in enumerate(lines)
    ]
    if text.translate(_SWAP) != text:
        yield Change(kind="all signs swapped", text=text.translate(_SWAP), effect=Effect.DAMAGE)
    explained = _explains(outside, rows)
    if outside != lines and explained:
        yield Change(kind="legend swapped", text="\n".join(outside), effect=Effect.DAMAGE)
        inside = [
            line.translate(_SWAP) if at + 1 in rows else line for at, line in enumerate(lines)
        ]
        if inside != lines:
            yield Change(kind="cells swapped", text="\n".join(inside), effect=Effect.DAMAGE)
    said = [
        re.sub("([✅❌✗🟠🟡🟢🔴🔵🚧❔])([^✅❌✗🟠🟡🟢🔴🔵🚧❔|]{3,})", r"\1 something else ", line)
        if at + 1 not in rows
        else line
        for at, line in enumerate(lines)
    ]
    if said != lines and explained:
        yield Change(kind="legend text changed", text="\n".join(said), effect=Effect.DAMAGE)
    strange = _SIGN.sub("🦑", text)
    if strange != text:
        yield Change(kind="all signs unknown", text=strange, effect=Effect.DAMAGE)


def _table_lines(subject: Subject) -> set[int]:
    found: set[int] = set()
    for table in subject.page.document.tables:
        last = max((cell.line for row in table.rows for cell in row), default=table.line)
        found.update(range(table.line, last + 1))
    return found


def _explains(lines: list[str], rows: set[int]) -> bool:
    """Returns whether lines outside of tables explain at least two different signs."""
    signs = [m for at, line in enumerate(lines) if at + 1 not in rows for m in _SIGN.findall(line)]
    return len(set(signs)) >= 2 and len(signs) <= 2 * len(set(signs))


def _headings(subject: Subject) -> Iterator[Change]:
    lines = subject.lines
    places = [at for at, line in enumerate(lines) if _HEADING.match(line)]
    if subject.page.path.endswith(".rst"):
        places = [
            at
            for at, line in enumerate(lines[:-1])
            if line.strip() and _UNDERLINE.match(lines[at + 1]) and not _UNDERLINE.match(line)
        ]
    if not places:
        return
    cited = [f.locator.line for f in subject.reading.findings if f.locator.line]
    first = min(cited, default=0)
    above = [at for at in places if at < first] or places
    for kind, chosen, words in (
        ("heading renamed", above[-1:], "Zorblax"),
        ("headings translated", places, "其他内容"),
        ("headings removed", places, ""),
    ):
        new = list(lines)
        for at in chosen:
            match = _HEADING.match(lines[at])
            new[at] = f"{match.group(1)} {words}" if match and words else words
            if not words and not match:
                new[at + 1] = ""
        yield Change(kind=kind, text="\n".join(new), effect=Effect.DAMAGE)


def _notes(subject: Subject) -> Iterator[Change]:
    lines = subject.lines
    defined = {note.line for note in subject.page.document.footnotes}
    kept = [
        line
        for at, line in enumerate(lines)
        if at + 1 not in defined and not (_FOOTNOTE.match(line) and "|" not in line)
    ]
    if kept != lines and defined:
        # What a note itself states goes with it; what it restricts must not turn into more.
        gone = frozenset(one_line(line) for line in lines) - {one_line(line) for line in kept}
        yield Change(
            kind="footnotes dropped", text="\n".join(kept), effect=Effect.REMOVAL, lines=gone
        )


def _wrapped(subject: Subject) -> Iterator[Change]:
    text = subject.page.text
    if subject.page.path.endswith(".rst"):
        body = "\n".join(f"   {line}" if line else "" for line in subject.lines)
        yield Change(kind="in a code block", text=f"::\n\n{body}\n", effect=Effect.DAMAGE)
    elif not subject.page.path.endswith(".html"):
        yield Change(kind="in a code block", text=f"~~~~~\n{text}\n~~~~~\n", effect=Effect.DAMAGE)
    note = "A word from the editors: this page was looked over.\n\n"
    if not text.startswith("---") and not subject.page.path.endswith(".html"):
        yield Change(kind="a sentence before it", text=note + text, effect=Effect.NOTHING)
