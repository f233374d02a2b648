//! Which PostgreSQL programs to run: the machine's own first, then the ones unpacked beside the data.
//!
//! Existing data bind the choice to their major version; fresh data take the first that is new enough.

use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::Error;

/// Oldest major version that OCC runs on.
pub const MIN_MAJOR: u32 = 15;

/// A folder with `postgres` and `initdb` of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    /// The folder.
    pub bin: PathBuf,
    /// Major version of the server in it.
    pub major: u32,
}

impl Binaries {
    /// Path of one program.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// Every usable set on this machine, best first: `PATH`, Debian's folders (newest first), then `bundled`.
    pub async fn find_all(bundled: &[PathBuf]) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for bin in folders(bundled) {
            if found.iter().any(|f| f.bin == bin) {
                continue;
            }
            if let Some(major) = major_of(&bin).await.filter(|m| *m >= MIN_MAJOR) {
                found.push(Self { bin, major });
            }
        }
        found
    }

    /// The set to run the data directory `data` with.
    pub(crate) async fn for_data(data: &Path, bundled: &[PathBuf]) -> Result<Self, Error> {
        let all = Self::find_all(bundled).await;
        let none = || Error::NoBinaries {
            looked: folders(bundled).iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", "),
        };
        match std::fs::read_to_string(data.join("PG_VERSION")) {
            Ok(version) => choose(&all, Some(version.trim()), data).ok_or_else(none)?,
            Err(_) => choose(&all, None, data).ok_or_else(none)?,
        }
    }
}

/// `None`: nothing to choose from.
fn choose(all: &[Binaries], version: Option<&str>, data: &Path) -> Option<Result<Binaries, Error>> {
    let first = all.first()?;
    let Some(version) = version else { return Some(Ok(first.clone())) };
    let fitting = all.iter().find(|b| b.major.to_string() == version);
    Some(fitting.cloned().ok_or_else(|| Error::OtherMajor {
        path: data.to_path_buf(),
        found: version.chars().filter(char::is_ascii_graphic).take(12).collect(),
        have: all.iter().map(|b| b.major.to_string()).collect::<Vec<_>>().join(", "),
    }))
}

/// Folders to look in, links resolved (a `postgres` on `PATH` is often a link into Debian's folder, beside no `initdb`).
fn folders(bundled: &[PathBuf]) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).filter_map(|dir| std::fs::canonicalize(dir.join("postgres")).ok());
    let mut debian: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|e| Some((e.file_name().to_str()?.parse().ok()?, e.path().join("bin"))))
        .collect();
    debian.sort_by_key(|(major, _)| std::cmp::Reverse(*major));
    on_path
        .filter_map(|program| program.parent().map(Path::to_path_buf))
        .chain(debian.into_iter().map(|(_, bin)| bin))
        .chain(bundled.iter().cloned())
        .collect()
}

async fn major_of(bin: &Path) -> Option<u32> {
    if !bin.join("initdb").is_file() {
        return None;
    }
    let out = Command::new(bin.join("postgres")).arg("--version").output().await.ok()?;
    parse_major(&String::from_utf8_lossy(&out.stdout))
}

/// `postgres (PostgreSQL) 15.18 (Debian …)` or `… 18beta1` to the major number.
fn parse_major(version: &str) -> Option<u32> {
    let number = version.split_once(") ")?.1;
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn major_version_is_read_from_every_form() {
        assert_eq!(parse_major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(parse_major("postgres (PostgreSQL) 19beta2"), Some(19));
        assert_eq!(parse_major("something else"), None);
    }

    #[test]
    fn data_of_another_major_version_are_refused_with_both_versions_named() {
        let have = [Binaries { bin: "/a".into(), major: 18 }, Binaries { bin: "/b".into(), major: 16 }];
        let refused = choose(&have, Some("15"), Path::new("/data")).unwrap().unwrap_err().to_string();
        assert!(refused.contains("PostgreSQL 15") && refused.contains("18, 16"), "{refused}");
        assert_eq!(choose(&have, Some("16"), Path::new("/data")).unwrap().unwrap().bin, Path::new("/b"));
        assert_eq!(choose(&have, None, Path::new("/data")).unwrap().unwrap().major, 18);
        assert!(choose(&[], None, Path::new("/data")).is_none());
    }
}
