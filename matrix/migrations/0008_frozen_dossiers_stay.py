"""A frozen dossier and all that its hash covers never change, and what people said about it stays:
the database refuses."""

from django.db import migrations

PARTS = ("candidate", "criterion", "score", "waiver")
FORWARD = """
CREATE FUNCTION matrix_dossier_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'frozen' THEN
        RAISE EXCEPTION 'the dossier % is frozen: open a new version instead', OLD.uid
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER matrix_dossier_stays BEFORE UPDATE OR DELETE ON matrix_dossier
    FOR EACH ROW EXECUTE FUNCTION matrix_dossier_stays();

CREATE FUNCTION matrix_dossier_part_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (TG_OP <> 'INSERT' AND EXISTS (
            SELECT 1 FROM matrix_dossier WHERE id = OLD.dossier_id AND state = 'frozen'))
       OR (TG_OP <> 'DELETE' AND EXISTS (
            SELECT 1 FROM matrix_dossier WHERE id = NEW.dossier_id AND state = 'frozen'))
    THEN
        RAISE EXCEPTION '% belongs to a frozen dossier: open a new version instead', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;

-- A comment on a draft goes with the draft; apart from that what was said is never changed.
CREATE FUNCTION matrix_dossier_word_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (
            SELECT 1 FROM matrix_dossier WHERE id = OLD.dossier_id AND state = 'draft') THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER matrix_dossiercomment_stays BEFORE UPDATE OR DELETE ON matrix_dossiercomment
    FOR EACH ROW EXECUTE FUNCTION matrix_dossier_word_stays();
CREATE TRIGGER matrix_dossiersignoff_stays BEFORE UPDATE OR DELETE ON matrix_dossiersignoff
    FOR EACH ROW EXECUTE FUNCTION matrix_row_is_append_only();
CREATE TRIGGER matrix_dossierrecheck_stays BEFORE UPDATE OR DELETE ON matrix_dossierrecheck
    FOR EACH ROW EXECUTE FUNCTION matrix_row_is_append_only();

CREATE FUNCTION matrix_price_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.withdrawn_at IS NOT NULL
       OR (OLD.uid, OLD.hardware, OLD.device_count, OLD.amount_per_hour, OLD.currency,
           OLD.provider, OLD.terms, OLD.effective_on, OLD.url, OLD.note, OLD.is_demonstration,
           OLD.recorded_by, OLD.recorded_at)
          IS DISTINCT FROM
          (NEW.uid, NEW.hardware, NEW.device_count, NEW.amount_per_hour, NEW.currency,
           NEW.provider, NEW.terms, NEW.effective_on, NEW.url, NEW.note, NEW.is_demonstration,
           NEW.recorded_by, NEW.recorded_at)
    THEN
        RAISE EXCEPTION 'the price % stays as recorded: withdraw it and record another', OLD.uid
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER matrix_hardwareprice_stays BEFORE UPDATE OR DELETE ON matrix_hardwareprice
    FOR EACH ROW EXECUTE FUNCTION matrix_price_stays();
""" + "".join(
    f"""
CREATE TRIGGER matrix_dossier{part}_stays BEFORE INSERT OR UPDATE OR DELETE
    ON matrix_dossier{part} FOR EACH ROW EXECUTE FUNCTION matrix_dossier_part_stays();
"""
    for part in PARTS
)
BACKWARD = (
    "".join(f"DROP TRIGGER matrix_dossier{part}_stays ON matrix_dossier{part};\n" for part in PARTS)
    + """
DROP TRIGGER matrix_hardwareprice_stays ON matrix_hardwareprice;
DROP FUNCTION matrix_price_stays();
DROP TRIGGER matrix_dossierrecheck_stays ON matrix_dossierrecheck;
DROP TRIGGER matrix_dossiersignoff_stays ON matrix_dossiersignoff;
DROP TRIGGER matrix_dossiercomment_stays ON matrix_dossiercomment;
DROP FUNCTION matrix_dossier_word_stays();
DROP FUNCTION matrix_dossier_part_stays();
DROP TRIGGER matrix_dossier_stays ON matrix_dossier;
DROP FUNCTION matrix_dossier_stays();
"""
)


class Migration(migrations.Migration):
    dependencies = [("matrix", "0007_dossiers_and_prices")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
