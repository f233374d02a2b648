-- Beside the platform's own tables, in a test's database: every change of what the invariants speak of, in order, with the transaction
-- that made it and the process that asked (its application_name). A change that is rolled back leaves nothing here either.
CREATE TABLE journal (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    who text NOT NULL DEFAULT current_setting('application_name'),
    tab text NOT NULL,
    op  text NOT NULL,
    row jsonb NOT NULL
);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changed record := coalesce(NEW, OLD);
BEGIN
    INSERT INTO journal (tab, op, row) VALUES (TG_TABLE_NAME, coalesce(TG_ARGV[0], TG_OP),
        to_jsonb(changed) - ARRAY['snapshot', 'steps', 'evidence', 'details', 'initial_workspace_files', 'labels', 'decisions', 'lane']);
    RETURN NULL;
END $$;
CREATE TRIGGER note AFTER INSERT OR DELETE ON agent FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note_update AFTER UPDATE ON agent FOR EACH ROW
    WHEN ((OLD.active_revision_id, OLD.predecessor_revision_id, OLD.last_serving_revision_id, OLD.route_state, OLD.desired_state, OLD.deleting, OLD.deleted_at)
          IS DISTINCT FROM
          (NEW.active_revision_id, NEW.predecessor_revision_id, NEW.last_serving_revision_id, NEW.route_state, NEW.desired_state, NEW.deleting, NEW.deleted_at))
    EXECUTE FUNCTION note();
CREATE TRIGGER note AFTER INSERT OR DELETE ON deployment FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note_update AFTER UPDATE ON deployment FOR EACH ROW
    WHEN ((OLD.phase, OLD.credential_proof) IS DISTINCT FROM (NEW.phase, NEW.credential_proof)) EXECUTE FUNCTION note();
CREATE TRIGGER note AFTER INSERT ON agent_revision FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note AFTER INSERT OR DELETE ON work FOR EACH ROW EXECUTE FUNCTION note();
-- Renewals are no change of what is done by whom; a lease that a test lets run out is.
CREATE TRIGGER note_update AFTER UPDATE ON work FOR EACH ROW
    WHEN ((OLD.state, OLD.epoch) IS DISTINCT FROM (NEW.state, NEW.epoch) OR OLD.lease_until IS NOT DISTINCT FROM NEW.lease_until)
    EXECUTE FUNCTION note();
CREATE TRIGGER note_expiry AFTER UPDATE ON work FOR EACH ROW
    WHEN (OLD.lease_until IS DISTINCT FROM NEW.lease_until AND NEW.state = 'running' AND NEW.lease_until < clock_timestamp())
    EXECUTE FUNCTION note('EXPIRED');
CREATE TRIGGER note AFTER INSERT OR UPDATE ON work_attempt FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note AFTER INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note AFTER UPDATE ON policy FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note AFTER INSERT OR DELETE ON access_binding FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note AFTER INSERT ON namespace FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note_update AFTER UPDATE ON namespace FOR EACH ROW
    WHEN ((OLD.status, OLD.deleted_at) IS DISTINCT FROM (NEW.status, NEW.deleted_at)) EXECUTE FUNCTION note();
