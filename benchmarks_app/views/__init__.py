"""Pages of measured runs."""
