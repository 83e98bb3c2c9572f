"""Figures of measured runs as plain data for Plotly, each with its data table."""
