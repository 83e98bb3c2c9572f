"""Contexts of the pages of measured runs."""
