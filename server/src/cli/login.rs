//! `occ login`: remembers a server with a service key, once that server has recognised the key.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use anyhow::{Context, bail};
use occ_model::access::Me;
use occ_model::name::Name;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::client::Client;
use super::context::{Contexts, check_address};

/// Arguments of `occ login`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The server's address, such as `https://occ.example.org`.
    url: Url,
    /// The name to remember it by; one of the same name is replaced.
    #[arg(long, default_value = "default")]
    context: Name,
    /// File with the service key; default: asked for on a terminal, else the first line of standard input.
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Leave the current server the current one.
    #[arg(long)]
    keep_current: bool,
}

/// Logs in.
pub async fn run(args: &Args) -> anyhow::Result<()> {
    check_address(&args.url)?;
    let mut contexts = Contexts::open()?;
    let key = read_key(args)?;
    let me: Me = Client::to(&args.url, key.clone())?.get("/me").await?;
    contexts.put(&args.context, &args.url, &key, !args.keep_current)?;
    println!("{} is {} as {} ({})", args.context, args.url, me.name, me.kind);
    Ok(())
}

fn read_key(args: &Args) -> anyhow::Result<SecretString> {
    let text: SecretString = if let Some(file) = &args.key_file {
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?.into()
    } else if std::io::stdin().is_terminal() {
        rpassword::prompt_password("service key: ").context("the key could not be read")?.into()
    } else {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).context("the key could not be read")?;
        line.into()
    };
    let key = text.expose_secret().trim();
    if occ_control::token::ServiceKey::prefix_of(key).is_none() {
        bail!(
            "this is no service key: one begins with occ_; make one with the API (`POST /service-principals/ID/keys`, see /api/docs); a machine's own is the file `service-key` in its data directory"
        );
    }
    Ok(key.to_owned().into())
}
