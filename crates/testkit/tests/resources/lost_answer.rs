//! A COMMIT whose answer gets lost: it is asked after, and where nobody can be asked, that is said (I17).

use occ_store::{Conn, Store, StoreError};
use occ_testkit::wire::{Lost, Wire};
use sqlx::PgPool;

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i17_a_commit_whose_answer_is_lost_is_asked_after_and_else_not_known(pool: PgPool) {
    let wire = Wire::to(&pool).unwrap();
    let store = Store::connect(wire.options(), 2).await.unwrap();
    let epoch = async || sqlx::query_scalar::<_, i64>("SELECT epoch FROM policy").fetch_one(&pool).await.unwrap();
    let before = epoch().await;
    let commit = async |lost| {
        let mut tx = store.observe().await.unwrap();
        sqlx::query("UPDATE policy SET epoch = epoch + 1").execute(tx.conn()).await.unwrap();
        wire.lose(lost);
        tx.commit().await
    };
    commit(Lost::Nothing).await.unwrap();
    assert_eq!(epoch().await, before + 1);
    // It had happened, and that is found out.
    commit(Lost::Answer).await.unwrap();
    assert_eq!(epoch().await, before + 2);
    // It had not.
    assert!(matches!(commit(Lost::Question).await, Err(StoreError::Unavailable(_))));
    assert_eq!(epoch().await, before + 2);
    // Nobody knows: neither a failure nor a success.
    assert!(matches!(commit(Lost::Everything).await, Err(StoreError::UnknownOutcome)));
    assert_eq!(epoch().await, before + 3);
}
