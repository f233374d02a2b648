//! Contexts: the servers that `occ login` remembered, in `$XDG_CONFIG_HOME/occ` (`~/.config/occ`, mode 0700).
//!
//! `contexts.toml` holds names and addresses; each key is a file of its own, `keys/<name>`, mode 0600. A key goes to the address
//! that it was given for and to no other. Changes are made under a lock, whole files at a time, in an order that leaves no context
//! without its key.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use occ_model::name::Name;
use occ_supervisor::files::{make_folder, replace_file};
use occ_supervisor::sandbox::Identity;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use url::Url;

/// The file's content.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    /// The one that is used where none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<Name>,
    #[serde(default)]
    contexts: BTreeMap<Name, Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    url: Url,
}

/// A remembered server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its name here.
    pub name: Name,
    /// Its address: scheme, host and port.
    pub url: Url,
    /// The file with the key.
    pub key_file: PathBuf,
}

/// All contexts of a person.
#[derive(Debug)]
pub struct Contexts {
    folder: PathBuf,
    stored: Stored,
}

impl Contexts {
    /// Those of whoever runs this program. Nothing is made.
    pub fn open() -> anyhow::Result<Self> {
        Self::open_in(crate::config::home("XDG_CONFIG_HOME", ".config").join("occ"))
    }

    /// Those in `folder`.
    pub fn open_in(folder: PathBuf) -> anyhow::Result<Self> {
        let file = folder.join("contexts.toml");
        let stored = match fs::read_to_string(&file) {
            Ok(text) => toml::from_str(&text).with_context(|| {
                format!("{} cannot be understood: correct it, or remove it and run `occ login` again", file.display())
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => Stored::default(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
        };
        Ok(Self { folder, stored })
    }

    /// The context of that name.
    pub fn find(&self, name: &Name) -> anyhow::Result<Server> {
        match self.stored.contexts.get(name) {
            Some(entry) => {
                Ok(Server { name: name.clone(), url: entry.url.clone(), key_file: key_file(&self.folder, name) })
            }
            None => bail!("there is no context {name}; there {}", self.names()),
        }
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.stored.contexts.keys().map(Name::as_str).collect();
        if names.is_empty() {
            "is none at all: make one with `occ login`".to_owned()
        } else {
            format!("are: {}", names.join(", "))
        }
    }

    /// The current one.
    pub fn current(&self) -> anyhow::Result<Option<Server>> {
        self.stored.current.as_ref().map(|name| self.find(name)).transpose()
    }

    /// All, by name.
    pub fn all(&self) -> Vec<Server> {
        self.stored.contexts.keys().filter_map(|name| self.find(name).ok()).collect()
    }

    /// Remembers a server with its key, replacing one of the same name. `current`: it is used from now on.
    pub fn put(&mut self, name: &Name, url: &Url, key: &SecretString, current: bool) -> anyhow::Result<()> {
        let path = key_file(&self.folder, name);
        self.change(|stored| {
            // Another address must never meet the old key, nor the old address the new one: first nothing is there.
            if stored.contexts.remove(name).is_some() {
                remove(&path)?;
            }
            replace_file(&path, key.expose_secret().as_bytes(), 0o600)?;
            stored.contexts.insert(name.clone(), Entry { url: url.clone() });
            if current {
                stored.current = Some(name.clone());
            }
            Ok(())
        })
    }

    /// Makes that one the current; `None`: this machine's own server.
    pub fn switch(&mut self, to: Option<&Name>) -> anyhow::Result<()> {
        if let Some(name) = to {
            self.find(name)?;
        }
        self.change(|stored| {
            stored.current = to.cloned();
            Ok(())
        })
    }

    /// Forgets one and its key.
    pub fn delete(&mut self, name: &Name) -> anyhow::Result<()> {
        self.find(name)?;
        self.change(|stored| {
            stored.contexts.remove(name);
            stored.current.take_if(|current| current == name);
            Ok(())
        })?;
        remove(&key_file(&self.folder, name))
    }

    fn change(&mut self, change: impl FnOnce(&mut Stored) -> anyhow::Result<()>) -> anyhow::Result<()> {
        for folder in [&self.folder, &self.folder.join("keys")] {
            make_folder(folder, 0o700, Identity::Same).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let lock = File::create(self.folder.join("lock"))?;
        lock.lock()?;
        // Somebody may have changed it since it was read.
        let mut stored = Self::open_in(self.folder.clone())?.stored;
        change(&mut stored)?;
        let text = toml::to_string(&stored)?;
        replace_file(&self.folder.join("contexts.toml"), text.as_bytes(), 0o600)?;
        self.stored = stored;
        Ok(())
    }
}

fn key_file(folder: &Path, name: &Name) -> PathBuf {
    folder.join("keys").join(name.as_str())
}

fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

impl Server {
    /// Its key. A file that others can read is refused.
    pub fn key(&self) -> anyhow::Result<SecretString> {
        let (file, name) = (self.key_file.display(), &self.name);
        let again = || format!("no key of the context {name} in {file}: run `occ login --context {name} {}`", self.url);
        if fs::metadata(&self.key_file).with_context(again)?.mode() & 0o077 != 0 {
            bail!("{file} is readable by others: revoke its key on the server, then run `occ login` with a new one");
        }
        Ok(fs::read_to_string(&self.key_file).with_context(again)?.trim().to_owned().into())
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
