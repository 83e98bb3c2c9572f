"""Profiles as JSON values and back, for whoever keeps them."""

from collections.abc import Mapping
from typing import Any

from ingest.domain.drift_profile import PageProfile, Said, TableProfile

# Version of the stored form; another version is not comparable and reads as no profile.
FORM = 1


def to_plain(profile: PageProfile) -> dict[str, Any]:
    """Returns a profile as JSON values, without the lines that only the newer page needs."""
    return {
        "form": FORM,
        "rule": profile.rule,
        "path": profile.path,
        "blocked": profile.blocked,
        "text_lines": profile.text_lines,
        "text_length": profile.text_length,
        "headings": profile.headings,
        "last_line": profile.last_line,
        "tables": [
            {
                "heading": list(table.heading),
                "tabs": list(table.tabs),
                "columns": list(table.columns),
                "rows": table.rows,
                "statuses": dict(table.statuses),
                "irregular": table.irregular,
                "shape": table.shape,
            }
            for table in profile.tables
        ],
        "legend": dict(profile.legend),
        "signs": dict(profile.signs),
        "unresolved_marks": list(profile.unresolved_marks),
        "counts": dict(profile.counts),
        "unknown_words": dict(profile.unknown_words),
        "unknown_signs": list(profile.unknown_signs),
        "lists": dict(profile.lists),
        "seen": profile.seen,
        "said": " ".join(f"{s.key}{s.stance}{s.meaning}{s.anchor}" for s in profile.said),
    }


def from_plain(plain: Mapping[str, Any]) -> PageProfile | None:
    """Returns the profile of stored JSON values, or ``None`` for another form of storage."""
    if plain.get("form") != FORM:
        return None
    return PageProfile(
        rule=plain["rule"],
        path=plain["path"],
        blocked=plain["blocked"],
        text_lines=plain["text_lines"],
        text_length=plain["text_length"],
        headings=plain["headings"],
        last_line=plain["last_line"],
        tables=tuple(
            TableProfile(
                heading=tuple(table["heading"]),
                tabs=tuple(table["tabs"]),
                columns=tuple(table["columns"]),
                rows=table["rows"],
                statuses=dict(table["statuses"]),
                irregular=table["irregular"],
                shape=table["shape"],
            )
            for table in plain["tables"]
        ),
        legend=dict(plain["legend"]),
        signs=dict(plain["signs"]),
        unresolved_marks=tuple(plain["unresolved_marks"]),
        counts=dict(plain["counts"]),
        unknown_words=dict(plain["unknown_words"]),
        unknown_signs=tuple(plain["unknown_signs"]),
        lists=dict(plain["lists"]),
        seen=plain["seen"],
        said=tuple(
            Said(key=s[:8], stance=s[8], meaning=s[9:17], anchor=s[17:])
            for s in plain["said"].split()
        ),
    )
