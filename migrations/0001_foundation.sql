-- The platform's tables. Ids are UUIDv7; the prefix of a kind is added outside. Times are the database's clock.
-- Names that lists are sorted by collate "C", so that keyset pages are plain index scans; created_at keeps the milliseconds that
-- travel, so that a cursor by time is exact. Closed vocabularies are text, checked by the code that owns them (crates/model); invariants are constraints here.

CREATE TABLE installation (
    singleton    boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    id           uuid NOT NULL UNIQUE,
    -- Raised by a restore above every epoch seen on the targets; the high part of every claim's epoch.
    incarnation  bigint NOT NULL DEFAULT 1,
    settings     jsonb NOT NULL DEFAULT '{}',
    created_at   timestamptz NOT NULL DEFAULT now()
);

-- One row. Every writing transaction reads it FOR SHARE as its last statement and compares (spec 20).
CREATE TABLE policy (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    epoch     bigint NOT NULL DEFAULT 1
);
INSERT INTO policy DEFAULT VALUES;

-- ---------------------------------------------------------------------------------------------- identities
CREATE TABLE principal (
    id           uuid PRIMARY KEY,
    display_name text NOT NULL,
    disabled_at  timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now()
);

-- How a person signs in: exact provider subject, enrolled by an administrator.
CREATE TABLE principal_identity (
    provider     text NOT NULL,
    subject      text NOT NULL,
    principal_id uuid NOT NULL REFERENCES principal,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (provider, subject)
);

CREATE TABLE namespace (
    id            uuid PRIMARY KEY,
    -- High part of the lanes of its work (see work.lane).
    lane          bigint GENERATED ALWAYS AS IDENTITY UNIQUE CHECK (lane < 2147483648),
    name          text COLLATE "C" NOT NULL,
    display_name  text,
    description   text,
    labels        jsonb NOT NULL DEFAULT '{}',
    status        text NOT NULL CHECK (status IN ('provisioning', 'ready', 'failed', 'deleting')),
    status_reason text,
    quotas        jsonb NOT NULL DEFAULT '{}',
    generation    bigint NOT NULL DEFAULT 1,
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    -- The tombstone: the name may be used again, the id never.
    deleted_at    timestamptz
);
CREATE UNIQUE INDEX namespace_name ON namespace (name) WHERE deleted_at IS NULL;

CREATE TABLE service_principal (
    id           uuid PRIMARY KEY,
    namespace_id uuid REFERENCES namespace,
    name         text NOT NULL,
    built_in     boolean NOT NULL DEFAULT false,
    disabled_at  timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now(),
    deleted_at   timestamptz
);
CREATE UNIQUE INDEX service_principal_name ON service_principal (coalesce(namespace_id, '00000000-0000-0000-0000-000000000000'), name) WHERE deleted_at IS NULL;

CREATE TABLE service_key (
    id                   uuid PRIMARY KEY,
    service_principal_id uuid NOT NULL REFERENCES service_principal,
    -- Public part of the key, by which it is found.
    prefix               text NOT NULL UNIQUE,
    hash                 bytea NOT NULL CHECK (length(hash) = 32),
    created_at           timestamptz NOT NULL DEFAULT now(),
    expires_at           timestamptz NOT NULL,
    last_used_at         timestamptz,
    revoked_at           timestamptz
);

