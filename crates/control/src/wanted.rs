//! What a deployment would admit: an Agent's draft, or the snapshot that a rollback copies, with references as ids.

use std::collections::BTreeMap;

use occ_model::agent::{ExecutionMode, HarnessAuth};
use occ_model::configuration::SecretBinding;
use occ_model::id::{ConfigurationId, NamespaceId, SecretId};
use occ_model::name::Name;
use occ_model::reference::Selector;
use occ_model::revision::Snapshot;
use occ_store::agent::{self, AgentRow};
use occ_store::configuration::{Binding, ConfigurationRow};
use occ_store::{Conn, Named};
use serde_json::{Value, json};

use crate::error::{Error, Result};

/// Everything that admission looks at.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub configuration: ConfigurationId,
    pub configuration_name: Name,
    pub generation: i64,
    pub values: Value,
    pub bindings: Vec<Binding>,
    pub provider: Option<String>,
    pub api_key: Option<SecretId>,
    pub mode: ExecutionMode,
    pub backend_id: Option<String>,
    pub files: BTreeMap<String, String>,
}

impl Wanted {
    /// The draft of an Agent. `None`: its Configuration is not there any more.
    pub async fn draft(on: &mut impl Conn, namespace: NamespaceId, agent: &AgentRow) -> Result<Option<Self>> {
        let Some((id, _)) = agent.configuration.clone() else { return Ok(None) };
        let Some(configuration) = ConfigurationRow::find(on, namespace, &Selector::Id(id)).await? else {
            return Ok(None);
        };
        Ok(Some(Self {
            configuration: id,
            configuration_name: configuration.meta.name,
            generation: configuration.document_generation,
            values: configuration.values,
            bindings: configuration.bindings,
            provider: agent.provider.clone(),
            api_key: agent.api_key.as_ref().map(|(id, _)| *id),
            mode: agent.execution_mode,
            backend_id: agent.backend_id.clone(),
            files: agent::initial_workspace_files(on, agent.id).await?,
        }))
    }

    /// What an old revision admitted, to be admitted again by today's rules.
    pub fn again(snapshot: &Snapshot) -> Result<Self> {
        let id_of = |selector: &Selector<SecretId>| match selector {
            Selector::Id(id) => Ok(*id),
            Selector::Name(_) => Err(Error::fault("reading a snapshot", "a reference is not an id")),
        };
        let bindings = snapshot
            .secret_bindings
            .iter()
            .map(|binding| Ok(Binding { pointer: binding.pointer.clone(), secret: id_of(&binding.secret)? }));
        let key = snapshot.harness_auth.as_ref().and_then(|auth| auth.api_key.as_ref());
        Ok(Self {
            configuration: snapshot.configuration_id,
            configuration_name: snapshot.configuration.clone(),
            generation: snapshot.configuration_generation,
            values: snapshot.values.clone(),
            bindings: bindings.collect::<Result<_>>()?,
            provider: snapshot.harness_auth.as_ref().map(|auth| auth.provider.clone()),
            api_key: key.map(id_of).transpose()?,
            mode: snapshot.harness.mode,
            backend_id: snapshot.backend_id.clone(),
            files: snapshot.initial_workspace_files.clone(),
        })
    }

    /// The model credential as the snapshot holds it.
    pub fn harness_auth(&self) -> Option<HarnessAuth> {
        self.provider.clone().map(|provider| HarnessAuth { provider, api_key: self.api_key.map(Selector::Id) })
    }

    /// Secrets and their places as the snapshot holds them.
    pub fn secret_bindings(&self) -> Vec<SecretBinding> {
        let binding = |b: &Binding| SecretBinding { pointer: b.pointer.clone(), secret: Selector::Id(b.secret) };
        self.bindings.iter().map(binding).collect()
    }

    /// Each Secret once, with the first place that refers to it, as a pointer into the Agent's draft.
    pub fn secrets(&self) -> Vec<(SecretId, String)> {
        let mut found: Vec<(SecretId, String)> = Vec::new();
        let key = self.api_key.map(|id| (id, "/harnessAuth/apiKey".to_owned()));
        let bindings = self.bindings.iter().enumerate();
        let bindings = bindings.map(|(i, b)| (b.secret, format!("/configuration/secretBindings/{i}/secret")));
        for (id, pointer) in key.into_iter().chain(bindings) {
            if !found.iter().any(|(known, _)| *known == id) {
                found.push((id, pointer));
            }
        }
        found
    }

    /// The document that diffs compare. `secrets` are the names and versions that it would pin.
    pub fn comparable(&self, secrets: &[(SecretId, Name, i64)]) -> Value {
        let name_of =
            |id: SecretId| secrets.iter().find(|(known, ..)| *known == id).map(|(_, name, _)| name.to_string());
        let bindings = self.bindings.iter();
        let bindings: BTreeMap<_, _> = bindings.map(|b| (b.pointer.clone(), name_of(b.secret))).collect();
        json!({
            "configuration": self.configuration_name,
            "configurationGeneration": self.generation,
            "values": self.values,
            "secretBindings": bindings,
            "harnessAuth": self.provider.as_ref().map(|provider| {
                json!({ "provider": provider, "apiKey": self.api_key.and_then(name_of) })
            }),
            "executionMode": self.mode,
            "backendId": self.backend_id,
            "secretVersions": secrets.iter().map(|(_, name, version)| (name.to_string(), *version)).collect::<BTreeMap<_, _>>(),
        })
    }
}

/// The document that diffs compare, of a revision.
pub(crate) fn comparable(snapshot: &Snapshot) -> Result<Value> {
    let pinned = snapshot.secrets.iter().map(|pin| (pin.id, pin.name.clone(), pin.version));
    Ok(Wanted::again(snapshot)?.comparable(&pinned.collect::<Vec<_>>()))
}
