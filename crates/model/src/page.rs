//! Lists: keyset pages with an opaque cursor.

use serde::{Deserialize, Serialize};

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The items the caller may read, in order.
    pub items: Vec<T>,
    /// Where the next page starts; `null` at the end. Opaque, signed, bound to caller and filters.
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// The same page with each item mapped.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next_cursor: self.next_cursor }
    }
}

/// What a list may be asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[serde(rename_all = "camelCase")]
pub struct ListQuery {
    /// 1 to 200 items; 50 when absent.
    pub limit: Option<u16>,
    /// The `nextCursor` of the page before.
    pub cursor: Option<String>,
    /// `key=value,key2!=value2,key3`.
    pub label_selector: Option<String>,
    /// Only names that start so.
    pub name: Option<String>,
    /// `name` (default), `-name`, `createdAt`, `-createdAt`.
    pub sort: Option<String>,
}
