//! Which origins may write by cookie, and which Host names are ours (spec 80, "Address and TLS").

use axum::http::{HeaderMap, header};
use occ_control::{Error, Result};
use occ_model::problem::Code;
use url::Url;

/// The origins of this server.
#[derive(Clone, Debug)]
pub enum Origins {
    /// Exactly the public URL's origin.
    Public(String),
    /// No public URL, on loopback: any loopback Host whose Origin equals it (port forwarding works).
    Loopback,
}

impl Origins {
    /// From `server.public_url`, where one is configured.
    pub fn new(public: Option<&Url>) -> Self {
        public.map_or(Self::Loopback, |url| Self::Public(url.origin().ascii_serialization()))
    }

    /// Refuses a write by cookie that does not come from this server's own pages. Absent and `null` are refused.
    pub fn check(&self, headers: &HeaderMap) -> Result<()> {
        let text = |name: header::HeaderName| headers.get(name).and_then(|v| v.to_str().ok());
        let origin = text(header::ORIGIN);
        let own = match self {
            Self::Public(public) => origin == Some(public.as_str()),
            Self::Loopback => text(header::HOST).is_some_and(|host| {
                is_loopback(host) && origin.is_some_and(|o| o.strip_prefix("http://") == Some(host))
            }),
        };
        let site = headers.get("sec-fetch-site").and_then(|v| v.to_str().ok());
        if own && site.is_none_or(|site| site == "same-origin") {
            return Ok(());
        }
        Err(Error::refused(Code::OriginMismatch, "The request must come from this server's own pages."))
    }

    /// Whether a request for this Host is for us: another name is not answered (DNS rebinding).
    pub fn knows_host(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|v| v.to_str().ok()).unwrap_or_default();
        match self {
            Self::Public(public) => public.split_once("://").is_some_and(|(_, own)| own == host) || is_loopback(host),
            Self::Loopback => is_loopback(host),
        }
    }
}

/// Whether this `Host` (name or address, with or without a port) is this machine itself.
pub fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    name == "localhost"
        || name.ends_with(".localhost")
        || name
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_write_by_cookie_needs_the_exact_origin() {
        let public = Origins::new(Some(&"https://occ.example.org/".parse().unwrap()));
        assert!(public.check(&headers(&[("origin", "https://occ.example.org")])).is_ok());
        for bad in [
            &[][..],
            &[("origin", "null")],
            &[("origin", "http://occ.example.org")],
            &[("origin", "https://occ.example.org.evil.test")],
            &[("origin", "https://occ.example.org"), ("sec-fetch-site", "cross-site")],
            &[("origin", "https://occ.example.org"), ("sec-fetch-site", "same-site")],
        ] {
            assert!(public.check(&headers(bad)).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn on_loopback_the_origin_equals_the_host() {
        let loopback = Origins::new(None);
        assert!(loopback.check(&headers(&[("host", "127.0.0.1:7171"), ("origin", "http://127.0.0.1:7171")])).is_ok());
        assert!(loopback.check(&headers(&[("host", "localhost:9"), ("origin", "http://localhost:9")])).is_ok());
        assert!(loopback.check(&headers(&[("host", "127.0.0.1:7171"), ("origin", "http://127.0.0.1:9")])).is_err());
        assert!(loopback.check(&headers(&[("host", "evil.test"), ("origin", "http://evil.test")])).is_err());
        assert!(!loopback.knows_host(&headers(&[("host", "127.0.0.1.evil.test")])));
    }
}
