//! Addresses that the probe never asks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// Resolves names by the machine, and drops the answers that are never asked: the check holds for the address that is connected to, so
/// a name that changes between check and use changes nothing.
pub struct Resolver;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let asked: Vec<_> = found.filter(|address| !is_refused(address.ip())).collect();
            if asked.is_empty() {
                return Err("no address of this name may be asked".into());
            }
            Ok(Box::new(asked.into_iter()) as Addrs)
        })
    }
}

/// Whether the URL names such an address itself (then no name is resolved).
pub fn is_refused_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => is_refused(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_refused(IpAddr::V6(address)),
        Some(Host::Domain(_)) => false,
        None => true,
    }
}

/// Link-local (where clouds put their metadata), their other metadata addresses, multicast, unspecified.
pub fn is_refused(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_refused_v4(v4),
        IpAddr::V6(v6) => match embedded_v4(v6) {
            Some(v4) => is_refused_v4(v4),
            None => {
                v6.is_unspecified()
                    || v6.is_multicast()
                    || v6.is_unicast_link_local()
                    || v6 == Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)
            }
        },
    }
}

fn is_refused_v4(address: Ipv4Addr) -> bool {
    address.octets()[0] == 0
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address == Ipv4Addr::new(100, 100, 100, 200)
}

/// The IPv4 address inside a mapped or NAT64 one.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let nat64 = || {
        let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = address.segments() else { return None };
        Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
    };
    address.to_ipv4_mapped().or_else(nat64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn metadata_addresses_are_refused_in_every_form() {
        for address in [
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "fe80::1",
            "fd00:ec2::254",
            "100.100.100.200",
            "0.0.0.0",
            "::",
            "224.0.0.1",
            "255.255.255.255",
        ] {
            assert!(is_refused(address.parse().unwrap()), "{address}");
        }
        for address in ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "8.8.8.8", "2606:4700::1"] {
            assert!(!is_refused(address.parse().unwrap()), "{address}");
        }
        // The URL parser normalises other spellings of the same address.
        for url in ["http://2852039166/", "http://0xa9.0xfe.0xa9.0xfe/", "http://[::ffff:a9fe:a9fe]/"] {
            assert!(is_refused_host(&Url::parse(url).unwrap()), "{url}");
        }
    }
}
