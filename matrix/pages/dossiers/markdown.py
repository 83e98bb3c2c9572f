"""A dossier as Markdown: the same sentences as the page, every text escaped."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matrix.pages.dossiers.around import WholeDossier
from matrix.pages.dossiers.candidate import CandidateView
from matrix.pages.dossiers.meeting import MeetingView
from matrix.pages.dossiers.scoring import ScoreRow, ScoreView
from matrix.pages.dossiers.sources import SourceLine

# Everything that could begin markup, a link, a table cell or an entity.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|&~!$^])")
_LINE_START = re.compile(r"^(\s*)([-+=]|\d{1,9}[.)])", re.ASCII)


def escaped(text: object) -> str:
    """The text on one line so that a reader of Markdown shows it as it is written."""
    line = " ".join(str(text).split())
    line = _SPECIAL.sub(r"\\\1", line)
    return _LINE_START.sub(lambda m: f"{m[1]}{m[2][:-1]}\\{m[2][-1]}", line)


def link_to(url: str) -> str:
    """The address as a link where it is one of the web, else as text."""
    plain = urlsplit(url).scheme in ("http", "https") and not re.search(r"[\s<>\\]", url)
    return f"<{url}>" if plain else escaped(url)


def dossier_markdown(whole: WholeDossier, *, base: str, address: str, made_on: date) -> str:
    """The document; ``base`` is the scheme and host of this site, ``address`` the page's."""
    page = whole.page
    parts = [
        *_head(whole, address=address, made_on=made_on),
        *_need(page),
        *_comparison(page),
        *_scorecard(page),
        *_candidates(page, base),
        *_operation(page),
        *_waivers(page),
        *_words(whole),
        *_changed(whole),
        *_sources(page.sources, base),
        *_verify(whole),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(whole: WholeDossier, *, address: str, made_on: date) -> list[str]:
    page, dossier = whole.page, whole.dossier
    state = str(whole.versions[0].state_word) if len(whole.versions) == 1 else _state(whole)
    facts = [
        (_("State"), state),
        (_("Version"), str(page.version)),
        (_("As of"), page.as_of.isoformat()),
        (_("Known at"), f"{page.known_at:%Y-%m-%d %H:%M} UTC"),
        (_("Rules"), page.ruleset),
        (_("Knowledge revision"), str(page.revision)),
        (_("Re-check on"), page.recheck_on.isoformat() if page.recheck_on else ""),
        (_("Frozen by"), dossier.frozen_by),
        (_("SHA-256 of the content"), dossier.content_sha256),
        (_("Written"), made_on.isoformat()),
    ]
    lines = [f"- {word}: {escaped(value)}" for word, value in facts if value]
    lines.append(f"- {_('Address')}: {link_to(address)}")
    parts = [f"# {escaped(page.title)}"]
    if page.is_demonstration:
        parts.append(f"**{_('A demonstration: its people and its need are invented.')}**")
    parts += [_text(page.summary), "\n".join(lines), f"## {_('Decision')}"]
    if page.chosen:
        parts.append(f"{_('Chosen:')} **{', '.join(escaped(name) for name in page.chosen)}**")
    parts.append(_text(page.decision) or _("Nothing is decided yet."))
    return parts


def _state(whole: WholeDossier) -> str:
    return next(str(v.state_word) for v in whole.versions if v.uid == whole.page.uid)


def _text(text: str) -> str:
    """Paragraphs of a text that people wrote."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(
        "  \n".join(escaped(line) for line in paragraph.splitlines()) for paragraph in paragraphs
    ).strip()


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells are escaped already."""
    lines = [_row(head), _row(["---"] * len(head)), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell or " " for cell in cells) + " |"


def _need(page: MeetingView) -> list[str]:
    parts = [f"## {_('Need')}", _text(page.need.purpose)]
    for word, pairs in page.need.groups:
        lines = "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in pairs)
        parts += [f"### {escaped(word)}", lines]
    return parts if len(parts) > 2 or parts[1] else [parts[0], _("Nothing is stated yet.")]


def _comparison(page: MeetingView) -> list[str]:
    views = page.candidates
    if not views:
        return [f"## {_('Comparison')}", _("No candidate is named yet.")]
    rows: list[tuple[str, list[str]]] = [
        (_("Release"), [f"{c.framework} {c.version}" for c in views]),
        (_("Question"), [c.subject for c in views]),
        (_("Standing"), [_standing(page, c) for c in views]),
        (_("Verdict"), [_dash(c.level_word, c.reason) for c in views]),
        (_("Evidence"), [_days(c) for c in views]),
        (_("Conditions"), ["; ".join(c.conditions) or _("none stated") for c in views]),
        (_("Maintenance"), [_maintenance(c) for c in views]),
        (_("Memory"), [_dash(str(c.fit.sign.word), c.fit.short) for c in views]),
        (
            _("Objectives, measured"),
            ["; ".join(f"{m.sign.icon} {m.sentence}" for m in c.slo) for c in views],
        ),
        (_("Throughput at the objectives"), ["; ".join(c.throughput) for c in views]),
        (_("Cost"), ["; ".join(c.cost) for c in views]),
        (
            _("Engineering cost"),
            ["; ".join([*(f"{w}: {v}" for w, v in c.effort), *c.burden]) for c in views],
        ),
        (
            _("Required features"),
            [", ".join(f"{n} {sign.word}" for sign, n in c.feature_counts) for c in views],
        ),
        (_("Risks"), [str(len(c.risks)) for c in views]),
        (_("Gaps"), [str(len(c.gaps)) for c in views]),
    ]
    table = _table(
        ["", *(escaped(c.name) for c in views)],
        [[word, *(escaped(cell) for cell in cells)] for word, cells in rows],
    )
    return [f"## {_('Comparison')}", table]


def _standing(page: MeetingView, candidate: CandidateView) -> str:
    """In which group it stands, and its score where anything is weighted."""
    parts = [str(candidate.standing.word), candidate.score if page.score.weighted else ""]
    return ", ".join(filter(None, parts))


def _dash(word: str, reason: str) -> str:
    return f"{word}: {reason}" if reason else word


def _days(candidate: CandidateView) -> str:
    first, last = candidate.evidence_from, candidate.evidence_to
    if first is None or last is None:
        return "–"
    return first.isoformat() if first == last else f"{first.isoformat()} – {last.isoformat()}"


def _maintenance(candidate: CandidateView) -> str:
    return ", ".join([candidate.maintenance_word, *candidate.maintenance_lines])


def _scorecard(page: MeetingView) -> list[str]:
    score = page.score
    parts = [f"## {_('Scorecard')}"]
    if score.knock_outs:
        parts += [f"### {_('Knock-outs')}", _score_table(page, score.knock_outs, score)]
    if score.weighted:
        parts += [f"### {_('Weighted points')}", _score_table(page, score.weighted, score)]
        parts.append(" ".join(escaped(sentence) for sentence in score.sensitivity))
    return parts if len(parts) > 1 else [*parts, _("No criterion is named yet.")]


def _score_table(page: MeetingView, rows: Sequence[ScoreRow], score: ScoreView) -> str:
    weighted = rows is score.weighted
    lines = []
    for row in rows:
        name = f"{row.name} ({row.weight_percent} %)" if weighted else row.name
        cells = []
        for cell in row.cells:
            word = str(cell.points) if cell.points is not None else str(cell.sign.word)
            if cell.remove_by:
                word = _("%(word)s until %(day)s") % {"word": word, "day": cell.remove_by}
            cells.append("; ".join(part for part in (word, cell.answer, cell.reason) if part))
        lines.append([escaped(name), *map(escaped, cells)])
    if weighted:
        sums = [
            r.score if r.is_competing else _("%(score)s, does not compete") % {"score": r.score}
            for r in score.ranks
        ]
        lines.append([_("Sum"), *map(escaped, sums)])
    return _table([_("Criterion"), *(escaped(c.name) for c in page.candidates)], lines)


def _candidates(page: MeetingView, base: str) -> list[str]:
    parts = [f"## {_('Candidates in detail')}"] if page.candidates else []
    for view in page.candidates:
        about = " · ".join(
            part for part in (f"{view.framework} {view.version}", view.subject) if part
        )
        parts += [f"### {escaped(view.name)}", escaped(about)]
        if view.cell_path:
            parts.append(link_to(f"{base}{view.cell_path}"))
        parts += [_text(view.problem), _text(view.note), _legs(view)]
        for word, issues in ((_("Risks"), view.risks), (_("Gaps"), view.gaps)):
            if issues:
                parts.append(f"**{word}**")
                parts.append("\n".join(f"- {escaped(issue.sentence)}" for issue in issues))
        for run in view.runs:
            values = ", ".join(f"{word} {value}" for word, value in run.metrics)
            said = " · ".join(p for p in (run.label, run.run_class, run.about, values) if p)
            parts.append(f"- {escaped(said)}")
    return parts


def _legs(view: CandidateView) -> str:
    rows = [
        [
            escaped(f"{leg.word} {leg.subject}"),
            escaped(_dash(leg.level_word, leg.reason)),
            " ".join(f"[{n}](#source-{n})" for n in leg.sources),
        ]
        for leg in view.legs
    ]
    rows += [
        [
            escaped(feature.name),
            escaped(_dash(feature.level_word, feature.reason)),
            " ".join(f"[{n}](#source-{n})" for n in feature.sources),
        ]
        for feature in view.features
    ]
    return _table([_("Part"), _("Level"), _("Sources")], rows) if rows else ""


def _operation(page: MeetingView) -> list[str]:
    if not page.burdens:
        return []
    rows = [
        [escaped(b.framework), str(b.combinations), escaped(b.releases), escaped(b.rate),
         escaped(b.test_runs)]
        for b in page.burdens
    ]  # fmt: skip
    head = [
        _("Framework"), _("Combinations"), _("Releases in the last four quarters"),
        _("Releases a quarter"), _("Test runs a quarter"),
    ]  # fmt: skip
    return [f"## {_('What each framework adds to tests and operation')}", _table(head, rows)]


def _waivers(page: MeetingView) -> list[str]:
    if not page.waivers:
        return []
    rows = [
        [escaped(w.candidate), escaped(w.criterion), escaped(w.waiver.reason),
         escaped(w.waiver.removal_plan), w.waiver.remove_by.isoformat(),
         escaped(w.waiver.granted_by)]
        for w in page.waivers
    ]  # fmt: skip
    head = [
        _("Candidate"), _("Lifts"), _("Why"), _("Plan to remove it"), _("Remove by"), _("Granted"),
    ]  # fmt: skip
    return [f"## {_('Waivers')}", _table(head, rows)]


def _words(whole: WholeDossier) -> list[str]:
    parts = []
    if whole.sign_offs:
        parts.append(f"## {_('Sign-offs and dissent')}")
        for row in whole.sign_offs:
            who = ", ".join(filter(None, (row.signed.person, row.signed.role)))
            about = f"{row.signed.at:%Y-%m-%d}"
            if row.signed.recorded_by != row.signed.person:
                account = escaped(row.signed.recorded_by)
                about += ", " + _("recorded by %(account)s") % {"account": account}
            said = f"- **{escaped(who)}** {row.sign.word} ({about})"
            statement = escaped(row.signed.statement)
            parts.append(f"{said}: {statement}" if statement else said)
    if whole.comments:
        parts.append(f"## {_('Discussion')}")
        parts += [
            f"- **{escaped(c.author)}** ({c.at:%Y-%m-%d}): {escaped(c.text)}"
            for c in whole.comments
        ]
    return parts


def _changed(whole: WholeDossier) -> list[str]:
    parts = [f"## {_('What changed since')}"] if whole.rechecks else []
    for row in whole.rechecks:
        count = len(row.lines)
        text = ngettext("%(day)s: %(n)d change", "%(day)s: %(n)d changes", count)
        parts.append(f"### {text % {'day': row.as_of.isoformat(), 'n': count}}")
        lines = [
            f"{line.candidate}: {line.sentence}" if line.candidate else line.sentence
            for line in row.lines
        ]
        parts.append("\n".join(f"- {escaped(line)}" for line in lines))
    return parts


def _sources(sources: Sequence[SourceLine], base: str) -> list[str]:
    if not sources:
        return []
    lines = []
    for source in sources:
        stated = source.stated_on.isoformat() if source.stated_on else "–"
        said = [
            f'{source.number}. <a id="source-{source.number}"></a>{escaped(source.level_word)}, '
            f"{escaped(source.framework)}: {escaped(source.statement)}",
            escaped(f"{source.kind_word}, {source.release}, {stated}"),
            link_to(source.url) if source.url else "",
            escaped(source.locator),
            link_to(f"{base}{source.path}"),
        ]
        lines.append(" · ".join(part for part in said if part))
    return [f"## {_('Sources')}", "\n".join(lines)]


def _verify(whole: WholeDossier) -> list[str]:
    if not whole.dossier.content_sha256:
        return []
    uid = whole.page.uid
    return [f"## {_('Verify')}", f"```sh\nmanage.py verify_dossier {uid}\n```"]
