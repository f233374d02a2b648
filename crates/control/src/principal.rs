//! People who are enrolled.

use occ_model::access::Principal;
use occ_model::operation;
use occ_model::page::{ListQuery, Page};
use occ_store::principal as store;

use crate::context::Cx;
use crate::error::Result;
use crate::{access_change, cursor};

/// People that the caller may read, newest first.
pub async fn list(cx: &Cx, query: &ListQuery) -> Result<Page<Principal>> {
    let operation = &operation::PRINCIPAL_LIST;
    let (query, spec) = cursor::by_time(cx, operation.id, query)?;
    let scope = access_change::listing(cx, operation).await?;
    let rows = store::list(&mut cx.read().await?, &spec, &scope).await?;
    let (rows, next_cursor) = cursor::page(cx, operation.id, &query, &spec, rows, store::PrincipalRow::after)?;
    Ok(Page { items: rows.into_iter().map(|row| row.view).collect(), next_cursor })
}
