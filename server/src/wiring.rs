//! Wiring: the database, the keys, the selected drivers. The only place that names a driver.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use occ_control::envelope::DatabaseSecrets;
use occ_control::facts::FactsCache;
use occ_control::settings::Settings;
use occ_control::wake::Wake;
use occ_control::{Control, keyfiles};
use occ_driver::Measured;
use occ_driver_local::{LocalConfig, LocalDriver};
use occ_model::id::InstallationId;
use occ_openclaw::schema::SchemaCache;
use occ_postgres::Embedded;
use occ_store::{Store, installation};
use occ_supervisor::sandbox::Isolation;

use crate::config::{self, Config};
use crate::host;

/// The two ways into the database.
#[derive(Clone, Debug)]
pub struct DatabaseUrls {
    /// For migrate, init and sign-in links.
    pub owner: String,
    /// For everything that serves.
    pub app: String,
}

/// The configured PostgreSQL, or the embedded one, started if it is not running.
pub async fn database(config: &Config) -> anyhow::Result<DatabaseUrls> {
    if let Some(app) = &config.database.url {
        return Ok(DatabaseUrls {
            owner: config.database.owner_url.clone().unwrap_or_else(|| app.clone()),
            app: app.clone(),
        });
    }
    let found = Embedded::ensure(&postgres(config)).await.context("the embedded PostgreSQL did not start")?;
    Ok(DatabaseUrls { owner: found.owner_url(), app: found.app_url() })
}

/// Where the embedded PostgreSQL lives.
pub fn postgres(config: &Config) -> occ_postgres::Config {
    let mut postgres = occ_postgres::Config::new(config.data_dir().join("postgres"));
    postgres.bundled.extend(std::env::var_os("OCC_PG_BUNDLED").map(Into::into));
    postgres
}

/// A store over the owner's connection: for migrate, init, sign-in links.
pub async fn owner(config: &Config) -> anyhow::Result<Store> {
    let urls = database(config).await?;
    Ok(Store::connect_unbounded(urls.owner.parse().context("the database URL cannot be read")?, 2).await?)
}

/// Brings the schema up to this version.
pub async fn migrate(owner: &Store) -> anyhow::Result<()> {
    occ_store::MIGRATIONS.run(owner.pool()).await.context("the migrations failed")
}

/// Everything that use cases and steps work with.
pub async fn control(config: &Config) -> anyhow::Result<Arc<Control>> {
    let urls = database(config).await?;
    if config.database.url.is_none() {
        // The embedded database is this program's own: it follows the program's version.
        migrate(&owner(config).await?).await?;
    }
    let options = urls.app.parse().context("the database URL cannot be read")?;
    let store = Store::connect(options, config.database.connections).await.context("the database does not answer")?;
    let Some(row) = installation::find(&mut store.read().await?).await? else {
        bail!("there is no Installation in this database yet: run `occ init` first");
    };
    let key_dir = config.data_dir().join("keys");
    let keys = Arc::new(keyfiles::load(&key_dir)?);
    let driver =
        LocalDriver::open(local(config, row.id)?).await.context("the local driver cannot use its data folder")?;
    let host = host::settle(&store, &row, &config.data_dir()).await?;
    Ok(Arc::new(Control {
        installation: row.id,
        store,
        compute: Arc::new(Measured(driver)),
        settings: settings(config, host),
        secrets: Arc::new(DatabaseSecrets::new(Arc::clone(&keys)).with_files(&key_dir)),
        documents: Arc::new(SchemaCache::bundled()),
        keys,
        facts: FactsCache::default(),
        wake: Wake::default(),
    }))
}

/// What the local driver of this machine is told.
pub fn local(config: &Config, installation: InstallationId) -> anyhow::Result<LocalConfig> {
    Ok(LocalConfig {
        installation,
        data: config.data_dir(),
        runtimes: config.runtimes_dir(),
        program: std::env::current_exe().context("where is this program?")?,
        isolation: match config.local.isolation {
            config::Isolation::Bubblewrap => Isolation::Bubblewrap,
            config::Isolation::None => Isolation::None,
        },
    })
}

fn settings(config: &Config, host: String) -> Settings {
    Settings {
        deployment_deadline: Duration::from_secs(u64::from(config.controller.deployment_deadline_minutes) * 60),
        drain_grace: Duration::from_secs(u64::from(config.controller.drain_grace_seconds)),
        accept_unproven: config.model.accept_unproven,
        keep_work: Duration::from_hours(24 * u64::from(config.controller.keep_work_days)),
        host,
        ..Settings::default()
    }
}
