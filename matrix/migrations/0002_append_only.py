"""Claims and observations are append-only: the database itself refuses anything else."""

from django.db import migrations

# What was said never changes; confirmation moves only the last release seen and its end,
# supersession and withdrawal only add their stamps, and a stamp once set stays.
FORWARD = """
CREATE FUNCTION matrix_claim_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'claims are append-only: withdraw the claim % instead of deleting it',
            OLD.uid USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.uid, OLD.framework_id, OLD.source, OLD.statement, OLD.scope::text, OLD.level,
        OLD.execution, OLD.tier, OLD.outcome, OLD."limit", OLD.kind, OLD.note,
        OLD.conditions::text, OLD.first, OLD.first_kind, OLD.after, OLD.open_ended,
        OLD.reference, OLD.recorded_at)
       IS DISTINCT FROM
       (NEW.uid, NEW.framework_id, NEW.source, NEW.statement, NEW.scope::text, NEW.level,
        NEW.execution, NEW.tier, NEW.outcome, NEW."limit", NEW.kind, NEW.note,
        NEW.conditions::text, NEW.first, NEW.first_kind, NEW.after, NEW.open_ended,
        NEW.reference, NEW.recorded_at) THEN
        RAISE EXCEPTION 'claims are append-only: supersede the claim % instead of editing it',
            OLD.uid USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.superseded_at IS NOT NULL AND NEW.superseded_at IS DISTINCT FROM OLD.superseded_at)
       OR (OLD.withdrawn_at IS NOT NULL AND NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at)
    THEN
        RAISE EXCEPTION 'the end of the claim % is already recorded', OLD.uid
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER matrix_claim_append_only BEFORE UPDATE OR DELETE ON matrix_claim
    FOR EACH ROW EXECUTE FUNCTION matrix_claim_is_append_only();

CREATE FUNCTION matrix_row_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER matrix_observation_append_only BEFORE UPDATE OR DELETE ON matrix_observation
    FOR EACH ROW EXECUTE FUNCTION matrix_row_is_append_only();
CREATE TRIGGER matrix_auditentry_append_only BEFORE UPDATE OR DELETE ON matrix_auditentry
    FOR EACH ROW EXECUTE FUNCTION matrix_row_is_append_only();
"""
BACKWARD = """
DROP TRIGGER matrix_auditentry_append_only ON matrix_auditentry;
DROP TRIGGER matrix_observation_append_only ON matrix_observation;
DROP FUNCTION matrix_row_is_append_only();
DROP TRIGGER matrix_claim_append_only ON matrix_claim;
DROP FUNCTION matrix_claim_is_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("matrix", "0001_first_knowledge")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
