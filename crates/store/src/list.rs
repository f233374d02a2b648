//! Lists: filter by the caller's grants, then by what was asked, then the page. One shape for every kind with a name.

use occ_model::id::{NamespaceId, TypedId};
use occ_policy::ListScope;
use sqlx::QueryBuilder;
use sqlx::postgres::Postgres;
use uuid::Uuid;

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// By name.
    Name,
    /// By time of creation.
    CreatedAt,
}

/// Where a page starts: after this key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    /// After this name (names are unique in the scope).
    Name(String),
    /// After this time (microseconds since the Unix epoch) and id.
    CreatedAt(i64, Uuid),
}

impl After {
    /// After a row of this time and id, exact to the microseconds that PostgreSQL keeps.
    pub fn created_at(at: time::OffsetDateTime, id: Uuid) -> Self {
        Self::CreatedAt(i64::try_from(at.unix_timestamp_nanos() / 1_000).unwrap_or(i64::MAX), id)
    }
}

/// One term of a label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelTerm {
    /// `key=value`
    Equals(String, String),
    /// `key!=value`: another value, or no such label.
    Differs(String, String),
    /// `key`
    Exists(String),
    /// `!key`
    Absent(String),
}

/// A parsed list request.
#[derive(Clone, Debug)]
pub struct ListSpec {
    /// 1..=200.
    pub limit: u16,
    /// Where it starts.
    pub after: Option<After>,
    /// Only names that start so.
    pub name_prefix: Option<String>,
    /// Label selector, all terms must hold.
    pub labels: Vec<LabelTerm>,
    /// Order.
    pub sort: Sort,
    /// Backwards.
    pub descending: bool,
}

impl ListSpec {
    /// Adds `AND …` for scope, filters and keyset, then the order and `LIMIT limit + 1` (the one more says whether a page
    /// follows). `t` is the table's alias; the kind of `namespace` itself sets `own` (its id is its Namespace).
    pub fn push(&self, query: &mut QueryBuilder<Postgres>, t: &'static str, scope: &ListScope, own: bool) {
        let namespace = if own { "id" } else { "namespace_id" };
        push_scope(query, t, namespace, scope);
        if let Some(prefix) = &self.name_prefix {
            query.push(format!(" AND starts_with({t}.name, ")).push_bind(prefix.clone()).push(")");
        }
        for term in &self.labels {
            push_label(query, t, term);
        }
        match self.sort {
            Sort::Name => self.push_by_name(query, t),
            Sort::CreatedAt => self.push_by_time(query, t),
        }
    }

    /// Adds the order alone: for rows that were cut into a page before.
    pub fn push_order(&self, query: &mut QueryBuilder<Postgres>, t: &'static str) {
        let (_, order) = self.direction();
        match self.sort {
            Sort::Name => query.push(format!(" ORDER BY {t}.name {order}")),
            Sort::CreatedAt => query.push(format!(" ORDER BY {t}.created_at {order}, {t}.id {order}")),
        };
    }

    fn push_by_name(&self, query: &mut QueryBuilder<Postgres>, t: &'static str) {
        let (more, order) = self.direction();
        if let Some(After::Name(name)) = &self.after {
            query.push(format!(" AND {t}.name {more} ")).push_bind(name.clone());
        }
        query.push(format!(" ORDER BY {t}.name {order}"));
        self.push_limit(query);
    }

    /// Adds the keyset page by time of creation alone: for kinds without a name of their own, whose scope the caller has decided.
    pub fn push_by_time(&self, query: &mut QueryBuilder<Postgres>, t: &'static str) {
        let (more, order) = self.direction();
        if let Some(After::CreatedAt(micros, id)) = &self.after {
            query
                .push(format!(" AND ({t}.created_at, {t}.id) {more} ('epoch'::timestamptz + "))
                .push_bind(*micros)
                .push(" * interval '1 microsecond', ")
                .push_bind(*id)
                .push(")");
        }
        query.push(format!(" ORDER BY {t}.created_at {order}, {t}.id {order}"));
        self.push_limit(query);
    }

    fn direction(&self) -> (&'static str, &'static str) {
        if self.descending { ("<", "DESC") } else { (">", "ASC") }
    }

    fn push_limit(&self, query: &mut QueryBuilder<Postgres>) {
        query.push(" LIMIT ").push_bind(i64::from(self.limit) + 1);
    }
}

/// Adds the filter of what the caller may read (I16).
pub fn push_scope(query: &mut QueryBuilder<Postgres>, t: &'static str, namespace: &'static str, scope: &ListScope) {
    let except = match scope {
        ListScope::None => {
            query.push(" AND false");
            return;
        }
        ListScope::All { except } => except,
        ListScope::Some { namespaces, ids, except } if namespaces.is_empty() => {
            // From the ids to the rows: in the order of the names it would go past every row that is not to be shown.
            query.push(format!(" AND {t}.id IN (SELECT unnest(")).push_bind(ids.clone()).push("::uuid[]))");
            except
        }
        ListScope::Some { namespaces, ids, except } => {
            query
                .push(format!(" AND ({t}.{namespace} = ANY("))
                .push_bind(uuids(namespaces))
                .push(format!(") OR {t}.id = ANY("))
                .push_bind(ids.clone())
                .push("))");
            except
        }
    };
    if !except.is_empty() {
        // What belongs to no Namespace is in none of the excepted ones.
        query.push(format!(" AND ({t}.{namespace} <> ALL(")).push_bind(uuids(except));
        query.push(format!(") OR {t}.{namespace} IS NULL)"));
    }
}

fn push_label(query: &mut QueryBuilder<Postgres>, t: &'static str, term: &LabelTerm) {
    match term {
        LabelTerm::Equals(key, value) => {
            query.push(format!(" AND {t}.labels ->> ")).push_bind(key.clone()).push(" = ").push_bind(value.clone())
        }
        LabelTerm::Differs(key, value) => query
            .push(format!(" AND {t}.labels ->> "))
            .push_bind(key.clone())
            .push(" IS DISTINCT FROM ")
            .push_bind(value.clone()),
        LabelTerm::Exists(key) => query.push(format!(" AND {t}.labels ? ")).push_bind(key.clone()),
        LabelTerm::Absent(key) => query.push(format!(" AND NOT {t}.labels ? ")).push_bind(key.clone()),
    };
}

fn uuids(ids: &[NamespaceId]) -> Vec<Uuid> {
    ids.iter().map(|id| id.uuid()).collect()
}
