//! A control plane over a fresh database with the scripted driver, and the people of the tests.
//!
//! Everything is made the way the product makes it (bootstrap, use cases, bindings with a moved policy epoch), so that a test that
//! passes says something about the product.

use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result};
use occ_control::envelope::DatabaseSecrets;
use occ_control::facts::FactsCache;
use occ_control::faults::Faults;
use occ_control::settings::{Keys, RingKey, Settings};
use occ_control::wake::Wake;
use occ_control::{Control, Cx, WriteOptions, bootstrap, namespace};
use occ_driver::ComputeDriver;
use occ_driver::fake::{Fake, FakeTarget};
use occ_model::access::IdentityKind;
use occ_model::id::{BindingId, NamespaceId, PrincipalId, RequestId, RoleId, TypedId};
use occ_model::identity::{Actor, Identity};
use occ_model::name::Name;
use occ_model::namespace::{CreateNamespace, Namespace, NamespaceStatus, Quotas};
use occ_model::operation::Kind;
use occ_openclaw::schema::SchemaCache;
use occ_policy::PermissionSet;
use occ_store::audit::Entry;
use occ_store::tx::Origin;
use occ_store::{Conn, Store, binding, policy, principal, role};
use secrecy::SecretBox;
use sqlx::PgPool;

/// A control plane of one test.
pub struct TestControl {
    /// As the server holds it.
    pub control: Arc<Control>,
    /// The machine under the scripted driver.
    pub target: FakeTarget,
    /// The first administrator of the Installation.
    pub admin: Actor,
}

/// Compiling the schema takes a moment; the tests of one process share it.
fn documents() -> Arc<SchemaCache> {
    static SHARED: OnceLock<Arc<SchemaCache>> = OnceLock::new();
    SHARED.get_or_init(|| Arc::new(SchemaCache::bundled())).clone()
}

/// Keys that are the same in every test, so that two controls over one database understand each other.
pub fn test_keys() -> Keys {
    let key = |byte: u8| SecretBox::new(Box::new([byte; 32]));
    Keys { cursor: key(1), digest: key(2), ring: vec![RingKey { id: "0001".to_owned(), key: key(3) }] }
}

impl TestControl {
    /// Over a database that has the migrations and nothing else.
    pub async fn new(pool: PgPool) -> Result<Self> {
        let store = Store::from_pool(pool.clone());
        let files = tempfile::tempdir()?;
        let made = bootstrap::init(&store, "Ada Admin", &files.path().join("key")).await?;
        let (admin, name) =
            principal::first_administrator(&mut store.read().await?).await?.context("an administrator")?;
        let admin = Actor { identity: Identity::Principal(admin), name };
        let target = FakeTarget::new();
        let control = Self::control(pool, made.installation, &target, Arc::new(test_keys()), Settings::default());
        Ok(Self { control, target, admin })
    }

    /// Another process over the same database and target: a restarted server.
    #[must_use]
    pub fn restarted(&self) -> Self {
        let control = Self::control(
            self.control.store.pool().clone(),
            self.control.installation,
            &self.target,
            Arc::new(test_keys()),
            self.control.settings.clone(),
        );
        Self { control, target: self.target.clone(), admin: self.admin.clone() }
    }

    /// The same over other keys or settings.
    #[must_use]
    pub fn with(&self, keys: Keys, settings: Settings) -> Self {
        let pool = self.control.store.pool().clone();
        let control = Self::control(pool, self.control.installation, &self.target, Arc::new(keys), settings);
        Self { control, target: self.target.clone(), admin: self.admin.clone() }
    }

    /// The same database under a machine of its own, empty.
    #[must_use]
    pub fn on_another_machine(&self) -> Self {
        let target = FakeTarget::new();
        let of = &self.control;
        let keys = Arc::new(test_keys());
        let control = Self::control(of.store.pool().clone(), of.installation, &target, keys, of.settings.clone());
        Self { control, target, admin: self.admin.clone() }
    }

