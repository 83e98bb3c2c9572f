"""Whole installations as one file: written from one snapshot, verified before anything is read."""
