"""Identifiers of uploads and runs."""

from django.utils.crypto import get_random_string

# Without letters that are read as digits.
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
LENGTH = 12


def new_uid() -> str:
    """An identifier that nobody guesses and everybody can read aloud."""
    return get_random_string(LENGTH, _LETTERS)