    /// Another process over these connections, with a driver and fault points of its own.
    #[must_use]
    pub fn process(&self, pool: PgPool, compute: Arc<dyn ComputeDriver>, faults: Faults) -> Arc<Control> {
        process(pool, self.control.installation, compute, faults, self.control.settings.clone())
    }

    fn control(
        pool: PgPool,
        installation: occ_model::id::InstallationId,
        target: &FakeTarget,
        keys: Arc<Keys>,
        settings: Settings,
    ) -> Arc<Control> {
        holding(pool, installation, Arc::new(Fake::on(target)), Faults::default(), (keys, settings))
    }

    /// The same over other connections to its database.
    #[must_use]
    pub fn over(&self, pool: PgPool) -> Self {
        let settings = self.control.settings.clone();
        let keys = Arc::clone(&self.control.keys);
        let control = Self::control(pool, self.control.installation, &self.target, keys, settings);
        Self { control, target: self.target.clone(), admin: self.admin.clone() }
    }

    /// A context for `who`, in a request of its own.
    pub fn cx(&self, who: &Actor) -> Cx {
        Cx::new(self.control.clone(), who.clone(), Some(RequestId::new()))
    }

    /// A context for the administrator.
    pub fn admin(&self) -> Cx {
        self.cx(&self.admin)
    }

    /// Enrols a person who may do nothing yet.
    pub async fn person(&self, name: &str) -> Result<Actor> {
        let id = PrincipalId::new();
        let mut tx = self.control.store.mutate(self.origin().await?).await?;
        principal::insert(&mut tx, id, name).await?;
        tx.bump_policy().await?;
        let entry = Entry::success("principal.enrol", Kind::Principal, id.uuid());
        tx.audit(entry).await?.commit().await?;
        Ok(Actor { identity: Identity::Principal(id), name: name.to_owned() })
    }

    /// Enrols a person who may do exactly this, everywhere, by a role of their own.
    pub async fn person_with(&self, name: &Name, permissions: &PermissionSet) -> Result<Actor> {
        let who = self.person(name.as_str()).await?;
        let role = RoleId::new();
        let mut tx = self.control.store.mutate(self.origin().await?).await?;
        role::insert(&mut tx, role, None, name.as_str(), permissions, false).await?;
        binding::insert(&mut tx, BindingId::new(), who.identity, role, None, None).await?;
        tx.bump_policy().await?;
        tx.audit(Entry::success("role.create", Kind::Role, role.uuid())).await?.commit().await?;
        Ok(who)
    }

    /// Binds a built-in role, in the Installation or in one Namespace.
    pub async fn bind(&self, who: &Actor, role: &str, namespace: Option<NamespaceId>) -> Result<BindingId> {
        self.bind_exact(who.identity, role, namespace, None).await
    }

    /// Binds a built-in role to any identity, optionally on one resource only.
    pub async fn bind_exact(
        &self,
        who: Identity,
        role: &str,
        namespace: Option<NamespaceId>,
        exact: Option<binding::Exact<'_>>,
    ) -> Result<BindingId> {
        let id = BindingId::new();
        let mut tx = self.control.store.mutate(self.origin().await?).await?;
        let role = role::built_in(&mut tx, role).await?.context("a built-in role")?;
        binding::insert(&mut tx, id, who, role, namespace, exact).await?;
        tx.bump_policy().await?;
        tx.audit(Entry::success("binding.create", Kind::Binding, id.uuid())).await?.commit().await?;
        Ok(id)
    }

    /// Takes every binding of `who` away.
    pub async fn unbind(&self, who: Identity) -> Result<()> {
        let mut tx = self.control.store.mutate(self.origin().await?).await?;
        sqlx::query("DELETE FROM access_binding WHERE subject_kind = $1 AND subject_id = $2")
            .bind(who.kind().as_str())
            .bind(who.uuid())
            .execute(tx.conn())
            .await?;
        tx.bump_policy().await?;
        tx.audit(Entry::success("binding.delete", Kind::Principal, who.uuid())).await?.commit().await?;
        Ok(())
    }

