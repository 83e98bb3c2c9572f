"""Writes of measured runs: receive, import, resolve, declare, publish, withdraw."""
