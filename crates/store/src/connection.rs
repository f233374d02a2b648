//! What a query can run on: a reading connection or a transaction.

use sqlx::PgConnection;
use sqlx::pool::PoolConnection;
use sqlx::postgres::Postgres;

/// Something that reading queries run on. Finders take `&mut impl Conn`, so that they see what their transaction wrote.
pub trait Conn: Send {
    /// The connection.
    fn conn(&mut self) -> &mut PgConnection;
}

/// A connection outside any transaction, for reads.
#[derive(Debug)]
pub struct Read(PoolConnection<Postgres>);

impl Read {
    pub(crate) fn new(connection: PoolConnection<Postgres>) -> Self {
        Self(connection)
    }
}

impl Conn for Read {
    fn conn(&mut self) -> &mut PgConnection {
        &mut self.0
    }
}
