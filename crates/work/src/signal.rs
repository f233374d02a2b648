//! Waking other processes: NOTIFY after commit (never inside the admitting transaction, which would serialise all commits), and
//! the listener.

use occ_store::{Conn, Store};
use sqlx::postgres::PgListener;

use crate::error::Result;

const CHANNEL: &str = "occ_committed";

/// Tells every listening process that something was committed. It says no more than that: who hears it looks.
pub async fn tell(store: &Store) -> Result<()> {
    sqlx::query("SELECT pg_notify($1, '')").bind(CHANNEL).execute(store.read().await?.conn()).await?;
    Ok(())
}

/// Listens until the connection is lost, and says so once it listens (what was committed before is to be looked for then) and
/// for each notification.
pub async fn hear(store: &Store, heard: impl Fn()) -> Result<()> {
    let mut listener = PgListener::connect_with(store.pool()).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    heard();
    while listener.try_recv().await?.is_some() {
        heard();
    }
    Ok(())
}
