//! `occ service`: OCC, and with it its Agents, at the machine's start (systemd). As root a unit of the system, that runs as whom the
//! data directory belongs to; else a unit of one's own.
//!
//! A unit that is not ours is never changed or removed (I14): ours begins with a mark. Stopping the unit ends `occ serve` alone
//! (`KillMode=process`): gateways, and the embedded database, go on.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command as Program;

use anyhow::{Context, bail};

use crate::config::{self, Config};

const NAME: &str = "occ.service";
const MARK: &str = "# Made by `occ service install`; removed by `occ service uninstall`.";

/// Subcommands of `occ service`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Print the unit that `install` would write.
    Unit(Args),
    /// Write the unit, start it now and at every start of the machine.
    Install(Args),
    /// Stop it and remove the unit. Agents that run go on.
    Uninstall(Args),
}

/// Arguments of all of them.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Args {
    /// A unit of one's own, also as root.
    #[arg(long)]
    user: bool,
}

/// Runs one. `file`: the configuration file that was named on the command line.
pub fn run(config: &Config, file: Option<&Path>, command: &Command) -> anyhow::Result<()> {
    let (Command::Unit(args) | Command::Install(args) | Command::Uninstall(args)) = command;
    let root = rustix::process::geteuid().is_root() && !args.user;
    let path = place(root);
    match command {
        Command::Unit(_) => print!("{}", unit(config, file, root)?),
        Command::Install(_) => {
            let data = config.data_dir();
            if !data.is_dir() {
                bail!("the data directory {} does not exist\n  next: run `occ init` first", data.display());
            }
            ours(&path)?;
            let text = unit(config, file, root)?;
            fs::create_dir_all(path.parent().unwrap_or(&path))
                .and_then(|()| fs::write(&path, text))
                .with_context(|| format!("{} cannot be written", path.display()))?;
            systemctl(root, &["daemon-reload"])?;
            systemctl(root, &["enable", "--now", NAME])?;
            println!("occ starts with this machine ({})", path.display());
            if !root {
                println!("without you signed in, too, after `loginctl enable-linger`");
            }
        }
        Command::Uninstall(_) => {
            if !ours(&path)? {
                println!("there is no unit {}", path.display());
                return Ok(());
            }
            systemctl(root, &["disable", "--now", NAME])?;
            fs::remove_file(&path).with_context(|| format!("{} cannot be removed", path.display()))?;
            systemctl(root, &["daemon-reload"])?;
            println!("occ does not start with this machine any more; Agents that run go on until they are stopped");
        }
    }
    Ok(())
}

fn place(root: bool) -> PathBuf {
    if root {
        return Path::new("/etc/systemd/system").join(NAME);
    }
    config::home("XDG_CONFIG_HOME", ".config").join("systemd/user").join(NAME)
}

/// Whether our unit is there. An error where somebody else's is.
fn ours(path: &Path) -> anyhow::Result<bool> {
    match fs::read_to_string(path) {
        Ok(text) if text.starts_with(MARK) => Ok(true),
        Ok(_) => bail!("{} is not of `occ service install`\n  next: move it away if it is not needed", path.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

fn unit(config: &Config, file: Option<&Path>, root: bool) -> anyhow::Result<String> {
    let program = std::env::current_exe().context("where is this program?")?;
    let file = file.map(std::path::absolute).transpose().context("the configuration file's place")?;
    let serve = match file {
        Some(file) => format!("{} --config {} serve", quoted(&program)?, quoted(&file)?),
        None => format!("{} serve", quoted(&program)?),
    };
    let mut service = Vec::new();
    if root && let Ok(owner) = fs::metadata(config.data_dir()) {
        service.push(format!("User={}", owner.uid()));
        service.push(format!("Group={}", owner.gid()));
    }
    // What was said by the environment here would be missing at the machine's start.
    for (name, path) in [("OCC_DATA_DIR", config.data_dir()), ("OCC_RUNTIMES_DIR", config.runtimes_dir())] {
        service.push(format!("Environment={}", quoted(Path::new(&format!("{name}={}", path.display())))?));
    }
    service.push(format!("Environment=OCC__SERVER__LISTEN={}", config.server.listen));
    let wanted = if root { "multi-user.target" } else { "default.target" };
    Ok(format!(
        "{MARK}
[Unit]
Description=OpenClaw Control Plane
After=network-online.target
Wants=network-online.target

[Service]
ExecStart={serve}
{}
Restart=on-failure
RestartSec=2
KillMode=process
TimeoutStopSec=20
Delegate=yes

[Install]
WantedBy={wanted}
",
        service.join("\n")
    ))
}

/// A word of a unit: quoted, with what systemd reads as its own doubled.
fn quoted(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().with_context(|| format!("{} is no text", path.display()))?;
    if text.chars().any(char::is_control) {
        bail!("{} has a control character, which a unit cannot say", path.display());
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    Ok(format!("\"{escaped}\""))
}

fn systemctl(root: bool, words: &[&str]) -> anyhow::Result<()> {
    let mut program = Program::new("systemctl");
    if !root {
        program.arg("--user");
    }
    let next =
        "next: is systemd what starts this machine? else start `occ serve` by what does (`occ service unit` shows how)";
    match program.args(words).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => bail!("systemctl {} ended with {status}\n  {next}", words.join(" ")),
        Err(error) => Err(error).with_context(|| format!("systemctl cannot be run\n  {next}")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn words_of_a_unit_are_taken_as_they_are() {
        assert_eq!(quoted(Path::new("/a b/50%$x\"y")).unwrap(), r#""/a b/50%%$$x\"y""#);
        quoted(Path::new("/a\nExecStart=/evil")).unwrap_err();
    }
}
