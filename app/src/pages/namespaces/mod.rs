//! Namespaces: list, create, one of them.

mod detail;
mod list;
mod new;

pub use detail::NamespaceDetail;
pub use list::NamespaceList;
pub use new::NamespaceNew;
