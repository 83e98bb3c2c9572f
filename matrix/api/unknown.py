"""The last URL module below ``/api/``: every other path there is a problem, not a page."""

from django.urls import re_path

from matrix.api.errors import unknown_path

urlpatterns = [re_path(r"", unknown_path)]
