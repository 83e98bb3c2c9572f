"""Simplified Chinese is complete: every message is there, translated, with the same values."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import translation

from matrix.asking import PROBLEM_KINDS
from matrix.domain.phrases import Phrase
from matrix.index import forget_knowledge
from matrix.pages.translated import in_words
from matrix.site.translations import (
    _CONTEXT,
    _PLURAL,
    _SINGLE,
    BASE,
    LOCALE,
    PACKAGES,
    Message,
    all_messages,
    compile_translations,
    messages_of_python,
    messages_of_template,
    read_translations,
    update_translations,
)
from tests.matrix.pages_world import fill_pages_world

LANGUAGE = "zh-hans"
CHINESE = re.compile(r"[㐀-鿿]")
# Words that stay Latin in Chinese as well: names, units, abbreviations, code.
LATIN_WORDS = re.compile(r"[A-Za-z]{2,}")
PLACEHOLDER = re.compile(r"%\([a-z_A-Z]+\)[sd]|%[sd]|\{[a-zA-Z_][^{}]*\}")
# Messages that name commands alone.
COMMANDS = {"nvidia-smi -q, rocm-smi, npu-smi info, docker inspect, lscpu, pip freeze …"}
TAG = re.compile(r"</?[a-z]+[^>]*>")


def test_python_messages_are_found_wherever_they_stand() -> None:
    source = """