    async fn origin(&self) -> Result<Origin> {
        let epoch = policy::epoch(&mut self.control.store.read().await?).await?;
        Ok(Origin { actor: self.admin.clone(), request: None, epoch: Some(epoch) })
    }

    /// A Namespace that is ready although no worker ran, with its people.
    pub async fn tenant(&self, name: &str) -> Result<Tenant> {
        self.tenant_with(name, Quotas::default()).await
    }

    /// The same with bounds.
    pub async fn tenant_with(&self, name: &str, quotas: Quotas) -> Result<Tenant> {
        let request = CreateNamespace {
            name: name.parse()?,
            display_name: None,
            description: None,
            labels: occ_model::name::Labels::default(),
            quotas,
        };
        let made = namespace::create(&self.admin(), request, &WriteOptions::default()).await?;
        self.make_ready(made.id).await?;
        let developer = self.person(&format!("{name} developer")).await?;
        self.bind(&developer, "agent-developer", Some(made.id)).await?;
        self.bind(&developer, "secret-manager", Some(made.id)).await?;
        let viewer = self.person(&format!("{name} viewer")).await?;
        self.bind(&viewer, "viewer", Some(made.id)).await?;
        let namespace = namespace::get(&self.admin(), &occ_model::reference::Selector::Id(made.id)).await?;
        Ok(Tenant { namespace, developer, viewer })
    }

    /// What the worker does after `namespace_ensure`: the Namespace is ready, and its work is done.
    pub async fn make_ready(&self, id: NamespaceId) -> Result<()> {
        let mut tx = self.control.store.mutate(self.origin().await?).await?;
        occ_store::namespace::set_status(&mut tx, id, NamespaceStatus::Ready, None).await?;
        sqlx::query("UPDATE work SET state = 'succeeded', finished_at = now() WHERE namespace_id = $1")
            .bind(id.uuid())
            .execute(tx.conn())
            .await?;
        tx.audit(Entry::success("namespace.ready", Kind::Namespace, id.uuid())).await?.commit().await?;
        Ok(())
    }

    /// Two tenants and somebody who may do nothing.
    pub async fn cast(&self) -> Result<Cast> {
        Ok(Cast {
            a: self.tenant("tenant-a").await?,
            b: self.tenant("tenant-b").await?,
            nobody: self.person("Nobody").await?,
        })
    }
}

/// What a process of the tests holds, wherever it runs.
pub fn process(
    pool: PgPool,
    installation: occ_model::id::InstallationId,
    compute: Arc<dyn ComputeDriver>,
    faults: Faults,
    settings: Settings,
) -> Arc<Control> {
    holding(pool, installation, compute, faults, (Arc::new(test_keys()), settings))
}

fn holding(
    pool: PgPool,
    installation: occ_model::id::InstallationId,
    compute: Arc<dyn ComputeDriver>,
    faults: Faults,
    (keys, settings): (Arc<Keys>, Settings),
) -> Arc<Control> {
    Arc::new(Control {
        installation,
        store: Store::from_pool(pool),
        compute,
        settings,
        secrets: Arc::new(DatabaseSecrets::new(keys.clone())),
        documents: documents(),
        keys,
        facts: FactsCache::default(),
        wake: Wake::default(),
        faults,
    })
}

/// One tenant and its people.
#[derive(Clone, Debug)]
pub struct Tenant {
    /// Its Namespace, ready.
    pub namespace: Namespace,
    /// Builds Agents and manages Secrets there (`agent-developer` and `secret-manager`).
    pub developer: Actor,
    /// Sees what is there.
    pub viewer: Actor,
}

/// Everybody.
#[derive(Clone, Debug)]
pub struct Cast {
    /// One tenant.
    pub a: Tenant,
    /// Another one.
    pub b: Tenant,
    /// Enrolled, without any binding.
    pub nobody: Actor,
}

/// The identity of an Agent, for bindings.
pub fn workload(agent: occ_model::id::AgentId) -> Identity {
    Identity::from_parts(IdentityKind::Workload, agent.uuid())
}
