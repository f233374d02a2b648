//! Secrets: list, create, a new value, who uses them and who still holds an old value.

mod detail;
mod list;
mod new;
mod settings;

pub use detail::SecretDetail;
pub use list::SecretList;
pub use new::SecretNew;
