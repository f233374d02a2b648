//! A queue that has been in use for long: a million items that have ended, with an attempt each.

use sqlx::PgPool;

/// Adds them, spread over the Agents and over the last thirty days.
pub async fn finished_rows(pool: &PgPool, rows: usize) -> anyhow::Result<()> {
    const AT_ONCE: usize = 50_000;
    for begin in (0..rows).step_by(AT_ONCE) {
        let end = rows.min(begin + AT_ONCE);
        sqlx::query(
            "WITH agents AS (
                SELECT array_agg(id) AS ids, array_agg(namespace_id) AS namespaces, count(*)::bigint AS n FROM agent
            ), ended AS (
                INSERT INTO work (id, kind, key, state, namespace_id, agent_id, actor_kind, actor_id, actor_name, epoch, created_at, run_after, finished_at)
                SELECT gen_random_uuid(), 'agent_stop', 'ended/' || g, 'succeeded', a.namespaces[1 + g % a.n], a.ids[1 + g % a.n],
                       'principal', a.ids[1], 'bench', g, t.at, t.at, t.at
                  FROM agents a, generate_series($1::bigint, $2::bigint) AS g,
                       LATERAL (SELECT now() - interval '30 days' * (1 - g / 1000000.0) AS at) AS t
                RETURNING id, epoch, finished_at
            )
            INSERT INTO work_attempt (work_id, epoch, started_at, ended_at, outcome)
            SELECT id, epoch, finished_at, finished_at, 'succeeded' FROM ended",
        )
        .bind(i64::try_from(begin + 1)?)
        .bind(i64::try_from(end)?)
        .execute(pool)
        .await?;
    }
    Ok(())
}

/// How the server finds the next item.
pub async fn plan(pool: &PgPool) -> anyhow::Result<String> {
    let lines: Vec<String> = sqlx::query_scalar(
        "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF)
         SELECT id FROM work w WHERE state = 'queued' AND run_after <= clock_timestamp() AND (host IS NULL OR host = 'bench')
            AND NOT EXISTS (SELECT FROM work r WHERE r.state = 'running' AND r.lane && w.lane)
          ORDER BY run_after, id LIMIT 1",
    )
    .fetch_all(pool)
    .await?;
    Ok(crate::table::indented(lines.iter().map(String::as_str)))
}
