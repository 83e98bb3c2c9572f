"""The task application as workers of these tests run it: one feed, whose host is the test's own.

Started by the tests with ``TEST_HOST_URL``; everything else is the product's.
"""

import os

from ingest.domain.feeds import registry
from matrix.site.celery import app
from tests.ingest.pipeline.code_host import tag_feed

registry.FEEDS = (tag_feed(os.environ["TEST_HOST_URL"]),)
# Redis hands out again what a dead worker held; half an hour is too long for a test.
app.conf.broker_transport_options = {"visibility_timeout": 1}

__all__ = ["app"]
