//! What is kept for a time and then forgotten.

use occ_testkit::TestControl;
use occ_testkit::trace::trace;
use sqlx::PgPool;

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i15_finished_work_is_kept_for_a_time_and_looking_for_more_writes_nothing(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let put = "INSERT INTO work (id, kind, key, state, actor_kind, actor_id, actor_name, created_at, finished_at)
               SELECT gen_random_uuid(), 'agent_stop', $1 || n, $2, 'principal', gen_random_uuid(), 'x', now() - $3 * interval '1 day',
                      CASE WHEN $2 = 'queued' THEN NULL ELSE now() - $3 * interval '1 day' END
                 FROM generate_series(1, $4) n";
    for (key, state, days, count) in
        [("old", "succeeded", 31, 2_500), ("young", "failed", 29, 3), ("waiting", "queued", 40, 2)]
    {
        sqlx::query(put).bind(key).bind(state).bind(days).bind(count).execute(&pool).await.unwrap();
    }
    occ_control::housekeeping::once(&t.control).await.unwrap();
    let left: Vec<(String, i64)> = sqlx::query_as("SELECT state, count(*) FROM work GROUP BY state ORDER BY state")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(left, [("failed".to_owned(), 3), ("queued".to_owned(), 2)]);
    let settled = trace(&pool).await.unwrap();
    occ_control::housekeeping::once(&t.control).await.unwrap();
    assert_eq!(trace(&pool).await.unwrap(), settled);
}
