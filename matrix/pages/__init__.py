"""Contexts of the pages: frozen values that templates only show."""
