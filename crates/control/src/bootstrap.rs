//! `occ init`: the Installation, its roles, the first administrator with a one-time sign-in link, and an Installation service
//! key. One transaction, one time.
//!
//! Files are written and synced before COMMIT and renamed after it: a crash between the two leaves an Installation whose
//! credentials `recover` re-issues, never a credential without an Installation.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use occ_model::audit::Outcome;
use occ_model::id::{BindingId, InstallationId, KeyId, PrincipalId, RoleId, ServicePrincipalId, TypedId};
use occ_model::identity::{Actor, Identity};
use occ_model::operation::Kind;
use occ_model::problem::Code;
use occ_policy::builtin::ROLES;
use occ_store::audit::Entry;
use occ_store::tx::Origin;
use occ_store::{Mutation, Store, Tx, binding, installation, principal, role, service_key, signin_link};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

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

/// Makes the Installation on the owner's connection. `key_file` must not exist yet.
pub async fn init(owner: &Store, administrator: &str, key_file: &Path) -> Result<Initialized> {
    if installation::find(&mut owner.read().await?).await?.is_some() {
        return Err(Error::refused(
            Code::AlreadyInitialized,
            "The Installation exists. For another sign-in link run `occ signin-link`.",
        ));
    }
    let (id, admin, service, controller) =
        (InstallationId::new(), PrincipalId::new(), ServicePrincipalId::new(), ServicePrincipalId::new());
    let actor = Actor { identity: Identity::Principal(admin), name: administrator.to_owned() };
    let mut tx = owner.mutate(Origin { actor, request: None, epoch: None }).await?;
    installation::insert(&mut tx, id).await.map_err(already)?;
    for built_in in ROLES {
        role::insert(&mut tx, RoleId::new(), None, built_in.name, &built_in.permissions(), true).await?;
    }
    principal::insert(&mut tx, admin, administrator).await?;
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

/// Another one-time sign-in link for the first administrator who may still act. Needs the owner's connection; audited.
pub async fn signin_link(owner: &Store) -> Result<SecretString> {
    let mut on = owner.read().await?;
    let (admin, name) = principal::first_administrator(&mut on)
        .await?
        .ok_or_else(|| Error::refused(Code::StateConflict, "No administrator may act. Run `occ init --recover`."))?;
    drop(on);
    let actor = Actor { identity: Identity::Principal(admin), name };
    issue_link(owner, actor, "signin_link.create").await
}

/// Re-issues access while no other administrator may act: enables the first one again. Needs the owner's connection; audited.
pub async fn recover(owner: &Store) -> Result<SecretString> {
    let mut on = owner.read().await?;
    if principal::first_administrator(&mut on).await?.is_some() {
        return Err(Error::refused(
            Code::StateConflict,
            "An administrator can act. Run `occ signin-link` for a link, or ask that administrator.",
        ));
    }
    drop(on);
    let admin = PrincipalId::new();
    let actor = Actor { identity: Identity::Principal(admin), name: "Recovery".to_owned() };
    let mut tx = owner.mutate(Origin { actor: actor.clone(), request: None, epoch: None }).await?;
    principal::insert(&mut tx, admin, &actor.name).await?;
    bind(&mut tx, actor.identity, ADMIN).await?;
    tx.bump_policy().await?;
    tx.audit(Entry::success("installation.recover", Kind::Principal, admin.uuid())).await?.commit().await?;
    issue_link(owner, actor, "signin_link.create").await
}

async fn issue_link(owner: &Store, actor: Actor, action: &'static str) -> Result<SecretString> {
    let admin = match actor.identity {
        Identity::Principal(id) => id,
        Identity::ServicePrincipal(_) | Identity::Workload(_) => return Err(Error::not_found()),
    };
    let link = token::token()?;
    let mut tx = owner.mutate(Origin { actor, request: None, epoch: None }).await?;
    signin_link::insert(&mut tx, &token::hash(link.expose_secret()), admin).await?;
    tx.audit(Entry::success(action, Kind::Principal, admin.uuid()).ended(Outcome::Success, "owner_role"))
        .await?
        .commit()
        .await?;
    Ok(link)
}

/// A credential file on disk, not yet under its name.
struct Staged {
    beside: PathBuf,
    path: PathBuf,
}

impl Staged {
    fn write(path: &Path, secret: &SecretString) -> Result<Self> {
        let beside = path.with_extension("new");
        let write = || -> std::io::Result<()> {
            let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
            file.write_all(secret.expose_secret().as_bytes())?;
            file.sync_all()
        };
        write().map_err(|e| Error::fault("writing the service key's file", e))?;
        Ok(Self { beside, path: path.to_owned() })
    }

    fn publish(self) -> Result<()> {
        fs::rename(&self.beside, &self.path).map_err(|e| Error::fault("naming the service key's file", e))
    }
}
