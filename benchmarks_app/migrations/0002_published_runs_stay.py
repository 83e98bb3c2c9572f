"""Published runs, their values and the bytes they came from never change: the database refuses."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION benchmarks_run_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'draft' THEN
        IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'the run % is published: withdraw it instead of deleting it', OLD.uid
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.uid, OLD.upload_id, OLD.number, OLD.version, OLD.replaces_id, OLD.run_class,
        OLD.status, OLD.outcome, OLD.outcome_detail, OLD.label, OLD.tool, OLD.format, OLD.pointer,
        OLD.identity, OLD.digest, OLD.load_mode, OLD.max_concurrency, OLD.request_rate,
        OLD.input_tokens, OLD.output_tokens, OLD.measured_at, OLD.measured_on, OLD.facts::text,
        OLD.load::text, OLD.requests::text, OLD.tokens::text, OLD.failures::text,
        OLD.notices::text, OLD.unmapped::text, OLD.withheld::text, OLD.command, OLD.created_by,
        OLD.created_at, OLD.published_by, OLD.published_at)
       IS DISTINCT FROM
       (NEW.uid, NEW.upload_id, NEW.number, NEW.version, NEW.replaces_id, NEW.run_class,
        NEW.status, NEW.outcome, NEW.outcome_detail, NEW.label, NEW.tool, NEW.format, NEW.pointer,
        NEW.identity, NEW.digest, NEW.load_mode, NEW.max_concurrency, NEW.request_rate,
        NEW.input_tokens, NEW.output_tokens, NEW.measured_at, NEW.measured_on, NEW.facts::text,
        NEW.load::text, NEW.requests::text, NEW.tokens::text, NEW.failures::text,
        NEW.notices::text, NEW.unmapped::text, NEW.withheld::text, NEW.command, NEW.created_by,
        NEW.created_at, NEW.published_by, NEW.published_at) THEN
        RAISE EXCEPTION 'the run % is published: send a corrected version instead', OLD.uid
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.state = 'draft' OR (OLD.ended_at IS NOT NULL AND NEW.ended_at IS DISTINCT FROM
        OLD.ended_at) THEN
        RAISE EXCEPTION 'the run % cannot go back', OLD.uid USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER benchmarks_run_stays BEFORE UPDATE OR DELETE ON benchmarks_run
    FOR EACH ROW EXECUTE FUNCTION benchmarks_run_stays();

CREATE FUNCTION benchmarks_part_stays() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    run bigint := CASE TG_OP WHEN 'DELETE' THEN OLD.run_id ELSE NEW.run_id END;
BEGIN
    IF EXISTS (SELECT 1 FROM benchmarks_run WHERE id = run AND state <> 'draft') THEN
        RAISE EXCEPTION '% belongs to a published run', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER benchmarks_measurement_stays BEFORE INSERT OR UPDATE OR DELETE
    ON benchmarks_measurement FOR EACH ROW EXECUTE FUNCTION benchmarks_part_stays();
CREATE TRIGGER benchmarks_sampleset_stays BEFORE INSERT OR UPDATE OR DELETE
    ON benchmarks_sampleset FOR EACH ROW EXECUTE FUNCTION benchmarks_part_stays();
CREATE TRIGGER benchmarks_runfile_stays BEFORE INSERT OR UPDATE OR DELETE
    ON benchmarks_runfile FOR EACH ROW EXECUTE FUNCTION benchmarks_part_stays();

CREATE FUNCTION benchmarks_bytes_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'stored bytes are kept as they came' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER benchmarks_storedchunk_stays BEFORE UPDATE OR DELETE ON benchmarks_storedchunk
    FOR EACH ROW EXECUTE FUNCTION benchmarks_bytes_stay();
CREATE TRIGGER benchmarks_storedfile_stays BEFORE UPDATE OR DELETE ON benchmarks_storedfile
    FOR EACH ROW EXECUTE FUNCTION benchmarks_bytes_stay();
-- The samples are compressed already; squeezing the bytes of files takes twenty times as long as
-- writing them.
ALTER TABLE benchmarks_storedchunk ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE benchmarks_sampleset ALTER COLUMN encoded SET STORAGE EXTERNAL;
"""
BACKWARD = """
DROP TRIGGER benchmarks_storedfile_stays ON benchmarks_storedfile;
DROP TRIGGER benchmarks_storedchunk_stays ON benchmarks_storedchunk;
DROP FUNCTION benchmarks_bytes_stay();
DROP TRIGGER benchmarks_runfile_stays ON benchmarks_runfile;
DROP TRIGGER benchmarks_sampleset_stays ON benchmarks_sampleset;
DROP TRIGGER benchmarks_measurement_stays ON benchmarks_measurement;
DROP FUNCTION benchmarks_part_stays();
DROP TRIGGER benchmarks_run_stays ON benchmarks_run;
DROP FUNCTION benchmarks_run_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0001_first_runs")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
