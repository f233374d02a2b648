//! tower-sessions over `occ_store::session`: the cookie's token is stored only as its SHA-256.

use std::collections::HashMap;

use async_trait::async_trait;
use occ_model::id::PrincipalId;
use occ_store::session::{self, Lifetimes};
use occ_store::{Store, StoreError};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error, Result, SessionStore};

use super::{NAME, PRINCIPAL, SESSION};

/// Sessions in PostgreSQL.
#[derive(Clone, Debug)]
pub struct Sessions {
    store: Store,
    life: Lifetimes,
}

impl Sessions {
    /// Over this store.
    pub fn new(store: Store, life: Lifetimes) -> Self {
        Self { store, life }
    }

    async fn begin(&self, record: &Record) -> std::result::Result<(), StoreError> {
        let principal: Option<PrincipalId> =
            record.data.get(PRINCIPAL).and_then(|value| serde_json::from_value(value.clone()).ok());
        let mut tx = self.store.observe().await?;
        session::insert(&mut tx, &hash(record.id), principal, &data(record)?, self.life).await?;
        tx.commit().await
    }

    async fn update(&self, record: &Record) -> std::result::Result<(), StoreError> {
        let mut tx = self.store.observe().await?;
        // One that ended while its last request was answered stays ended; there is nothing to tell anybody.
        session::update(&mut tx, &hash(record.id), &data(record)?, self.life).await?;
        tx.commit().await
    }
}

/// What is stored of a session's data: nothing that columns say.
fn data(record: &Record) -> std::result::Result<Value, StoreError> {
    let own: HashMap<_, _> =
        record.data.iter().filter(|(key, _)| ![PRINCIPAL, SESSION, NAME].contains(&key.as_str())).collect();
    serde_json::to_value(own).map_err(|_| StoreError::Corrupt("session"))
}

/// What is stored of a session's token.
pub fn hash(id: Id) -> [u8; 32] {
    Sha256::digest(id.to_string().as_bytes()).into()
}

fn failed(error: StoreError) -> Error {
    tracing::error!(error = &error as &dyn std::error::Error, "the session store failed");
    Error::Backend("the session store failed".to_owned())
}

#[async_trait]
impl SessionStore for Sessions {
    async fn create(&self, record: &mut Record) -> Result<()> {
        // 128 random bits: a clash is not a thing to handle but a broken random source.
        self.begin(record).await.map_err(failed)
    }

    async fn save(&self, record: &Record) -> Result<()> {
        self.update(record).await.map_err(failed)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let hash = hash(*id);
        let mut on = self.store.read().await.map_err(failed)?;
        let Some(live) = session::load(&mut on, &hash).await.map_err(failed)? else { return Ok(None) };
        drop(on);
        if !live.noted {
            self.store.session_used(&hash, self.life).await.map_err(failed)?;
        }
        let mut data: HashMap<String, Value> =
            serde_json::from_value(live.data).map_err(|e| Error::Decode(e.to_string()))?;
        data.insert(SESSION.to_owned(), json!(live.id));
        if let (Some(principal), Some(name)) = (live.principal, live.name) {
            data.insert(PRINCIPAL.to_owned(), json!(principal));
            data.insert(NAME.to_owned(), json!(name));
        }
        Ok(Some(Record { id: *id, data, expiry_date: live.expires_at }))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        let mut tx = self.store.observe().await.map_err(failed)?;
        session::delete(&mut tx, &hash(*id)).await.map_err(failed)?;
        tx.commit().await.map_err(failed)
    }
}
