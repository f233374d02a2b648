//! Which addresses a key may be sent to.

use anyhow::bail;
use url::Url;

use crate::authn::origin::is_loopback;

/// Refuses an address that would show a key to others, or that is no server's: https, or http on this machine; scheme, host and
/// port alone.
pub fn check_address(url: &Url) -> anyhow::Result<()> {
    let host = url.host_str().unwrap_or_default();
    match url.scheme() {
        "https" if !host.is_empty() => {}
        "http" if is_loopback(host) => {}
        "http" => bail!("http would show the key to everybody on the way to {host}: use the server's https address"),
        _ => bail!("the server's address is like https://occ.example.org"),
    }
    let bare = url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.path() == "/";
    if bare { Ok(()) } else { bail!("give the server's address alone: scheme, host and port") }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_key_goes_over_tls_or_stays_on_this_machine() {
        let takes = |text: &str| check_address(&text.parse().unwrap()).is_ok();
        assert!(takes("https://occ.example.org") && takes("https://occ.example.org:8443"));
        assert!(takes("http://127.0.0.1:7171") && takes("http://[::1]:7171") && takes("http://occ.localhost:7171"));
        for bad in ["http://occ.example.org", "http://10.0.0.1", "ftp://localhost", "https://a:b@occ.example.org"] {
            assert!(!takes(bad), "{bad}");
        }
        assert!(!takes("https://occ.example.org/api/v1") && !takes("https://occ.example.org?x=1"));
    }
}