CREATE TABLE session (
    -- SHA-256 of the cookie's token: a read of the database opens no session.
    token_hash   bytea PRIMARY KEY CHECK (length(token_hash) = 32),
    id           uuid NOT NULL UNIQUE,
    principal_id uuid REFERENCES principal,
    data         jsonb NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    idle_until   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX session_principal ON session (principal_id);
CREATE INDEX session_expiry ON session (expires_at);

CREATE TABLE signin_link (
    hash         bytea PRIMARY KEY CHECK (length(hash) = 32),
    principal_id uuid NOT NULL REFERENCES principal,
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL,
    consumed_at  timestamptz
);

CREATE TABLE rate_limit (
    bucket     text NOT NULL,
    -- Start of the window.
    since      timestamptz NOT NULL,
    hits       integer NOT NULL,
    PRIMARY KEY (bucket)
);

-- ---------------------------------------------------------------------------------------------- access
CREATE TABLE access_group (
    id           uuid PRIMARY KEY,
    namespace_id uuid REFERENCES namespace,
    name         text NOT NULL,
    generation   bigint NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX access_group_name ON access_group (coalesce(namespace_id, '00000000-0000-0000-0000-000000000000'), name);

CREATE TABLE access_group_member (
    group_id     uuid NOT NULL REFERENCES access_group ON DELETE CASCADE,
    subject_kind text NOT NULL,
    subject_id   uuid NOT NULL,
    PRIMARY KEY (group_id, subject_kind, subject_id)
);
CREATE INDEX access_group_member_subject ON access_group_member (subject_kind, subject_id);

CREATE TABLE role (
    id           uuid PRIMARY KEY,
    namespace_id uuid REFERENCES namespace,
    name         text NOT NULL,
    built_in     boolean NOT NULL DEFAULT false,
    -- `action:kind`
    permissions  text[] NOT NULL,
    generation   bigint NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX role_name ON role (coalesce(namespace_id, '00000000-0000-0000-0000-000000000000'), name);

CREATE TABLE access_binding (
    id            uuid PRIMARY KEY,
    -- principal, service_principal, workload (the Agent's id), group
    subject_kind  text NOT NULL,
    subject_id    uuid NOT NULL,
    role_id       uuid NOT NULL REFERENCES role,
    -- NULL namespace: the Installation. A resource narrows it to one id.
    namespace_id  uuid REFERENCES namespace,
    resource_kind text,
    resource_id   uuid,
    -- Immutable name of that resource, so that a list by name is a keyset join.
    resource_name text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    CHECK ((resource_kind IS NULL) = (resource_id IS NULL))
);
CREATE INDEX access_binding_subject ON access_binding (subject_kind, subject_id);
CREATE INDEX access_binding_resource ON access_binding (resource_id) WHERE resource_id IS NOT NULL;
CREATE UNIQUE INDEX access_binding_once ON access_binding (subject_kind, subject_id, role_id,
    coalesce(namespace_id, '00000000-0000-0000-0000-000000000000'), coalesce(resource_id, '00000000-0000-0000-0000-000000000000'));

CREATE TABLE restriction (
    id           uuid PRIMARY KEY,
    namespace_id uuid REFERENCES namespace,
    denies       text[] NOT NULL,
    reason       text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now()
);

-- ---------------------------------------------------------------------------------------------- resources
CREATE TABLE configuration (
    id           uuid PRIMARY KEY,
    namespace_id uuid NOT NULL REFERENCES namespace,
    name         text COLLATE "C" NOT NULL,
    display_name text,
    description  text,
    labels       jsonb NOT NULL DEFAULT '{}',
    kind         text NOT NULL,
    generation   bigint NOT NULL DEFAULT 1,
    -- The generation that last changed the document or its bindings.
    document_generation bigint NOT NULL DEFAULT 1,
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    deleted_at   timestamptz
);
CREATE UNIQUE INDEX configuration_name ON configuration (namespace_id, name) WHERE deleted_at IS NULL;

CREATE TABLE configuration_generation (
    configuration_id uuid NOT NULL REFERENCES configuration,
    generation       bigint NOT NULL,
    document         jsonb NOT NULL,
    -- [{pointer, secret: "sec_…"}]
    secret_bindings  jsonb NOT NULL DEFAULT '[]',
    created_by       text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (configuration_id, generation)
);

CREATE TABLE secret (
    id              uuid PRIMARY KEY,
    namespace_id    uuid NOT NULL REFERENCES namespace,
    name            text COLLATE "C" NOT NULL,
    display_name    text,
    description     text,
    labels          jsonb NOT NULL DEFAULT '{}',
    current_version bigint NOT NULL,
    generation      bigint NOT NULL DEFAULT 1,
    created_at      timestamptz(3) NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    deleted_at      timestamptz
);
CREATE UNIQUE INDEX secret_name ON secret (namespace_id, name) WHERE deleted_at IS NULL;

CREATE TABLE secret_version (
    secret_id    uuid NOT NULL REFERENCES secret,
    version      bigint NOT NULL,
    -- Envelope: AES-256-GCM under a data key of its own; the data key wrapped by a key of the ring. NULL once destroyed.
    ciphertext   bytea,
    wrapped_key  bytea,
    ring_key     text NOT NULL,
    -- Keyed digest of the value, to see a change without the value.
    digest       text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    destroyed_at timestamptz,
    PRIMARY KEY (secret_id, version),
    CHECK ((destroyed_at IS NULL) = (wrapped_key IS NOT NULL))
);

CREATE TABLE agent (
    id                       uuid PRIMARY KEY,
    namespace_id             uuid NOT NULL REFERENCES namespace,
    -- Low part of the lane of its work.
    lane                     bigint GENERATED ALWAYS AS IDENTITY UNIQUE CHECK (lane < 4294967296),
    name                     text COLLATE "C" NOT NULL,
    display_name             text,
    description              text,
    labels                   jsonb NOT NULL DEFAULT '{}',
    execution_mode           text NOT NULL,
    -- {provider}; the Secret it names is a row of reference
    harness_provider         text,
    backend_id               text,
    initial_workspace_files  jsonb NOT NULL DEFAULT '{}',
    desired_state            text NOT NULL DEFAULT 'stopped' CHECK (desired_state IN ('running', 'stopped')),
    -- The one revision that may run turns (I1): a single pointer, so there is never a second.
    active_revision_id       uuid,
    -- Kept aside between T1 and the end of its retirement.
    predecessor_revision_id  uuid,
    last_serving_revision_id uuid,
    route_state              text NOT NULL DEFAULT 'closed' CHECK (route_state IN ('open', 'closed')),
    health                   text NOT NULL DEFAULT 'stopped',
    health_reason            text,
    health_changed_at        timestamptz NOT NULL DEFAULT now(),
    next_revision_number     bigint NOT NULL DEFAULT 1,
    deleting                 boolean NOT NULL DEFAULT false,
    generation               bigint NOT NULL DEFAULT 1,
    created_at               timestamptz(3) NOT NULL DEFAULT now(),
    updated_at               timestamptz NOT NULL DEFAULT now(),
    deleted_at               timestamptz,
    -- A route is open only to an active revision.
    CHECK (route_state = 'closed' OR active_revision_id IS NOT NULL)
);
CREATE UNIQUE INDEX agent_name ON agent (namespace_id, name) WHERE deleted_at IS NULL;

CREATE TABLE agent_revision (
    id          uuid PRIMARY KEY,
    agent_id    uuid NOT NULL REFERENCES agent,
    number      bigint NOT NULL,
    snapshot    jsonb NOT NULL,
    -- Who asked: kind and id of the identity, and its name at the time.
    actor_kind  text NOT NULL,
    actor_id    uuid NOT NULL,
    actor_name  text NOT NULL,
    copied_from bigint,
    decisions   jsonb NOT NULL DEFAULT '[]',
    created_at  timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (agent_id, number)
);
ALTER TABLE agent ADD FOREIGN KEY (active_revision_id) REFERENCES agent_revision,
    ADD FOREIGN KEY (predecessor_revision_id) REFERENCES agent_revision,
    ADD FOREIGN KEY (last_serving_revision_id) REFERENCES agent_revision;

-- A revision is immutable, whoever asks.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% rows are immutable', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER agent_revision_immutable BEFORE UPDATE OR DELETE ON agent_revision FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE deployment (
    id               uuid PRIMARY KEY,
    agent_id         uuid NOT NULL REFERENCES agent,
    revision_id      uuid NOT NULL REFERENCES agent_revision,
    kind             text NOT NULL,
    phase            text NOT NULL,
    -- [{kind, state, startedAt, endedAt, note}]
    steps            jsonb NOT NULL DEFAULT '[]',
    attempts         integer NOT NULL DEFAULT 0,
    next_attempt_at  timestamptz,
    deadline         timestamptz NOT NULL,
    failure          jsonb,
    credential_proof text,
    interruption_ms  bigint,
    cancel_requested boolean NOT NULL DEFAULT false,
    -- Policy epoch of the latest full (re)authorization.
    authorized_epoch bigint NOT NULL,
    actor_kind       text NOT NULL,
    actor_id         uuid NOT NULL,
    actor_name       text NOT NULL,
    created_at       timestamptz(3) NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deployment_agent ON deployment (agent_id, created_at DESC, id DESC);
-- Only one deployment of an Agent is past T1 and not yet settled.
CREATE UNIQUE INDEX deployment_one_activating ON deployment (agent_id) WHERE phase = 'activating';
CREATE UNIQUE INDEX deployment_one_serving ON deployment (agent_id) WHERE phase = 'serving';

CREATE INDEX deployment_unretired ON deployment (revision_id)
    WHERE phase IN ('queued', 'preparing', 'ready', 'activating', 'serving', 'retiring');

-- Revisions that serve, are kept aside, or are on their way: what they pin must stay.
CREATE VIEW unretired_revision AS
    SELECT active_revision_id AS revision_id, id AS agent_id FROM agent WHERE active_revision_id IS NOT NULL AND deleted_at IS NULL
    UNION
    SELECT predecessor_revision_id, id FROM agent WHERE predecessor_revision_id IS NOT NULL AND deleted_at IS NULL
    UNION
    SELECT revision_id, agent_id FROM deployment
     WHERE phase IN ('queued', 'preparing', 'ready', 'activating', 'serving', 'retiring');

-- Every reference of a current draft or document, as ids. Names are looked up when shown.
CREATE TABLE reference (
    from_kind text NOT NULL,
    from_id   uuid NOT NULL,
    to_kind   text NOT NULL,
    to_id     uuid NOT NULL,
    -- configuration, api_key, binding
    role      text NOT NULL,
    PRIMARY KEY (from_id, role, to_id)
);
CREATE INDEX reference_to ON reference (to_id);

-- Secret versions that a revision pins, as rows, so that "who pins this" is an index look-up.
CREATE TABLE revision_secret (
    revision_id uuid NOT NULL REFERENCES agent_revision,
    secret_id   uuid NOT NULL REFERENCES secret,
    version     bigint NOT NULL,
    PRIMARY KEY (revision_id, secret_id)
);
CREATE INDEX revision_secret_secret ON revision_secret (secret_id, version);

-- ---------------------------------------------------------------------------------------------- work
CREATE SEQUENCE work_epoch AS bigint MINVALUE 1 MAXVALUE 1099511627775;

CREATE TABLE work (
    id            uuid PRIMARY KEY,
    kind          text NOT NULL,
    -- Unique among unfinished items: asking twice is asking once.
    key           text NOT NULL,
    state         text NOT NULL DEFAULT 'queued',
    namespace_id  uuid REFERENCES namespace,
    agent_id      uuid REFERENCES agent,
    revision_id   uuid REFERENCES agent_revision,
    deployment_id uuid REFERENCES deployment,
    actor_kind    text NOT NULL,
    actor_id      uuid NOT NULL,
    actor_name    text NOT NULL,
    request_id    uuid,
    -- An Agent's lane is its own point, a Namespace's work spans all of its Agents' points; NULL excludes nothing.
    lane          int8range,
    -- Only controllers of this host claim it; NULL: any.
    host          text,
    run_after     timestamptz NOT NULL DEFAULT now(),
    attempts      integer NOT NULL DEFAULT 0,
    deadline      timestamptz,
    last_error    text,
    epoch         bigint NOT NULL DEFAULT 0,
    lease_until   timestamptz,
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    finished_at   timestamptz,
    CONSTRAINT work_one_per_lane EXCLUDE USING gist (lane WITH &&) WHERE (state = 'running'),
    CHECK ((state = 'running') = (lease_until IS NOT NULL))
);
CREATE UNIQUE INDEX work_key ON work (key) WHERE state IN ('queued', 'running');
CREATE INDEX work_due ON work (run_after, id) WHERE state = 'queued';
CREATE INDEX work_running ON work (lease_until) WHERE state = 'running';
CREATE INDEX work_namespace_running ON work (namespace_id) WHERE state = 'running';
CREATE INDEX work_agent ON work (agent_id, created_at DESC);
CREATE INDEX work_created ON work (created_at DESC, id DESC);

CREATE TABLE work_attempt (
    work_id    uuid NOT NULL REFERENCES work ON DELETE CASCADE,
    epoch      bigint NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at   timestamptz,
    outcome    text,
    code       text,
    PRIMARY KEY (work_id, epoch)
);

-- ---------------------------------------------------------------------------------------------- records
CREATE TABLE audit_event (
    id            uuid PRIMARY KEY,
    xid           xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at            timestamptz NOT NULL DEFAULT now(),
    actor_kind    text NOT NULL,
    actor_id      uuid NOT NULL,
    actor_name    text NOT NULL,
    action        text NOT NULL,
    resource_kind text NOT NULL,
    resource_id   uuid,
    resource_name text,
    namespace_id  uuid,
    outcome       text NOT NULL CHECK (outcome IN ('success', 'denied', 'failure')),
    reason        text,
    request_id    uuid,
    evidence      jsonb NOT NULL DEFAULT '{}',
    details       jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_event_at ON audit_event (at DESC, id DESC);
CREATE INDEX audit_event_resource ON audit_event (resource_id, at DESC);
CREATE INDEX audit_event_namespace ON audit_event (namespace_id, at DESC);
CREATE TRIGGER audit_event_immutable BEFORE UPDATE ON audit_event FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The change feed, read in (xid, seq) order below pg_snapshot_xmin, so that nothing committed late is missed.
CREATE TABLE outbox (
    seq          bigint GENERATED ALWAYS AS IDENTITY,
    xid          xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at           timestamptz NOT NULL DEFAULT now(),
    kind         text NOT NULL,
    resource_id  uuid NOT NULL,
    name         text,
    namespace_id uuid,
    agent_id     uuid,
    op           text NOT NULL,
    generation   bigint,
    state        text,
    PRIMARY KEY (xid, seq)
);
CREATE INDEX outbox_at ON outbox (at);

CREATE TABLE idempotency (
    actor_id     uuid NOT NULL,
    operation    text NOT NULL,
    scope        text NOT NULL,
    key          text NOT NULL,
    request_hmac bytea NOT NULL,
    -- {name: id} of what was made; no body, no secret.
    resources    jsonb NOT NULL DEFAULT '{}',
    status       smallint NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (actor_id, operation, scope, key)
);
CREATE INDEX idempotency_created ON idempotency (created_at);

-- ---------------------------------------------------------------------------------------------- least grants
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'occ_app') THEN
        GRANT USAGE ON SCHEMA public TO occ_app;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO occ_app;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO occ_app;
        REVOKE UPDATE, DELETE ON agent_revision, audit_event FROM occ_app;
        REVOKE INSERT, UPDATE, DELETE ON installation FROM occ_app;
    END IF;
END $$;
