//! `occ init`: the Installation, its roles, the first administrator with a one-time sign-in link, and an Installation service
//! key. One transaction, one time.
//!
//! Files are written and synced before COMMIT and renamed after it: a crash between the two leaves an Installation whose
//! key file the next run names, never a credential without an Installation.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use occ_model::audit::Outcome;
use occ_model::id::{BindingId, InstallationId, KeyId, PrincipalId, RoleId, ServicePrincipalId, TypedId};
use occ_model::identity::{Actor, Identity};
use occ_model::name::DisplayName;
use occ_model::operation::Kind;
use occ_model::problem::{Code, Problem};
use occ_policy::builtin::ROLES;
use occ_store::audit::Entry;
use occ_store::tx::Origin;
use occ_store::{Mutation, Store, Tx, binding, installation, policy, principal, role, service_key, signin_link};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use subtle::ConstantTimeEq;

use crate::error::{Error, Result};
use crate::token::{self, ServiceKey};

/// The role that makes an administrator.
const ADMIN: &str = "installation-admin";

/// What `init` made. The credentials are in the answer and, the key, in its file.
pub struct Initialized {
    /// The Installation.
    pub installation: InstallationId,
    /// Token of the one-time sign-in link: `/signin/<token>`.
    pub link: SecretString,
    /// Where the service key was written (0600).
    pub key_file: PathBuf,
}

/// Makes the Installation on the owner's connection. `key_file` must not exist yet. Of two at once one makes it; the other (and
/// every later one) is `ALREADY_INITIALIZED`, and finishes the naming of the key's file where a crash left it out.
pub async fn init(owner: &Store, administrator: &str, key_file: &Path) -> Result<Initialized> {
    if installation::find(&mut owner.read().await?).await?.is_some() {
        finish_interrupted(owner, key_file).await?;
        return Err(Error::refused(
            Code::AlreadyInitialized,
            "The Installation exists. For another sign-in link run `occ signin-link`.",
        ));
    }
    if key_file.exists() {
        return Err(Error::refused(
            Code::StateConflict,
            "There is a service key of another Installation in the data directory. Move its file away, then run `occ init` again.",
        ));
    }
    let administrator = administrator.parse::<DisplayName>().map_err(|e| {
        Problem::new(Code::InvalidFields, "Choose another name for the administrator.").at(
            "/administrator",
            "INVALID",
            format!("It {e}."),
        )
    })?;
    let (id, admin, service, controller) =
        (InstallationId::new(), PrincipalId::new(), ServicePrincipalId::new(), ServicePrincipalId::new());
    let actor = Actor { identity: Identity::Principal(admin), name: administrator.to_string() };
    let mut tx = owner.mutate(Origin { actor, request: None, epoch: None }).await?;
    installation::insert(&mut tx, id).await.map_err(already)?;
    for built_in in ROLES {
        role::insert(&mut tx, RoleId::new(), None, built_in.name, &built_in.permissions(), true).await?;
    }
    principal::insert(&mut tx, admin, administrator.as_str()).await?;
    principal::insert_service(&mut tx, service, None, "installation", false).await?;
    principal::insert_service(&mut tx, controller, None, principal::CONTROLLER, true).await?;
    for (subject, name) in [
        (Identity::Principal(admin), ADMIN),
        (Identity::Principal(admin), "auditor"),
        (Identity::ServicePrincipal(service), ADMIN),
        (Identity::ServicePrincipal(controller), principal::CONTROLLER),
    ] {
        bind(&mut tx, subject, name).await?;
    }
    tx.bump_policy().await?;
    let link = token::token()?;
    signin_link::insert(&mut tx, &token::hash(link.expose_secret()), admin).await?;
    let key = ServiceKey::generate()?;
    let key_id = KeyId::new();
    service_key::insert(&mut tx, key_id, service, &key.prefix, &token::hash(key.key.expose_secret()), 365).await?;
    let staged = Staged::write(key_file, &key.key)?;
    let entry = Entry::success("installation.init", Kind::Installation, id.uuid())
        .with(json!({ "administrator": admin, "servicePrincipal": service, "key": key_id }));
    tx.audit(entry).await?.commit().await?;
    staged.publish()?;
    Ok(Initialized { installation: id, link, key_file: key_file.to_owned() })
}

/// A crash between COMMIT and the renaming leaves the key in its staged file: if it is a key of this Installation, it gets its name.
async fn finish_interrupted(owner: &Store, key_file: &Path) -> Result<()> {
    let staged = Staged::of(key_file);
    let Ok(key) = fs::read_to_string(&staged.beside).map(SecretString::from) else { return Ok(()) };
    if key_file.exists() {
        return Ok(());
    }
    let Some(prefix) = ServiceKey::prefix_of(key.expose_secret()) else { return Ok(()) };
    let found = service_key::candidate(&mut owner.read().await?, prefix).await?;
    if found.is_some_and(|found| bool::from(found.hash.ct_eq(&token::hash(key.expose_secret())))) {
        staged.publish()?;
    }
    Ok(())
}

fn already(error: occ_store::StoreError) -> Error {
    if error.violates("installation_pkey") {
        return Error::refused(Code::AlreadyInitialized, "The Installation exists already.");
    }
    error.into()
}

