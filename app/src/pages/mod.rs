//! The pages, one file (or folder) each.

mod account;
mod agents;
mod configurations;
mod filter;
mod gallery;
mod home;
mod namespaces;
mod not_found;
mod operations;
mod paging;
mod params;
mod secrets;
mod sign_in;
mod texts;

pub use account::Account;
pub use agents::*;
pub use configurations::{ConfigurationEdit, ConfigurationHistory, ConfigurationList, ConfigurationNew};
pub use gallery::Gallery;
pub use home::Home;
pub use namespaces::{NamespaceDetail, NamespaceList, NamespaceNew};
pub use not_found::NotFound;
pub use operations::Operations;
pub use secrets::{SecretDetail, SecretList, SecretNew};
pub use sign_in::{SignIn, SignInLink};
