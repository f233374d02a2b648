//! What a use case left behind: rows counted per table, so that "writes nothing" can be said of all of them at once.

use std::collections::BTreeMap;

use anyhow::Result;
use sqlx::PgPool;

/// Rows per table. Sequences are not rows: a rolled-back transaction may spend a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace(pub BTreeMap<String, i64>);

/// Counts every table of the platform, and takes a digest of the rows that change in place.
pub async fn trace(pool: &PgPool) -> Result<Trace> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_sqlx%' ORDER BY 1",
    )
    .fetch_all(pool)
    .await?;
    let mut found = BTreeMap::new();
    for table in tables {
        // Names come from the catalogue, not from outside.
        let query = format!("SELECT count(*), coalesce(sum(hashtext(t::text)::bigint), 0)::bigint FROM {table} t");
        let (rows, digest): (i64, i64) = sqlx::query_as(sqlx::AssertSqlSafe(query)).fetch_one(pool).await?;
        found.insert(table.clone(), rows);
        found.insert(format!("{table} (content)"), digest);
    }
    Ok(Trace(found))
}

/// Audit events of an action: outcome and reason, oldest first.
pub async fn audited(pool: &PgPool, action: &str) -> Result<Vec<(String, Option<String>)>> {
    Ok(sqlx::query_as("SELECT outcome, reason FROM audit_event WHERE action = $1 ORDER BY at, id")
        .bind(action)
        .fetch_all(pool)
        .await?)
}

/// Whether `needle` stands in any row of any table: for what must not be stored.
pub async fn stored_anywhere(pool: &PgPool, needle: &str) -> Result<Vec<String>> {
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
            .fetch_all(pool)
            .await?;
    let mut found = Vec::new();
    for table in tables {
        let query = sqlx::AssertSqlSafe(format!("SELECT EXISTS (SELECT FROM {table} t WHERE strpos(t::text, $1) > 0)"));
        if sqlx::query_scalar(query).bind(needle).fetch_one(pool).await? {
            found.push(table);
        }
    }
    Ok(found)
}