from django.utils.translation import gettext_lazy as _, ngettext, pgettext
a = _("one")
b = ngettext("%(n)s run", "%(n)s runs", 2)
c = pgettext("memory", "fits")
d = Phrase("up to {most} files", most=3)
e = f(_("in" " pieces"))
g = _(variable)
"""
    assert set(messages_of_python(source)) == {
        Message("one"),
        Message("%(n)s run", plural="%(n)s runs"),
        Message("fits", context="memory"),
        Message("up to {most} files"),
        Message("in pieces"),
    }


def test_template_messages_are_found_with_their_plurals_and_contexts() -> None:
    source = """{% load i18n %}{% translate "one" %}{% translate 'fits' context "memory" %}
{% blocktranslate count n=n %}{{ n }} run{% plural %}{{ n }} runs{% endblocktranslate %}
{% blocktranslate with a=b.c %}from {{ a }}{% endblocktranslate %}{{ x|default:_("none") }}"""
    assert set(messages_of_template(source)) == {
        Message("one"),
        Message("fits", context="memory"),
        Message("%(n)s run", plural="%(n)s runs"),
        Message("from %(a)s"),
        Message("none"),
    }


def test_the_file_holds_exactly_the_messages_of_the_code_and_the_templates() -> None:
    filed = {(m.id, m.context or "") for m in read_translations() if m.id}
    used = {(m.key, m.context) for m in all_messages()}
    assert not used - filed, "run `manage.py update_translations`"
    assert not filed - used, "run `manage.py update_translations`"


def test_nothing_is_untranslated_or_guessed() -> None:
    missing = [
        m.id for m in read_translations() if m.id and (m.fuzzy or not m.string or not all(m.string))
    ]
    assert not missing, f"{len(missing)} without a translation: {missing[:10]}"


def test_what_is_a_sentence_in_english_is_one_in_chinese() -> None:
    wrong = []
    for message in read_translations():
        english = message.id if isinstance(message.id, str) else message.id[-1]
        chinese = message.string if isinstance(message.string, str) else message.string[0]
        bare = TAG.sub("", PLACEHOLDER.sub("", english))
        # Three lower-case words make a sentence, not a name.
        if (
            english not in COMMANDS
            and len(re.findall(r"\b[a-z]{2,}\b", bare)) >= 3
            and not CHINESE.search(chinese)
        ):
            wrong.append(english)
    assert not wrong, f"{len(wrong)} sentences without Chinese: {wrong[:10]}"


def test_translations_keep_every_value_and_every_tag() -> None:
    wrong = []
    for message in read_translations():
        if not message.id:
            continue
        english = message.id if isinstance(message.id, str) else message.id[-1]
        texts = [message.string] if isinstance(message.string, str) else list(message.string)
        for chinese in texts:
            same_values = set(PLACEHOLDER.findall(english)) == set(PLACEHOLDER.findall(chinese))
            same_tags = sorted(TAG.findall(english)) == sorted(TAG.findall(chinese))
            if not (same_values and same_tags):
                wrong.append((english, chinese))
    assert not wrong, f"{len(wrong)}: {wrong[:5]}"


def test_renewing_changes_nothing_that_is_up_to_date(tmp_path: Path) -> None:
    copy = tmp_path / "django.po"
    copy.write_bytes((Path("locale") / LOCALE / "LC_MESSAGES" / "django.po").read_bytes())
    before = copy.read_bytes()
    assert update_translations(copy) == (0, 0)
    assert copy.read_bytes() == before


def test_compiling_happens_once(tmp_path: Path) -> None:
    copy = tmp_path / "django.po"
    copy.write_bytes((Path("locale") / LOCALE / "LC_MESSAGES" / "django.po").read_bytes())
    assert compile_translations(copy)
    assert not compile_translations(copy)
    assert copy.with_suffix(".mo").stat().st_size > 1_000


def test_a_phrase_is_its_english_sentence_and_keeps_its_values() -> None:
    phrase = Phrase(
        "{name} is {value!r}; accepted: {accepted}.", name="days", value=0, accepted="1"
    )
    assert phrase == "days is 0; accepted: 1."
    assert phrase.template.startswith("{name}")
    assert in_words("") == ""


def test_a_phrase_inside_a_phrase_is_translated_as_well() -> None:
    inner = Phrase("1 to {most} letters, digits and @ . + - _", most=150)
    with translation.override(LANGUAGE):
        said = in_words(Phrase("{name} is {value!r}; accepted: {accepted}.",
                               name="name", value="", accepted=inner))  # fmt: skip
    assert CHINESE.search(said)
    assert "150" in said
    assert "letters" not in said


@pytest.mark.parametrize("kind", PROBLEM_KINDS, ids=lambda kind: kind.code)
def test_the_titles_of_problems_are_chinese_for_who_asks_so(kind: object) -> None:
    with translation.override(LANGUAGE):
        assert CHINESE.search(str(kind.title))  # type: ignore[attr-defined]
        assert CHINESE.search(str(kind.remedy))  # type: ignore[attr-defined]


class VisibleTexts(HTMLParser):
    """Collects the texts that readers see or hear, without code and what sources wrote."""

    SKIPPED = {"code", "kbd", "script", "style", "pre", "option", "del", "ins"}
    SPOKEN = ("aria-label", "title", "placeholder", "alt")

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.skipping: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if self.skipping or tag in self.SKIPPED or ("lang" in given and tag != "html"):
            if tag not in {"input", "br", "img", "meta", "link", "hr"}:
                self.skipping.append(tag)
            return
        self.texts += [given[name] or "" for name in self.SPOKEN if given.get(name)]

    def handle_endtag(self, tag: str) -> None:
        if self.skipping and tag == self.skipping[-1]:
            self.skipping.pop()

    def handle_data(self, data: str) -> None:
        if not self.skipping and data.strip():
            self.texts.append(" ".join(data.split()))


PAGES = (
    "/",
    "/matrix/?framework=vllm",
    "/cells/?framework=vllm&version=0.7.0&quantization=awq&hardware=turing",
    "/cells/?framework=vllm&hardware=nowhere",
    "/cells/?framework=vllm&version=99",
    "/frameworks/",
    "/frameworks/vllm/",
    "/frameworks/vllm/releases/0.7.0/",
    "/frameworks/vllm/support/",
    "/changes/?from=2025-01-01&to=2026-01-10",
    "/claims/hostile/",
    "/accelerators/domestic/",
    "/freshness/",
    "/about/",
    "/about/components/",
    "/benchmarks/",
    "/benchmarks/history/",
    "/check/",
    "/check/stack/",
    "/check/?model=none-such",
    "/memory/",
    "/memory/?quantization=Q4",
    "/memory/accuracy/",
    "/features/",
    "/features/attention-kernels/",
    "/dossiers/",
    "/prices/",
    "/problems/new/",
    "/accounts/login/",
    "/nowhere/",
)
STAFF_PAGES = (
    "/claims/new/",
    "/review/",
    "/benchmarks/upload/",
    "/dossiers/new/",
    "/accounts/",
    "/accounts/tokens/",
    "/accounts/people/",
    "/accounts/password/",
    "/audit/",
)


@pytest.fixture
def _world(transactional_db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


@pytest.mark.usefixtures("_world")
def test_no_page_shows_an_english_message_to_chinese_readers(client: Client) -> None:
    english = {
        m.id: m.string
        for m in read_translations()
        if m.id and isinstance(m.id, str) and m.id != m.string and len(m.id) > 3
    }
    client.force_login(get_user_model().objects.create_superuser("boss"),
                       backend="django.contrib.auth.backends.ModelBackend")  # fmt: skip
    found = []
    for address in (*PAGES, *STAFF_PAGES):
        # The page for signing in is nobody's who is signed in.
        reader = Client() if address == "/accounts/login/" else client
        response = reader.get(address, headers={"accept-language": "zh-CN,zh;q=0.9"})
        assert response.status_code in (200, 400, 404), address
        texts = VisibleTexts()
        texts.feed(response.content.decode())
        found += [f"{address}: {text}" for text in texts.texts if text in english]
    assert not found, "\n".join(found[:40])


def test_every_other_name_of_gettext_is_known_to_the_extraction() -> None:
    known = _SINGLE | _PLURAL | _CONTEXT
    unknown = [
        f"{path.relative_to(BASE)}: {alias.asname}"
        for package in PACKAGES
        for path in sorted((BASE / package).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        for alias in node.names
        if "gettext" in alias.name and (alias.asname or alias.name) not in known
    ]
    assert unknown == []
