"""Snapshots and retrievals are kept for ever: the database refuses to change or delete them."""

from django.db import migrations

FORWARD = """
CREATE TRIGGER ingest_snapshot_append_only BEFORE UPDATE OR DELETE ON ingest_snapshot
    FOR EACH ROW EXECUTE FUNCTION matrix_row_is_append_only();
CREATE TRIGGER ingest_retrieval_append_only BEFORE UPDATE OR DELETE ON ingest_retrieval
    FOR EACH ROW EXECUTE FUNCTION matrix_row_is_append_only();
"""
BACKWARD = """
DROP TRIGGER ingest_retrieval_append_only ON ingest_retrieval;
DROP TRIGGER ingest_snapshot_append_only ON ingest_snapshot;
"""


class Migration(migrations.Migration):
    dependencies = [("ingest", "0001_first_pipeline"), ("matrix", "0002_append_only")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
