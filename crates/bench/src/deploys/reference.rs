//! pgbench writing the rows of a deploy: the contents are those of one that was admitted, the ids are new.

use std::path::{Path, PathBuf};

use occ_model::id::TypedId;
use sqlx::PgPool;

use super::world::World;

/// What does not change from row to row, in a table, since pgbench would take a colon in a document for a variable of its own.
const TEMPLATE: &str = "
CREATE TABLE bench_template AS
SELECT r.snapshot, r.actor_kind, r.actor_id, r.actor_name, r.decisions, d.steps, d.authorized_epoch, e.action, e.namespace_id,
       e.evidence, e.details, w.request_id, i.operation, i.scope, i.request_hmac, i.resources
  FROM agent_revision r
  JOIN deployment d ON d.revision_id = r.id
  JOIN work w ON w.deployment_id = d.id
  JOIN audit_event e ON e.resource_id = r.agent_id AND e.action = 'agent.deploy'
  JOIN idempotency i ON i.actor_id = r.actor_id AND i.operation = 'agent.deploy'
 WHERE r.id = $1 LIMIT 1";

const SECRETS: &str =
    "CREATE TABLE bench_secret AS SELECT secret_id, version FROM revision_secret WHERE revision_id = $1";

const AGENTS: &str = "
CREATE TABLE bench_agent AS
SELECT row_number() OVER (ORDER BY a.id) AS n, a.id, a.name,
       int8range((n.lane << 32) + a.lane, (n.lane << 32) + a.lane, '[]') AS lane
  FROM agent a JOIN namespace n ON n.id = a.namespace_id";

/// One transaction: the Agent's row and ten kinds of rows, in nine statements.
const SCRIPT: &str = r"\set n random(1, :agents)
BEGIN;
UPDATE agent a SET next_revision_number = next_revision_number + 1, desired_state = 'running', updated_at = now() FROM bench_agent b WHERE b.n = :n AND a.id = b.id RETURNING a.id AS agent, a.next_revision_number - 1 AS number, gen_random_uuid() AS revision, gen_random_uuid() AS deployment \gset
INSERT INTO idempotency (actor_id, operation, scope, key, request_hmac, resources, status) SELECT actor_id, operation, scope, gen_random_uuid()::text, request_hmac, resources, 202 FROM bench_template;
INSERT INTO agent_revision (id, agent_id, number, snapshot, actor_kind, actor_id, actor_name, decisions) SELECT :revision::uuid, :agent::uuid, :number::bigint, snapshot, actor_kind, actor_id, actor_name, decisions FROM bench_template;
INSERT INTO revision_secret (revision_id, secret_id, version) SELECT :revision::uuid, secret_id, version FROM bench_secret;
INSERT INTO deployment (id, agent_id, revision_id, kind, phase, steps, deadline, authorized_epoch, actor_kind, actor_id, actor_name) SELECT :deployment::uuid, :agent::uuid, :revision::uuid, 'deploy', 'queued', steps, now() + interval '15 minutes', authorized_epoch, actor_kind, actor_id, actor_name FROM bench_template;
INSERT INTO work (id, kind, key, namespace_id, agent_id, revision_id, deployment_id, actor_kind, actor_id, actor_name, request_id, lane) SELECT gen_random_uuid(), 'revision_deploy', 'deploy/' || :deployment, t.namespace_id, :agent::uuid, :revision::uuid, :deployment::uuid, t.actor_kind, t.actor_id, t.actor_name, t.request_id, b.lane FROM bench_template t, bench_agent b WHERE b.n = :n;
INSERT INTO outbox (kind, resource_id, name, namespace_id, agent_id, op, generation, state) SELECT v.kind, v.id, v.name, t.namespace_id, :agent::uuid, v.op, v.generation, v.state FROM bench_template t, (VALUES ('revision', :revision::uuid, NULL, 'created', NULL::bigint, NULL), ('deployment', :deployment::uuid, NULL, 'created', NULL, 'queued'), ('agent', :agent::uuid, 'agent', 'updated', 1, NULL)) AS v (kind, id, name, op, generation, state);
INSERT INTO audit_event (id, actor_kind, actor_id, actor_name, action, resource_kind, resource_id, resource_name, namespace_id, outcome, request_id, evidence, details) SELECT gen_random_uuid(), actor_kind, actor_id, actor_name, action, 'agent', :agent::uuid, 'agent', namespace_id, 'success', request_id, evidence, details FROM bench_template;
COMMIT;
";

/// Makes the tables that the script reads, and the script.
pub async fn prepare(pool: &PgPool, dir: &Path, world: &World) -> anyhow::Result<PathBuf> {
    let admitted = world.deploy(0).await?;
    let revision = admitted.revision.id.uuid();
    let copied = |statement: &str| {
        // A utility statement takes no parameters; an id is hexadecimal digits and hyphens.
        sqlx::AssertSqlSafe(statement.replace("$1", &format!("'{revision}'")))
    };
    for statement in [TEMPLATE, SECRETS, AGENTS] {
        sqlx::query(copied(statement)).execute(pool).await?;
    }
    sqlx::query("CREATE UNIQUE INDEX ON bench_agent (n)").execute(pool).await?;
    for table in ["bench_template", "bench_secret", "bench_agent"] {
        sqlx::query(sqlx::AssertSqlSafe(format!("ANALYZE {table}"))).execute(pool).await?;
    }
    let templates: i64 = sqlx::query_scalar("SELECT count(*) FROM bench_template").fetch_one(pool).await?;
    anyhow::ensure!(templates == 1, "the admitted deploy was not found again");
    let path = dir.join("deploy.sql");
    std::fs::write(&path, SCRIPT)?;
    Ok(path)
}
