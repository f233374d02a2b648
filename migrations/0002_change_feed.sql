-- Who could read what is deleted: exact bindings go with their resource, in the same transaction as the announcement of its
-- deletion, and that announcement is for those who had them (spec 10, Watch). Written by a trigger, so that no deletion can forget it.
CREATE TABLE ended_reader (
    xid          xid8 NOT NULL DEFAULT pg_current_xact_id(),
    resource_id  uuid NOT NULL,
    subject_kind text NOT NULL,
    subject_id   uuid NOT NULL,
    at           timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (xid, resource_id, subject_kind, subject_id)
);
CREATE INDEX ended_reader_at ON ended_reader (at);

CREATE FUNCTION note_ended_reader() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ended_reader (resource_id, subject_kind, subject_id)
    SELECT coalesce(OLD.resource_id, OLD.namespace_id), OLD.subject_kind, OLD.subject_id
      FROM role r
     WHERE r.id = OLD.role_id AND 'read:' || coalesce(OLD.resource_kind, 'namespace') = ANY (r.permissions)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER access_binding_ended AFTER DELETE ON access_binding FOR EACH ROW
    WHEN (coalesce(OLD.resource_id, OLD.namespace_id) IS NOT NULL AND OLD.subject_kind <> 'workload')
    EXECUTE FUNCTION note_ended_reader();

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'occ_app') THEN
        GRANT SELECT, INSERT, DELETE ON ended_reader TO occ_app;
    END IF;
END $$;
