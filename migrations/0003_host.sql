-- Until Agents may live on several machines, the one data folder whose machine runs the Agents of the `local` driver: the id that lies
-- in that folder. Written once, at the first start, and never changed by the server.
CREATE TABLE local_host (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    id        text NOT NULL,
    bound_at  timestamptz NOT NULL DEFAULT now()
);

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'occ_app') THEN
        GRANT SELECT, INSERT ON local_host TO occ_app;
    END IF;
END $$;
