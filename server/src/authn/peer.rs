//! Where a request comes from: the address at the other end of its connection.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::Extensions;

/// The address, where the listener gives one. No header is believed: behind a proxy it is the proxy's.
pub fn address(of: &Extensions) -> Option<IpAddr> {
    of.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip())
}
