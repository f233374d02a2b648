//! Secrets as they are shown: everything but the value, and of their consumers those that the caller may read.

use occ_model::id::NamespaceId;
use occ_model::operation::{Action, Kind};
use occ_model::secret::{Secret, SecretConsumer, SecretVersion};
use occ_policy::{Facts, Target};
use occ_store::secret::SecretRow;
use occ_store::secret_consumer::{self, ConsumerRow};
use occ_store::{Conn, secret_version};

use crate::error::{Error, Result};

/// One Secret.
pub async fn view(on: &mut impl Conn, facts: &Facts, namespace: NamespaceId, row: SecretRow) -> Result<Secret> {
    views(on, facts, namespace, vec![row]).await?.pop().ok_or_else(Error::not_found)
}

/// Secrets of one Namespace, in the order given.
pub async fn views(
    on: &mut impl Conn,
    facts: &Facts,
    namespace: NamespaceId,
    rows: Vec<SecretRow>,
) -> Result<Vec<Secret>> {
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let versions = secret_version::living(on, &ids).await?;
    let consumers = secret_consumer::of(on, &ids).await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let own = versions.iter().filter(|version| version.secret == row.id);
            let current = own.clone().find(|version| version.version == row.current_version);
            Secret {
                id: row.id,
                value_set_at: current.map_or(row.meta.created_at, |version| version.created_at.into()),
                current_version: row.current_version,
                versions: own
                    .map(|version| SecretVersion {
                        version: version.version,
                        created_at: version.created_at.into(),
                        destroyed_at: version.destroyed_at.map(Into::into),
                        pinned: version.pinned,
                    })
                    .collect(),
                consumers: readable(facts, namespace, &row, &consumers),
                meta: row.meta,
            }
        })
        .collect())
}

/// Consumers of one Secret that the caller may read.
pub fn readable(
    facts: &Facts,
    namespace: NamespaceId,
    secret: &SecretRow,
    consumers: &[ConsumerRow],
) -> Vec<SecretConsumer> {
    consumers
        .iter()
        .filter(|consumer| consumer.secret == secret.id)
        .filter(|consumer| {
            facts.decide(Action::Read, &Target::resource(Kind::Agent, namespace, consumer.agent)).allowed
        })
        .map(|consumer| SecretConsumer {
            agent_id: consumer.agent,
            agent: consumer.name.clone(),
            granted: consumer.granted,
            referenced: consumer.referenced,
            serving_version: consumer.serving_version,
            stale: consumer.serving_version.is_some_and(|version| version != secret.current_version),
        })
        .collect()
}
