//! A machine of its own: a data directory, a home, a database, a port; and `occ` run on it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use sqlx::PgPool;
use tempfile::TempDir;
use url::Url;

/// One machine. Everything of it goes with the value.
pub struct Machine {
    folder: TempDir,
    data: PathBuf,
    pub database: String,
    pub port: u16,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Machine {
    pub fn new(pool: &PgPool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Self::at(pool, folder, data)
    }

    /// With another data directory.
    pub fn at(pool: &PgPool, folder: TempDir, data: PathBuf) -> Self {
        let mut database: Url = std::env::var("DATABASE_URL").unwrap().parse().unwrap();
        database.set_path(pool.connect_options().get_database().unwrap());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self { folder, data, database: database.to_string(), port }
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// `occ` with nothing of this process's environment but the path.
    pub fn occ(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_occ"));
        command.args(args).env_clear().stdin(Stdio::null());
        for (name, value) in [
            ("PATH", std::env::var_os("PATH").unwrap()),
            ("HOME", self.home().into()),
            ("OCC_DATA_DIR", self.data().into()),
            ("OCC_DATABASE_URL", self.database.clone().into()),
            ("OCC_PORT", self.port.to_string().into()),
            ("OCC_RUNTIMES_DIR", self.home().join("runtimes").into()),
        ] {
            command.env(name, value);
        }
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        ended(self.occ(args))
    }

    /// The Installation, made.
    pub fn init(&self) -> Ran {
        let made = self.run(&["init"]);
        assert_eq!(made.code, 0, "{made:?}");
        made
    }

    /// `occ serve`, once it takes requests.
    pub fn serve(&self) -> Serving {
        Self::served(self.occ(["serve"]))
    }

    /// The same, by a command of one's own.
    pub fn served(mut command: Command) -> Serving {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, said) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        // Reads on to the end, or the program would wait for room in the pipe.
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _gone = send.send(line);
            }
        });
        let serving = Serving { child, said };
        let begun = serving.wait_for("serving");
        assert!(begun.is_ok(), "{begun:?}");
        serving
    }
}

/// Runs a command to its end.
pub fn ended(mut command: Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// The same with something to read.
pub fn fed(mut command: Command, input: &str) -> Ran {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// A server that ends with the value.
pub struct Serving {
    child: Child,
    said: Receiver<String>,
}

impl Serving {
    /// Until a line of its log has that word; else everything it said before it ended.
    fn wait_for(&self, word: &str) -> Result<(), Vec<String>> {
        let mut lines = Vec::new();
        for line in &self.said {
            if line.contains(word) {
                return Ok(());
            }
            lines.push(line);
        }
        Err(lines)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
