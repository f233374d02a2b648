//! Namespaces: list, create, one of them with its settings.

mod detail;
mod list;
mod new;
mod settings;

pub use detail::NamespaceDetail;
pub use list::NamespaceList;
pub use new::NamespaceNew;
