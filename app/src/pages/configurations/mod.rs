//! Configurations: list, create, edit with problems at their places, generations and what differs between them.

mod bindings;
mod document;
mod edit;
mod history;
mod list;
mod new;

pub use edit::ConfigurationEdit;
pub use history::ConfigurationHistory;
pub use list::ConfigurationList;
pub use new::ConfigurationNew;
