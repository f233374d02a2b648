//! `occ-testdb start|stop|hold DIR`: the PostgreSQL of a test run, without durability, on a socket in DIR.
//!
//! `start` prints one line for a shell, `export DATABASE_URL='…'`, whose role may create databases; `hold` prints the same
//! and stays until its input ends, for tests that kill the process that started a server.

use std::io::Read;
use std::process::ExitCode;

use occ_postgres::{Config, Embedded, Error, Profile};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [verb, dir] = args.as_slice() else { return usage() };
    let mut config = Config::new(dir);
    config.profile = Profile::Test;
    let done = match verb.as_str() {
        "start" => start(&config).await,
        "hold" => match start(&config).await {
            Ok(()) => std::io::stdin().read_to_end(&mut Vec::new()).map(drop).map_err(|source| Error::Io {
                what: "read",
                path: "/dev/stdin".into(),
                source,
            }),
            failed => failed,
        },
        "stop" => Embedded::stop(&config).await.map(drop),
        _ => return usage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("occ-testdb: {error}");
            let mut cause = std::error::Error::source(&error);
            while let Some(source) = cause {
                eprint!(": {source}");
                cause = source.source();
            }
            eprintln!();
            ExitCode::FAILURE
        }
    }
}

async fn start(config: &Config) -> Result<(), Error> {
    let info = Embedded::ensure(config).await?;
    println!("export DATABASE_URL='{}'", info.test_url());
    Ok(())
}

fn usage() -> ExitCode {
    eprintln!("usage: occ-testdb start|stop|hold DIR");
    ExitCode::from(2)
}
