"""Atom: what changed, for readers of feeds."""

from matrix.feeds.atom import AtomFeed, Entry, render_atom
from matrix.feeds.news import build_feed

__all__ = ["AtomFeed", "Entry", "build_feed", "render_atom"]
