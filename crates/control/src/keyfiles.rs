//! The Installation's key files: `cursor`, `digest` and the ring `ring/<id>`, 32 random bytes each, hex, mode 0600.
//!
//! They live beside the data, never in the database: a copy of the database alone opens no Secret. Losing `ring/` loses every
//! Secret's value, so `occ doctor` checks that they are there.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use secrecy::{ExposeSecret, SecretBox};

use crate::settings::{Keys, RingKey};
use crate::token::random;

/// Why the key files cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// A file or folder cannot be read or written.
    #[error("cannot use the key file {path}")]
    Io {
        /// Which.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file is readable by others than its owner.
    #[error("the key file {0} is readable by others; run chmod 600 on it and consider its keys known")]
    Exposed(String),
    /// A file does not hold 64 hex digits.
    #[error("the key file {0} does not hold 64 hex digits; restore it from your backup")]
    Malformed(String),
    /// An Installation exists, and a key file of it, or its whole ring, does not.
    #[error(
        "the key ring or key file {0} is missing: what was made with it cannot be used without it; restore it from your backup"
    )]
    Missing(String),
    /// A file in the ring that cannot be one of its keys.
    #[error("{0} is no key: a copy in the ring would be taken for the newest key; move it out of there")]
    Unknown(String),
    /// No random bytes.
    #[error("the system gives no random bytes")]
    Random,
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> KeyFileError + use<'_> {
    move |source| KeyFileError::Io { path: path.display().to_string(), source }
}

/// Loads the keys of an Installation that exists. Nothing is made: another ring would open no Secret, another digest would know no
/// value, no repeated request and no conversation again.
pub fn load(dir: &Path) -> Result<Keys, KeyFileError> {
    let ring = dir.join("ring");
    let ids = existing_ids(&ring)?;
    let keys = ids.into_iter().map(|id| Ok(RingKey { key: required(&ring.join(&id))?, id }));
    Ok(Keys {
        ring: keys.collect::<Result<_, KeyFileError>>()?,
        cursor: required(&dir.join("cursor"))?,
        digest: required(&dir.join("digest"))?,
    })
}

/// Ids of the ring's keys, newest first, once each of them and the other key files were read. Makes nothing.
pub fn check(dir: &Path) -> Result<Vec<String>, KeyFileError> {
    Ok(load(dir)?.ring.into_iter().map(|key| key.id).collect())
}

fn existing_ids(ring: &Path) -> Result<Vec<String>, KeyFileError> {
    let missing = || KeyFileError::Missing(ring.display().to_string());
    match ring_ids(ring) {
        Ok(ids) if ids.is_empty() => Err(missing()),
        Err(KeyFileError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Err(missing()),
        other => other,
    }
}

fn required(path: &Path) -> Result<SecretBox<[u8; 32]>, KeyFileError> {
    existing(path)?.ok_or_else(|| KeyFileError::Missing(path.display().to_string()))
}

/// One key of the ring, which may have been added after this process started. An id that is no plain word is not there.
pub fn ring_key(dir: &Path, id: &str) -> Result<SecretBox<[u8; 32]>, KeyFileError> {
    let path = dir.join("ring").join(id);
    if is_plain(id) { required(&path) } else { Err(KeyFileError::Missing(path.display().to_string())) }
}

/// What the name of a ring's key looks like.
fn is_plain(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// Adds a key to the ring of an Installation that exists: the newest from now on. Its id; of two at once both get the same.
pub fn add_ring_key(dir: &Path) -> Result<String, KeyFileError> {
    let newest = check(dir)?.remove(0);
    let next = newest.parse::<u64>().map(|n| format!("{:0width$}", n + 1, width = newest.len()));
    // Names are compared as texts: what does not come after the newest would not be newer.
    let id = next.ok().filter(|next| *next > newest).unwrap_or_else(|| format!("{newest}-1"));
    create(&dir.join("ring").join(&id))?;
    Ok(id)
}

/// Names of the key files, newest first: the highest name is the newest key. Anything else there is refused (a backup copy would be
/// the newest), but for what a crash left of a key that was being made.
fn ring_ids(ring: &Path) -> Result<Vec<String>, KeyFileError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(ring).map_err(io(ring))? {
        let path = entry.map_err(io(ring))?.path();
        match path.file_name().and_then(|name| name.to_str()) {
            Some(name) if is_plain(name) => names.push(name.to_owned()),
            _ if path.extension().is_some_and(|ending| ending == "new") => {}
            _ => return Err(KeyFileError::Unknown(path.display().to_string())),
        }
    }
    names.sort_unstable_by(|a, b| b.cmp(a));
    Ok(names)
}

/// Loads the keys under `dir`, making what is not there: for an Installation that is being made.
pub fn load_or_create(dir: &Path) -> Result<Keys, KeyFileError> {
    let ring = dir.join("ring");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&ring).map_err(io(&ring))?;
    let cursor = key(&dir.join("cursor"))?;
    let digest = key(&dir.join("digest"))?;
    let mut names = ring_ids(&ring)?;
    if names.is_empty() {
        names.push("0001".to_owned());
    }
    let ring = names
        .into_iter()
        .map(|id| Ok(RingKey { key: key(&ring.join(&id))?, id }))
        .collect::<Result<_, KeyFileError>>()?;
    Ok(Keys { cursor, digest, ring })
}

