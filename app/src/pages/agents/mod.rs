//! Agents: list, guided creation, and one of them with its tabs.

mod access;
mod actions;
mod admission;
mod chat;
mod configuration;
mod deployment;
mod deployments;
mod frame;
mod list;
mod logs;
mod new;
mod overview;
mod settings;
mod versions;

pub use access::AgentAccess;
pub use chat::AgentChat;
pub use configuration::AgentConfiguration;
pub use deployment::AgentDeployment;
pub use deployments::AgentDeployments;
pub use frame::AgentFrame;
pub use list::AgentList;
pub use logs::AgentLogs;
pub use new::AgentNew;
pub use overview::AgentOverview;
pub use settings::AgentSettings;
pub use versions::AgentVersions;
