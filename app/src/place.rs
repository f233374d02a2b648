//! Where in the console an address is: its Namespace, its area, its way there. Derived from the path alone, so that the
//! server's first paint and the browser agree before any data is there.

use crate::paths;

/// A step of the way to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crumb {
    /// Its words: a name is shown as it is.
    pub label: String,
    /// Its address.
    pub href: String,
}

/// The segments below `/console`.
fn segments(path: &str) -> Vec<&str> {
    path.strip_prefix(paths::HOME).unwrap_or_default().split('/').filter(|part| !part.is_empty()).collect()
}

/// The Namespace that an address is in.
pub fn namespace_of(path: &str) -> Option<String> {
    match segments(path).as_slice() {
        ["namespaces", name, ..] if *name != "new" => Some((*name).to_owned()),
        _ => None,
    }
}

/// The entry of the side navigation that an address belongs to.
pub fn area_of(path: &str) -> &'static str {
    match segments(path).as_slice() {
        [] => "home",
        ["namespaces", _, "agents", ..] => "agents",
        ["namespaces", _, "configurations", ..] => "configurations",
        ["namespaces", _, "secrets", ..] => "secrets",
        ["namespaces", ..] => "namespaces",
        ["operations", ..] => "operations",
        ["account", ..] => "account",
        ["gallery", ..] => "gallery",
        _ => "",
    }
}

/// The way to an address: `research / Agents / paper-reader / Versions`. The list of Namespaces is not a step of it: inside
/// a Namespace its name says enough.
pub fn crumbs(path: &str) -> Vec<Crumb> {
    let parts = segments(path);
    if parts.is_empty() {
        return vec![Crumb { label: "Home".to_owned(), href: paths::HOME.to_owned() }];
    }
    let inside = parts.first() == Some(&"namespaces") && parts.len() > 1 && parts.get(1) != Some(&"new");
    let mut href = paths::HOME.to_owned();
    let mut crumbs = Vec::new();
    for (depth, part) in parts.iter().enumerate() {
        href = format!("{href}/{part}");
        if depth == 0 && inside {
            continue;
        }
        // Even depths name a collection or a page, odd ones a resource, except below an Agent's tab.
        let is_name = inside && (depth == 1 || depth == 3 || depth == 5) && *part != "new";
        let label = if is_name { (*part).to_owned() } else { title(part) };
        crumbs.push(Crumb { label, href: href.clone() });
    }
    crumbs
}

fn title(segment: &str) -> String {
    match segment {
        "sign-in" => "Sign in".to_owned(),
        "new" => "New".to_owned(),
        other => {
            let mut chars = other.chars();
            chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(path: &str) -> Vec<String> {
        crumbs(path).into_iter().map(|crumb| crumb.label).collect()
    }

    #[test]
    fn the_way_to_a_page_is_in_its_address() {
        assert_eq!(labels("/console"), ["Home"]);
        assert_eq!(
            labels("/console/namespaces/research/agents/paper-reader/versions"),
            ["research", "Agents", "paper-reader", "Versions"]
        );
        assert_eq!(labels("/console/namespaces/research/agents/new"), ["research", "Agents", "New"]);
        assert_eq!(labels("/console/namespaces/new"), ["Namespaces", "New"]);
        assert_eq!(labels("/console/operations"), ["Operations"]);
    }

    #[test]
    fn a_page_knows_its_namespace_and_area() {
        assert_eq!(namespace_of("/console/namespaces/research/secrets").as_deref(), Some("research"));
        assert_eq!(namespace_of("/console/namespaces/new"), None);
        assert_eq!(area_of("/console/namespaces/research/secrets/new"), "secrets");
        assert_eq!(area_of("/console/namespaces/research"), "namespaces");
        assert_eq!(area_of("/console/"), "home");
    }
}
