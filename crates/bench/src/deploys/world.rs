//! One tenant with a Configuration that binds Secrets, and many Agents that may use them.

use occ_control::{Cx, WriteOptions, agent, configuration, deploy, secret};
use occ_model::configuration::SecretBinding;
use occ_model::deployment::{Admitted, DeployOutcome};
use occ_model::id::{AgentId, BindingId, NamespaceId, RequestId, SecretId, TypedId};
use occ_model::reference::Selector;
use occ_testkit::{Tenant, TestControl, document};
use sqlx::PgPool;

/// Where the runtime reads a Secret each.
const PLACES: [&str; 5] = [
    "/channels/telegram/botToken",
    "/channels/slack/botToken",
    "/channels/slack/appToken",
    "/channels/slack/signingSecret",
    "/channels/discord/token",
];

/// Everything that is deployed.
pub struct World {
    pub control: TestControl,
    tenant: Tenant,
    pub agents: Vec<AgentId>,
}

impl World {
    /// Over a fresh database. Made by the use cases, but for the grants, which are rows alike.
    pub async fn new(control: TestControl, agents: usize) -> anyhow::Result<Self> {
        let tenant = control.tenant("bench").await?;
        let (cx, ns) = (control.cx(&tenant.developer), Selector::Id(tenant.namespace.id));
        let plain = WriteOptions::default();
        let mut secrets = Vec::new();
        for n in 0..=PLACES.len() {
            let request = document::secret(format!("secret-{n}").parse()?, "a value");
            secrets.push(secret::create(&cx, &ns, request, &plain).await?.id);
        }
        let mut request = document::configuration("bound".parse()?, document::embedded());
        request.secret_bindings = PLACES
            .iter()
            .zip(&secrets[1..])
            .map(|(place, secret)| SecretBinding { pointer: (*place).to_owned(), secret: Selector::Id(*secret) })
            .collect();
        configuration::create(&cx, &ns, request, &plain).await?;
        let mut made = Vec::new();
        for n in 0..agents {
            let key = Some("secret-0".parse()?);
            let request = document::agent(format!("agent-{n}").parse()?, "bound".parse()?, key);
            made.push(agent::create(&cx, &ns, request, &plain).await?.id);
        }
        grant(control.control.store.pool(), tenant.namespace.id, &made, &secrets).await?;
        Ok(Self { control, tenant, agents: made })
    }

    /// Admits the draft of the `n`-th Agent, as a request with an idempotency key does.
    pub async fn deploy(&self, n: usize) -> anyhow::Result<Admitted> {
        let key = Some(RequestId::new().to_string().parse()?);
        let options = WriteOptions { idempotency_key: key, ..WriteOptions::default() };
        let (ns, agent) = (Selector::Id(self.tenant.namespace.id), Selector::Id(self.agents[n % self.agents.len()]));
        match deploy::deploy(&self.cx(), &ns, &agent, &options).await? {
            DeployOutcome::Admitted(admitted) => Ok(*admitted),
            DeployOutcome::Report(_) => anyhow::bail!("it was not admitted"),
        }
    }

    fn cx(&self) -> Cx {
        self.control.cx(&self.tenant.developer)
    }
}

/// `secret-consumer` on each Secret for each Agent, as [`secret::grant`] writes it.
async fn grant(pool: &PgPool, namespace: NamespaceId, agents: &[AgentId], secrets: &[SecretId]) -> anyhow::Result<()> {
    let pairs = agents.iter().flat_map(|agent| secrets.iter().map(move |secret| (agent.uuid(), secret.uuid())));
    let (agents, secrets): (Vec<_>, Vec<_>) = pairs.unzip();
    let ids: Vec<_> = agents.iter().map(|_| BindingId::new().uuid()).collect();
    sqlx::query(
        "INSERT INTO access_binding (id, subject_kind, subject_id, role_id, namespace_id, resource_kind, resource_id, resource_name)
         SELECT g.id, 'workload', g.agent, r.id, $4, 'secret', g.secret, s.name
           FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS g (id, agent, secret)
           JOIN secret s ON s.id = g.secret JOIN role r ON r.name = 'secret-consumer' AND r.built_in
         ON CONFLICT DO NOTHING",
    )
    .bind(ids)
    .bind(agents)
    .bind(secrets)
    .bind(namespace.uuid())
    .execute(pool)
    .await?;
    sqlx::query("UPDATE policy SET epoch = epoch + 1").execute(pool).await?;
    Ok(())
}
