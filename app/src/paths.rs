//! The console's addresses, in one place: pages link through these, tests and the router agree with them.
//!
//! A resource is addressed by its name (or its id: the API takes both), so every address can be read and shared.

/// The console's root; home.
pub const HOME: &str = "/console";
/// Every part with its states.
pub const GALLERY: &str = "/console/gallery";
/// Signing in.
pub const SIGN_IN: &str = "/console/sign-in";
/// The list of Namespaces.
pub const NAMESPACES: &str = "/console/namespaces";
/// Creating a Namespace.
pub const NAMESPACE_NEW: &str = "/console/namespaces/new";
/// The work queue.
pub const OPERATIONS: &str = "/console/operations";
/// One's own sessions and appearance.
pub const ACCOUNT: &str = "/console/account";

/// A Namespace's page.
pub fn namespace(namespace: &str) -> String {
    format!("{NAMESPACES}/{namespace}")
}

/// A page of a Namespace's area: `agents`, `configurations`, `secrets`.
pub fn area(namespace: &str, area: &str) -> String {
    format!("{NAMESPACES}/{namespace}/{area}")
}

/// A Namespace's Agents.
pub fn agents(namespace: &str) -> String {
    area(namespace, "agents")
}

/// Creating an Agent.
pub fn agent_new(namespace: &str) -> String {
    format!("{}/new", agents(namespace))
}

/// An Agent's overview.
pub fn agent(namespace: &str, agent: &str) -> String {
    format!("{}/{agent}", agents(namespace))
}

/// A tab of an Agent: `deployments`, `versions`, `configuration`, `logs`, `chat`, `access`, `settings`.
pub fn agent_tab(namespace: &str, name: &str, tab: &str) -> String {
    format!("{}/{tab}", agent(namespace, name))
}

/// One deployment of an Agent.
pub fn deployment(namespace: &str, name: &str, deployment: &str) -> String {
    format!("{}/{deployment}", agent_tab(namespace, name, "deployments"))
}

/// A Namespace's Configurations.
pub fn configurations(namespace: &str) -> String {
    area(namespace, "configurations")
}

/// Creating a Configuration.
pub fn configuration_new(namespace: &str) -> String {
    format!("{}/new", configurations(namespace))
}

/// A Configuration's page.
pub fn configuration(namespace: &str, name: &str) -> String {
    format!("{}/{name}", configurations(namespace))
}

/// A Namespace's Secrets.
pub fn secrets(namespace: &str) -> String {
    area(namespace, "secrets")
}

/// Creating a Secret.
pub fn secret_new(namespace: &str) -> String {
    format!("{}/new", secrets(namespace))
}

/// A Secret's page.
pub fn secret(namespace: &str, name: &str) -> String {
    format!("{}/{name}", secrets(namespace))
}
