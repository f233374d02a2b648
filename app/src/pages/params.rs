//! The names in a page's address.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

/// A segment of the address, empty where the route has none.
pub fn param(name: &'static str) -> Memo<String> {
    let params = use_params_map();
    Memo::new(move |_| params.with(|params| params.get(name).unwrap_or_default()))
}

/// The Namespace of the address.
pub fn namespace_param() -> Memo<String> {
    param("namespace")
}

/// A parameter of the query, empty where it is missing.
pub fn query(name: &'static str) -> Memo<String> {
    let query = use_query_map();
    Memo::new(move |_| query.with(|query| query.get(name).unwrap_or_default()))
}

/// `None` for an empty text.
pub fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Reads a field's text as `T`; an empty optional field is `None`, a text that breaks its rule is its rule.
pub fn optional<T: std::str::FromStr>(text: &str) -> Result<Option<T>, T::Err> {
    filled(text).map(|text| text.parse()).transpose()
}