async fn bind(tx: &mut Tx<Mutation>, subject: Identity, name: &str) -> Result<()> {
    let role = role::built_in(tx, name).await?.ok_or_else(Error::not_found)?;
    binding::insert(tx, BindingId::new(), subject, role, None, None).await?;
    Ok(())
}

/// On whose behalf the machine's operator acts, who needs the owner's connection: the first administrator who may still act.
pub async fn operator(owner: &Store) -> Result<Actor> {
    let (admin, name) = principal::first_administrator(&mut owner.read().await?)
        .await?
        .ok_or_else(|| Error::refused(Code::StateConflict, "No administrator may act. Run `occ init --recover`."))?;
    Ok(Actor { identity: Identity::Principal(admin), name })
}

/// Another one-time sign-in link for the first administrator who may still act. Needs the owner's connection; audited.
pub async fn signin_link(owner: &Store) -> Result<SecretString> {
    let actor = operator(owner).await?;
    let mut tx = owner.mutate(Origin { actor, request: None, epoch: None }).await?;
    let (link, entry) = issue_link(&mut tx).await?;
    tx.audit(entry).await?.commit().await?;
    Ok(link)
}

/// What `recover` did.
#[derive(Debug)]
pub struct Recovered {
    /// The Installation.
    pub installation: InstallationId,
    /// The administrator that was enrolled.
    pub administrator: PrincipalId,
    /// That administrator's name.
    pub name: String,
    /// Token of the one-time sign-in link: `/signin/<token>`.
    pub link: SecretString,
}

/// Re-issues access while no administrator may act: enrols a person named "Recovery" as one, with a one-time sign-in link, in one
/// transaction. Whoever comes in by it puts the real administrators right. Needs the owner's connection; audited by name.
pub async fn recover(owner: &Store) -> Result<Recovered> {
    let mut on = owner.read().await?;
    let epoch = policy::epoch(&mut on).await?;
    let Some(installation) = installation::find(&mut on).await? else {
        return Err(Error::refused(Code::StateConflict, "There is no Installation yet. Run `occ init`."));
    };
    if principal::first_administrator(&mut on).await?.is_some() {
        return Err(Error::refused(
            Code::StateConflict,
            "An administrator can act. Run `occ signin-link` for a link, or ask that administrator.",
        ));
    }
    drop(on);
    let admin = PrincipalId::new();
    let actor = Actor { identity: Identity::Principal(admin), name: "Recovery".to_owned() };
    // Under the epoch of the look: of two at once, one makes an administrator.
    let mut tx = owner.mutate(Origin { actor: actor.clone(), request: None, epoch: Some(epoch) }).await?;
    principal::insert(&mut tx, admin, &actor.name).await?;
    bind(&mut tx, actor.identity, ADMIN).await?;
    tx.bump_policy().await?;
    let (link, issued) = issue_link(&mut tx).await?;
    let entry = Entry::success("installation.recover", Kind::Principal, admin.uuid())
        .of(&actor.name, None)
        .ended(Outcome::Success, "owner_role")
        .with(json!({ "administrator": admin, "role": ADMIN }));
    let mut tx = tx.audit(entry).await?;
    tx.also_audit(issued).await?;
    tx.commit().await?;
    Ok(Recovered { installation: installation.id, administrator: admin, name: actor.name, link })
}

/// Makes a one-time link for the actor, and the entry that is to be audited with it.
async fn issue_link(tx: &mut Tx<Mutation>) -> Result<(SecretString, Entry)> {
    let Some(Actor { identity: Identity::Principal(admin), name }) = tx.origin().map(|origin| origin.actor.clone())
    else {
        return Err(Error::refused(Code::StateConflict, "Sign-in links are for people."));
    };
    let link = token::token()?;
    signin_link::insert(tx, &token::hash(link.expose_secret()), admin).await?;
    let entry = Entry::success("signin_link.create", Kind::Principal, admin.uuid())
        .of(&name, None)
        .ended(Outcome::Success, "owner_role");
    Ok((link, entry))
}

/// A credential file on disk, not yet under its name.
struct Staged {
    beside: PathBuf,
    path: PathBuf,
}

impl Staged {
    fn of(path: &Path) -> Self {
        Self { beside: path.with_extension("new"), path: path.to_owned() }
    }

    fn write(path: &Path, secret: &SecretString) -> Result<Self> {
        let staged = Self::of(path);
        let write = || -> std::io::Result<()> {
            // What an interrupted attempt left is a key of nothing; a new file, so that its mode is ours.
            match fs::remove_file(&staged.beside) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&staged.beside)?;
            file.write_all(secret.expose_secret().as_bytes())?;
            file.sync_all()?;
            staged.sync_folder()
        };
        write().map_err(|e| Error::fault("writing the service key's file", e))?;
        Ok(staged)
    }

    fn publish(self) -> Result<()> {
        fs::rename(&self.beside, &self.path)
            .and_then(|()| self.sync_folder())
            .map_err(|e| Error::fault("naming the service key's file", e))
    }

    /// A name is durable once its folder is.
    fn sync_folder(&self) -> std::io::Result<()> {
        match self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            Some(folder) => fs::File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    }
}
