//! What a server is started with.

use secrecy::SecretString;

use crate::RequestLog;

/// Settings of one server; the default accepts any key that is not empty and writes no log.
#[derive(Debug)]
pub struct Config {
    /// The accepted keys; none means any key that is not empty.
    pub keys: Vec<SecretString>,
    /// What the models list shows. A turn may name any model: a runtime's own naming is not what is tested here.
    pub models: Vec<String>,
    /// Where requests are noted.
    pub log: Option<RequestLog>,
}

impl Default for Config {
    fn default() -> Self {
        Self { keys: Vec::new(), models: vec!["test-1".to_owned(), "test-2".to_owned()], log: None }
    }
}

impl Config {
    /// A server that accepts exactly these keys.
    pub fn with_keys<K: Into<String>>(keys: impl IntoIterator<Item = K>) -> Self {
        Self { keys: keys.into_iter().map(|key| SecretString::from(key.into())).collect(), ..Self::default() }
    }
}
