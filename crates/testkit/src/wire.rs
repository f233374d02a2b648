//! A wire to a test's database that can be cut: the answer to a COMMIT gets lost, or its question, or every connection at once.

use std::sync::Arc;

use anyhow::Result;
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio_util::either::Either;

/// What happens to the next COMMIT, and to its connection with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
pub enum Lost {
    /// Nothing.
    #[default]
    Nothing,
    /// It does not arrive.
    Question,
    /// It is done, and nobody hears of it.
    Answer,
    /// The answer, and after it every connection.
    Everything,
    /// Every connection, whatever it says.
    Connections,
    /// Of so many COMMITs the last one's answer, and so on.
    EveryAnswer(u32),
}

/// What the wire does now.
#[derive(Clone, Copy, Debug, Default)]
struct Now {
    lost: Lost,
    commits: u32,
    /// Connections of an earlier number are cut.
    cut: u64,
}

type Far = Either<UnixStream, TcpStream>;

/// The wire. Connections made with its options go through it.
pub struct Wire {
    _folder: tempfile::TempDir,
    now: Arc<watch::Sender<Now>>,
    options: PgConnectOptions,
}

impl Wire {
    /// To the database of this pool.
    pub fn to(pool: &PgPool) -> Result<Self> {
        let real = pool.connect_options();
        let folder = tempfile::tempdir()?;
        let listener = UnixListener::bind(folder.path().join(format!(".s.PGSQL.{}", real.get_port())))?;
        let options = real.as_ref().clone().socket(folder.path());
        let now = Arc::new(watch::Sender::new(Now::default()));
        let shared = Arc::clone(&now);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let (shared, real) = (Arc::clone(&shared), Arc::clone(&real));
                tokio::spawn(async move {
                    // A database that is not there hangs up, as it would without the wire.
                    if let Ok(far) = far(&real).await {
                        pass(near, far, &shared).await;
                    }
                });
            }
        });
        Ok(Self { _folder: folder, now, options })
    }

    /// How to connect through it.
    pub fn options(&self) -> PgConnectOptions {
        self.options.clone()
    }

    /// What gets lost from now on.
    pub fn lose(&self, lost: Lost) {
        self.now.send_modify(|now| (now.lost, now.commits) = (lost, 0));
    }

    /// Cuts every connection that is there now, once.
    pub fn cut(&self) {
        self.now.send_modify(|now| now.cut += 1);
    }
}

async fn far(real: &PgConnectOptions) -> std::io::Result<Far> {
    Ok(match real.get_socket() {
        Some(folder) => Either::Left(UnixStream::connect(folder.join(format!(".s.PGSQL.{}", real.get_port()))).await?),
        None => Either::Right(TcpStream::connect((real.get_host(), real.get_port())).await?),
    })
}

/// Whether this COMMIT arrives, and whether its connection lives on.
fn commit(now: &mut Now) -> (bool, bool) {
    now.commits += 1;
    match now.lost {
        Lost::Nothing => (true, true),
        Lost::Connections => (false, false),
        Lost::Question | Lost::Answer => {
            let arrives = now.lost == Lost::Answer;
            now.lost = Lost::Nothing;
            (arrives, false)
        }
        Lost::Everything => {
            now.lost = Lost::Connections;
            (true, false)
        }
        Lost::EveryAnswer(of) => (true, !now.commits.is_multiple_of(of)),
    }
}

/// Passes both ways until something is to be lost; then hangs up on both sides.
async fn pass(near: UnixStream, far: Far, shared: &watch::Sender<Now>) {
    let (mut from_near, mut to_near) = near.into_split();
    let (mut from_far, mut to_far) = tokio::io::split(far);
    let mut watched = shared.subscribe();
    let born = watched.borrow().cut;
    let back = tokio::spawn(async move { tokio::io::copy(&mut from_far, &mut to_near).await });
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = tokio::select! {
            read = from_near.read(&mut buffer) => read.unwrap_or(0),
            _ = watched.wait_for(|now| now.cut > born) => 0,
        };
        let said = &buffer[..read];
        let (mut arrives, mut lives) = (true, read > 0);
        if said.windows(6).any(|word| word == b"COMMIT") {
            shared.send_if_modified(|now| {
                (arrives, lives) = commit(now);
                false
            });
        } else if watched.borrow().lost == Lost::Connections {
            (arrives, lives) = (false, false);
        }
        if !lives {
            // Its answer must not come through.
            back.abort();
        }
        if (arrives && read > 0 && to_far.write_all(said).await.is_err()) || !lives {
            back.abort();
            return;
        }
    }
}
