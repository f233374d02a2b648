//! How to reach the running server.

use std::path::PathBuf;

use sqlx::postgres::PgConnectOptions;
use url::form_urlencoded;

/// Bootstrap superuser; used by the set-up alone.
pub const SUPERUSER: &str = "postgres";
/// Owns the database and its schema; runs migrations and `occ init`.
pub const OWNER_ROLE: &str = "occ_owner";
/// What `occ serve` connects as; owns nothing.
pub const APP_ROLE: &str = "occ_app";
/// The database of the Installation.
pub const DATABASE: &str = "occ";
/// May create databases; exists under [`crate::Profile::Test`] only, with a database of the same name.
pub const TEST_ROLE: &str = "occ_test";

/// Address of the server. Holds no secret: the socket's directory and peer authentication decide who gets in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectInfo {
    /// Directory of the socket.
    pub socket_dir: PathBuf,
    /// Number in the socket's name; there is no TCP port.
    pub port: u16,
    /// Process id of the postmaster.
    pub pid: i32,
}

impl ConnectInfo {
    /// For `migrate` and `init`: role [`OWNER_ROLE`], database [`DATABASE`].
    pub fn owner_url(&self) -> String {
        self.url(DATABASE, OWNER_ROLE)
    }

    /// For everything that serves: role [`APP_ROLE`], database [`DATABASE`].
    pub fn app_url(&self) -> String {
        self.url(DATABASE, APP_ROLE)
    }

    /// For `#[sqlx::test]`; the role exists under [`crate::Profile::Test`] only.
    pub fn test_url(&self) -> String {
        self.url(TEST_ROLE, TEST_ROLE)
    }

    fn url(&self, database: &str, user: &str) -> String {
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("host", &self.socket_dir.to_string_lossy())
            .append_pair("port", &self.port.to_string())
            .append_pair("user", user)
            .finish();
        format!("postgres:///{database}?{query}")
    }

    pub(crate) fn superuser(&self, database: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .socket(&self.socket_dir)
            .port(self.port)
            .username(SUPERUSER)
            .database(database)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::str::FromStr;

    use super::*;

    #[test]
    fn urls_survive_odd_directory_names() {
        let info = ConnectInfo { socket_dir: "/tmp/a b&c=ü".into(), port: 5432, pid: 1 };
        let options = PgConnectOptions::from_str(&info.app_url()).unwrap();
        assert_eq!(options.get_socket().unwrap().to_str(), Some("/tmp/a b&c=ü"));
        assert_eq!((options.get_username(), options.get_database()), (APP_ROLE, Some(DATABASE)));
    }
}
