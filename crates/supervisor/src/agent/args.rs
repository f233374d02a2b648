//! What a supervisor is told at its start.

use std::path::PathBuf;

use occ_driver::AgentKey;
use occ_model::id::{AgentId, InstallationId, NamespaceId};

use crate::sandbox::Isolation;

/// `occ runtime agent …`. Nothing here is secret.
#[derive(Clone, Debug, clap::Args)]
pub struct AgentArgs {
    /// The data folder of the Installation.
    #[arg(long)]
    pub data: PathBuf,
    /// Where the runtimes are installed.
    #[arg(long)]
    pub runtimes: PathBuf,
    /// The program that is the shim and the shell inside; this one when absent.
    #[arg(long)]
    pub program: Option<PathBuf>,
    /// The Installation.
    #[arg(long)]
    pub installation: InstallationId,
    /// The Namespace.
    #[arg(long)]
    pub namespace: NamespaceId,
    /// The Agent.
    #[arg(long)]
    pub agent: AgentId,
    /// How its processes are kept apart: `bubblewrap` or `none`.
    #[arg(long, value_parser = isolation, default_value = "bubblewrap")]
    pub isolation: Isolation,
}

impl AgentArgs {
    /// Whose supervisor it is.
    pub fn key(&self) -> AgentKey {
        AgentKey { installation: self.installation, namespace: self.namespace, agent: self.agent }
    }

    /// The words that start such a supervisor, after `occ runtime agent`.
    pub fn words(&self) -> Vec<std::ffi::OsString> {
        let mut words: Vec<std::ffi::OsString> = Vec::new();
        let mut add = |name: &str, value: &std::ffi::OsStr| words.extend([name.into(), value.to_owned()]);
        add("--data", self.data.as_os_str());
        add("--runtimes", self.runtimes.as_os_str());
        if let Some(program) = &self.program {
            add("--program", program.as_os_str());
        }
        add("--installation", self.installation.to_string().as_ref());
        add("--namespace", self.namespace.to_string().as_ref());
        add("--agent", self.agent.to_string().as_ref());
        let isolation = match self.isolation {
            Isolation::Bubblewrap => "bubblewrap",
            Isolation::None => "none",
        };
        add("--isolation", isolation.as_ref());
        words
    }
}

/// Reads the word for an isolation.
fn isolation(word: &str) -> Result<Isolation, String> {
    match word {
        "bubblewrap" => Ok(Isolation::Bubblewrap),
        "none" => Ok(Isolation::None),
        _ => Err("must be `bubblewrap` or `none`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        args: AgentArgs,
    }

    #[test]
    fn the_words_start_the_same_supervisor() {
        let args = AgentArgs {
            data: "/d".into(),
            runtimes: "/r".into(),
            program: Some("/p".into()),
            installation: InstallationId::new(),
            namespace: NamespaceId::new(),
            agent: AgentId::new(),
            isolation: Isolation::None,
        };
        let words = std::iter::once("x".into()).chain(args.words());
        let back = Words::try_parse_from(words).unwrap().args;
        assert_eq!((back.key(), back.isolation, back.program), (args.key(), args.isolation, args.program));
    }
}
