"""Reads of measured runs that pages, REST and commands share."""
