//! A COMMIT whose answer gets lost: it is asked after, and where nobody can be asked, that is said (I17).

use std::sync::Arc;

use occ_store::{Conn, Store, StoreError};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio_util::either::Either;

/// What happens to the next COMMIT, and to its connection with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Lost {
    Nothing,
    Question,
    Answer,
    /// The answer, and after it every connection.
    Everything,
    /// Every connection.
    Connections,
}

type Far = Either<UnixStream, TcpStream>;

/// A wire to the test's database that can be cut.
struct Wire {
    _folder: tempfile::TempDir,
    lost: Arc<watch::Sender<Lost>>,
    options: PgConnectOptions,
}

impl Wire {
    fn to(pool: &PgPool) -> Self {
        let real = pool.connect_options();
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(format!(".s.PGSQL.{}", real.get_port()))).unwrap();
        let options = real.as_ref().clone().socket(folder.path());
        let lost = Arc::new(watch::Sender::new(Lost::Nothing));
        let losing = Arc::clone(&lost);
        tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.unwrap();
                tokio::spawn(pass(near, far(&real).await, Arc::clone(&losing)));
            }
        });
        Self { _folder: folder, lost, options }
    }
}

async fn far(real: &PgConnectOptions) -> Far {
    match real.get_socket() {
        Some(folder) => {
            Either::Left(UnixStream::connect(folder.join(format!(".s.PGSQL.{}", real.get_port()))).await.unwrap())
        }
        None => Either::Right(TcpStream::connect((real.get_host(), real.get_port())).await.unwrap()),
    }
}

/// Passes both ways until a COMMIT is to be lost; then hangs up on both sides.
async fn pass(near: UnixStream, far: Far, lost: Arc<watch::Sender<Lost>>) {
    let (mut from_near, mut to_near) = near.into_split();
    let (mut from_far, mut to_far) = tokio::io::split(far);
    let back = tokio::spawn(async move { tokio::io::copy(&mut from_far, &mut to_near).await });
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = from_near.read(&mut buffer).await.unwrap_or(0);
        let said = &buffer[..read];
        let now = *lost.borrow();
        let commits = said.windows(6).any(|word| word == b"COMMIT");
        let hangs_up = now == Lost::Connections || (now != Lost::Nothing && commits);
        if hangs_up {
            back.abort();
            lost.send_replace(if now > Lost::Answer { Lost::Connections } else { Lost::Nothing });
        }
        let arrives = !hangs_up || matches!(now, Lost::Answer | Lost::Everything);
        if read == 0 || (arrives && to_far.write_all(said).await.is_err()) || hangs_up {
            back.abort();
            return;
        }
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i17_a_commit_whose_answer_is_lost_is_asked_after_and_else_not_known(pool: PgPool) {
    let wire = Wire::to(&pool);
    let store = Store::connect(wire.options.clone(), 2).await.unwrap();
    let epoch = async || sqlx::query_scalar::<_, i64>("SELECT epoch FROM policy").fetch_one(&pool).await.unwrap();
    let before = epoch().await;
    let commit = async |lost| {
        let mut tx = store.observe().await.unwrap();
        sqlx::query("UPDATE policy SET epoch = epoch + 1").execute(tx.conn()).await.unwrap();
        wire.lost.send_replace(lost);
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
