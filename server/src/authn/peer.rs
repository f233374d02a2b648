//! Where a request comes from: the address at the other end of its connection, or what a proxy of ours says it is.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{Extensions, HeaderMap};
use axum::middleware::Next;
use axum::response::Response;

use crate::config::Proxy;

const FORWARDED: &str = "x-forwarded-for";

/// The address, where the listener gives one. A header is believed only from `server.trusted_proxies` (see [`behind_proxies`]).
pub fn address(of: &Extensions) -> Option<IpAddr> {
    of.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip())
}

/// Middleware: a request that a trusted proxy passes on comes from whom it says.
pub async fn behind_proxies(State(proxies): State<Arc<[Proxy]>>, mut request: Request, next: Next) -> Response {
    if let Some(peer) = address(request.extensions()) {
        let client = client(&proxies, peer, request.headers());
        if client != peer {
            request.extensions_mut().insert(ConnectInfo(SocketAddr::new(client, 0)));
        }
    }
    next.run(request).await
}

/// The first address, from the right, that is no proxy of ours: what stands left of it could be anybody's invention.
fn client(proxies: &[Proxy], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let trusted = |address: IpAddr| proxies.iter().any(|proxy| proxy.is(address));
    let said =
        headers.get_all(FORWARDED).iter().filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(','));
    let said: Vec<_> = said.map(|text| text.trim().parse::<IpAddr>()).collect();
    let mut client = peer;
    for address in said.into_iter().rev() {
        let Ok(address) = address else { break };
        if !trusted(client) {
            break;
        }
        client = address;
    }
    client
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn only_a_trusted_proxy_is_believed_and_only_what_it_saw_itself() {
        let proxies: Vec<Proxy> = serde_json::from_value(serde_json::json!(["10.0.0.0/8", "::1"])).unwrap();
        let of = |peer: &str, said: &[&str]| {
            let said = said.iter().map(|text| (FORWARDED.parse().unwrap(), text.parse().unwrap()));
            client(&proxies, peer.parse().unwrap(), &said.collect()).to_string()
        };
        assert_eq!(of("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(of("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(of("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(of("::ffff:10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(of("::1", &["6.6.6.6, 198.51.100.1, 10.0.0.2"]), "198.51.100.1");
        assert_eq!(of("10.0.0.1", &["6.6.6.6", "198.51.100.1"]), "198.51.100.1");
        assert_eq!(of("10.0.0.1", &["198.51.100.1, nonsense"]), "10.0.0.1");
        assert!(serde_json::from_value::<Proxy>(serde_json::json!("10.0.0.0/33")).is_err());
    }
}