fn key(path: &Path) -> Result<SecretBox<[u8; 32]>, KeyFileError> {
    match existing(path)? {
        Some(key) => Ok(key),
        None => create(path),
    }
}

/// The key in a file that is there and that nobody else reads.
fn existing(path: &Path) -> Result<Option<SecretBox<[u8; 32]>>, KeyFileError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.mode() & 0o077 != 0 => Err(KeyFileError::Exposed(path.display().to_string())),
        Ok(_) => read(path).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io(path)(error)),
    }
}

fn read(path: &Path) -> Result<SecretBox<[u8; 32]>, KeyFileError> {
    let text = fs::read_to_string(path).map_err(io(path))?;
    let mut bytes = SecretBox::new(Box::new([0u8; 32]));
    hex::decode_to_slice(text.trim(), secrecy::ExposeSecretMut::expose_secret_mut(&mut bytes))
        .map_err(|_| KeyFileError::Malformed(path.display().to_string()))?;
    Ok(bytes)
}

/// Writes beside, syncs, then links into place: a crash leaves no half key, and two at once agree on one.
fn create(path: &Path) -> Result<SecretBox<[u8; 32]>, KeyFileError> {
    let bytes = SecretBox::new(Box::new(random::<32>().map_err(|_| KeyFileError::Random)?));
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&beside)
        .map_err(io(&beside))?;
    if let Err(error) = file.write_all(hex::encode(bytes.expose_secret()).as_bytes()).and_then(|()| file.sync_all()) {
        // A full disk: what is left of it would only be in the way.
        let _ = fs::remove_file(&beside);
        return Err(io(&beside)(error));
    }
    let linked = fs::hard_link(&beside, path);
    fs::remove_file(&beside).map_err(io(&beside))?;
    match linked {
        // A name is durable once its folder is; what is sealed with the key must never outlive it.
        Ok(()) => match path.parent() {
            Some(folder) => {
                fs::File::open(folder).and_then(|folder| folder.sync_all()).map(|()| bytes).map_err(io(path))
            }
            None => Ok(bytes),
        },
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => read(path),
        Err(error) => Err(io(path)(error)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_ring_that_is_missing_is_not_made_anew_for_an_installation_that_exists() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(load(dir.path()), Err(KeyFileError::Missing(_))));
        load_or_create(dir.path()).unwrap();
        assert!(load(dir.path()).is_ok());
    }

    #[test]
    fn a_key_that_is_lost_is_missed_and_not_made_anew() {
        for lost in ["digest", "cursor", "ring/0001"] {
            let dir = tempfile::tempdir().unwrap();
            load_or_create(dir.path()).unwrap();
            let path = dir.path().join(lost);
            fs::remove_file(&path).unwrap();
            assert!(matches!(check(dir.path()), Err(KeyFileError::Missing(_))), "{lost}");
            assert!(matches!(load(dir.path()), Err(KeyFileError::Missing(_))), "{lost}");
            assert!(!path.exists(), "{lost}");
        }
    }

    #[test]
    fn a_copy_in_the_ring_is_named_and_does_not_become_the_newest_key() {
        let dir = tempfile::tempdir().unwrap();
        load_or_create(dir.path()).unwrap();
        let ring = dir.path().join("ring");
        // What a crash left of a new key is no copy.
        fs::write(ring.join("0002.7.new"), "half").unwrap();
        assert_eq!(check(dir.path()).unwrap(), ["0001"]);
        for copy in ["0001.bak", "0001~", ".0001.swp"] {
            let copy = ring.join(copy);
            fs::copy(ring.join("0001"), &copy).unwrap();
            for refused in [load(dir.path()).err(), load_or_create(dir.path()).err(), add_ring_key(dir.path()).err()] {
                assert!(matches!(refused, Some(KeyFileError::Unknown(path)) if path == copy.display().to_string()));
            }
            fs::remove_file(&copy).unwrap();
        }
        assert!(load(dir.path()).is_ok());
    }

    #[test]
    fn looking_makes_nothing_and_a_new_key_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        assert!(check(dir.path()).is_err() && add_ring_key(dir.path()).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let before = load_or_create(dir.path()).unwrap();
        assert_eq!(add_ring_key(dir.path()).unwrap(), "0002");
        assert_eq!(check(dir.path()).unwrap(), ["0002", "0001"]);
        let after = load(dir.path()).unwrap();
        assert_eq!(after.ring[0].id, "0002");
        assert_eq!(after.ring[1].key.expose_secret(), before.ring[0].key.expose_secret());
        assert_eq!(ring_key(dir.path(), "0002").unwrap().expose_secret(), after.ring[0].key.expose_secret());
        for id in ["", "0003", "../cursor", "."] {
            assert!(matches!(ring_key(dir.path(), id), Err(KeyFileError::Missing(_))), "{id}");
        }
        fs::rename(dir.path().join("ring/0002"), dir.path().join("ring/9999")).unwrap();
        assert_eq!(add_ring_key(dir.path()).unwrap(), "9999-1");
        fs::write(dir.path().join("digest"), "x").unwrap();
        assert!(matches!(check(dir.path()), Err(KeyFileError::Malformed(_))));
    }

    #[test]
    fn i10_keys_that_others_can_read_are_refused_and_stay_what_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let made = load_or_create(dir.path()).unwrap();
        for name in ["cursor", "digest", "ring/0001"] {
            let path = dir.path().join(name);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
            for mode in [0o640, 0o604, 0o620] {
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
                let refused = [load(dir.path()).err(), load_or_create(dir.path()).err(), check(dir.path()).err()];
                assert!(
                    refused.iter().all(|e| matches!(e, Some(KeyFileError::Exposed(_)))),
                    "{name} {mode:o} {refused:?}"
                );
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        }
        let again = load(dir.path()).unwrap();
        assert_eq!(again.ring[0].key.expose_secret(), made.ring[0].key.expose_secret());
    }

    #[test]
    fn keys_are_made_once_and_refused_when_others_can_read_them() {
        let dir = tempfile::tempdir().unwrap();
        let first = load_or_create(dir.path()).unwrap();
        let second = load_or_create(dir.path()).unwrap();
        assert_eq!(first.cursor.expose_secret(), second.cursor.expose_secret());
        assert_eq!(first.ring[0].key.expose_secret(), second.ring[0].key.expose_secret());
        assert_ne!(first.cursor.expose_secret(), first.digest.expose_secret());
        let cursor = dir.path().join("cursor");
        fs::set_permissions(&cursor, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(load_or_create(dir.path()), Err(KeyFileError::Exposed(_))));
    }
}
