//! Kinds of resources as they are typed, and their addresses.

use std::str::FromStr;

use anyhow::bail;

/// A kind that has an address of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// Namespaces.
    Namespace,
    /// Configurations.
    Configuration,
    /// Secrets.
    Secret,
    /// Agents.
    Agent,
    /// Work items.
    Work,
}

impl FromStr for ResourceKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "namespace" | "namespaces" | "ns" => Ok(Self::Namespace),
            "configuration" | "configurations" | "cfg" => Ok(Self::Configuration),
            "secret" | "secrets" => Ok(Self::Secret),
            "agent" | "agents" => Ok(Self::Agent),
            "work" => Ok(Self::Work),
            _ => Err("use namespace, configuration, secret, agent or work".to_owned()),
        }
    }
}

impl ResourceKind {
    /// The collection's path.
    pub fn collection(self, namespace: Option<&str>) -> anyhow::Result<String> {
        let within = |plural: &str| match namespace {
            Some(namespace) => Ok(format!("/namespaces/{namespace}/{plural}")),
            None => bail!("name the Namespace with -n"),
        };
        match self {
            Self::Namespace => Ok("/namespaces".to_owned()),
            Self::Work => Ok("/work".to_owned()),
            Self::Configuration => within("configurations"),
            Self::Secret => within("secrets"),
            Self::Agent => within("agents"),
        }
    }

    /// One resource's path.
    pub fn path(self, namespace: Option<&str>, name: &str) -> anyhow::Result<String> {
        Ok(format!("{}/{name}", self.collection(namespace)?))
    }
}

/// An Agent on the command line: `NAME -n NAMESPACE`, with an optional word `agent` before it.
#[derive(Clone, Debug, clap::Args)]
pub struct AgentRef {
    /// The Agent, by name or id (the word `agent` may stand before it).
    #[arg(num_args = 1..=2, required = true, value_name = "AGENT")]
    words: Vec<String>,
    /// Its Namespace, by name or id.
    #[arg(short, long, env = "OCC_NAMESPACE")]
    namespace: String,
}

impl AgentRef {
    /// Its path.
    pub fn path(&self) -> anyhow::Result<String> {
        let name = match self.words.as_slice() {
            [name] => name,
            [kind, name] if kind == "agent" || kind == "agents" => name,
            _ => bail!("name one Agent"),
        };
        Ok(format!("/namespaces/{}/agents/{name}", self.namespace))
    }
}
