"""Views: each reads a request, calls services and pages, and renders."""
