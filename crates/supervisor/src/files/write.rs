//! Writing files and folders: whole, with the right mode and owner.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::sandbox::Identity;
use crate::{Error, Result};

/// Replaces the file at `path` by `bytes`, durably: it holds the old or the new content, also after a power cut.
pub fn replace_file(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    write_owned(path, bytes, mode, Identity::Same)
}

/// The same, for `owner`.
pub fn write_owned(path: &Path, bytes: &[u8], mode: u32, owner: Identity) -> Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("/"));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.new"));
    let write = || -> std::io::Result<()> {
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(bytes)?;
        if let Identity::Own { uid } = owner {
            std::os::unix::fs::fchown(&file, Some(uid), Some(uid))?;
        }
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(Error::io("write a file"))
}

/// Makes the folder `path` (and its parents) with `mode` for `owner`; an existing one gets them too.
pub fn make_folder(path: &Path, mode: u32, owner: Identity) -> Result<()> {
    let make = || -> std::io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        if let Identity::Own { uid } = owner {
            std::os::unix::fs::lchown(path, Some(uid), Some(uid))?;
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    };
    make().map_err(Error::io("make a folder"))
}
