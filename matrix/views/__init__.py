"""Views: each reads a request, calls queries and pages, and renders."""
