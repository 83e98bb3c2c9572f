"""Comparisons as files."""
