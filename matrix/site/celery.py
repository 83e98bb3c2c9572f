"""The task application; its settings are the CELERY_ ones of the settings module."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "matrix.site.settings")

app = Celery("runproof")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Django apps are named, not searched for: a new app with tasks is one more word here.
app.autodiscover_tasks(["matrix", "ingest", "benchmarks_app"])
