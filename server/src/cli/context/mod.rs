//! `occ context`: the servers that `occ login` remembered.

mod address;
mod store;

use occ_model::name::Name;
use serde_json::json;

pub use address::check_address;
pub use store::{Contexts, Server};

use super::output::{self, Output};

/// Subcommands of `occ context`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List the servers that are remembered; the current one is marked.
    List {
        /// How it is printed.
        #[arg(short, long, value_enum, default_value = "table")]
        output: Output,
    },
    /// Use that server from now on; without a name, this machine's own.
    Use {
        /// Its name.
        name: Option<Name>,
    },
    /// Forget a server and its key. The key itself stays valid until it is revoked.
    Delete {
        /// Its name.
        name: Name,
    },
}

/// Runs one.
pub fn run(command: &Command) -> anyhow::Result<()> {
    let mut contexts = Contexts::open()?;
    match command {
        Command::List { output } => {
            let current = contexts.current()?;
            let item = |server: &Server| {
                let mark = if current.as_ref() == Some(server) { "*" } else { "" };
                json!({ "current": mark, "name": server.name, "url": server.url })
            };
            let all: Vec<_> = contexts.all().iter().map(item).collect();
            output::items(*output, &[("CURRENT", "/current"), ("NAME", "/name"), ("URL", "/url")], &all)
        }
        Command::Use { name } => {
            contexts.switch(name.as_ref())?;
            match name {
                Some(name) => println!("using {name}"),
                None => println!("using this machine's own server"),
            }
            Ok(())
        }
        Command::Delete { name } => {
            contexts.delete(name)?;
            println!("forgot {name}");
            Ok(())
        }
    }
}
