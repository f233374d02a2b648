//! A page of fifty Agents for a caller with 10,000 exact grants, in Namespaces of 1,000, 10,000 and 100,000 Agents: flat, or it is no
//! page but a scan. The reference is the same page for a caller who may read the whole Namespace.
//!
//! Where the Namespace is larger than the grants, they are on its last Agents by name: whoever looks through all of them in order has
//! the longest way to the first that may be shown.

use std::time::Instant;

use anyhow::ensure;
use occ_control::agent;
use occ_model::id::{AgentId, BindingId, ConfigurationId, NamespaceId, TypedId};
use occ_model::identity::{Actor, Identity};
use occ_model::page::ListQuery;
use occ_model::reference::Selector;
use occ_testkit::TestControl;
use sqlx::PgPool;

use crate::context::Context;
use crate::database::Database;
use crate::figure::{Figure, Goal, Report};
use crate::samples::Samples;

const NAME: &str = "pages";
const GRANTS: usize = 10_000;

/// Measures.
pub async fn run(context: &Context, report: &mut Report) -> anyhow::Result<()> {
    let database = Database::start(&context.dir.join("pg-pages")).await?;
    let sizes: &[usize] = if context.quick { &[200, 400] } else { &[1_000, 10_000, 100_000] };
    let grants = context.amount(GRANTS, 200);
    for size in sizes {
        let pool = database.fresh().await?;
        let control = TestControl::new(pool.clone()).await?;
        let (namespace, exact, whole) = people(&control, &pool, *size, grants).await?;
        database.tidy().await?;
        let ours = pages(&control, &exact, namespace, context.amount(400, 10), (*size).min(grants)).await?;
        let reference = pages(&control, &whole, namespace, context.amount(400, 10), *size).await?;
        for (percent, goal) in [(50.0, None), (99.0, Some(Goal::AtMost(50.0)))] {
            let what = format!("50 of {size} Agents, {grants} exact grants, p{percent}");
            let mut figure =
                Figure::new(NAME, what, ours.ms(percent), "ms").beside("may read all", reference.ms(percent));
            figure.goal = goal;
            report.add(figure);
        }
        let first = first(&control, &exact, namespace, context.amount(200, 5)).await?;
        let whole_first = self::first(&control, &whole, namespace, context.amount(200, 5)).await?;
        report.add(
            Figure::new(NAME, format!("the first 50 of {size}, p99"), first.ms(99.0), "ms")
                .beside("may read all", whole_first.ms(99.0))
                .goal(Goal::AtMost(50.0)),
        );
        let cold = cold(&control, &exact, namespace).await?;
        report.add(Figure::new(NAME, format!("the first page after the policy moved, {size} Agents"), cold, "ms"));
    }
    database.stop().await
}

/// Pages one after the other from the first on, as somebody who pages through; again from the first at the end. All of them together
/// must show what may be seen and nothing twice.
async fn pages(
    control: &TestControl,
    who: &Actor,
    namespace: NamespaceId,
    tries: usize,
    visible: usize,
) -> anyhow::Result<Samples> {
    let (mut times, mut query, mut seen) = (Samples::default(), ListQuery::default(), 0);
    for _ in 0..tries {
        let begun = Instant::now();
        let page = agent::list(&control.cx(who), &Selector::Id(namespace), &query).await?;
        times.push(begun.elapsed());
        seen += page.items.len();
        if page.next_cursor.is_none() {
            ensure!(seen == visible, "{seen} Agents were shown of {visible}");
            seen = 0;
        } else {
            ensure!(page.items.len() == 50, "a short page before the last");
        }
        query.cursor = page.next_cursor;
    }
    Ok(times)
}

/// The first page again and again: it has the longest way where rows are looked through in the order of their names.
async fn first(control: &TestControl, who: &Actor, namespace: NamespaceId, tries: usize) -> anyhow::Result<Samples> {
    let mut times = Samples::default();
    for _ in 0..tries {
        let begun = Instant::now();
        agent::list(&control.cx(who), &Selector::Id(namespace), &ListQuery::default()).await?;
        times.push(begun.elapsed());
    }
    Ok(times)
}

/// The facts of the caller are read anew.
async fn cold(control: &TestControl, who: &Actor, namespace: NamespaceId) -> anyhow::Result<f64> {
    let mut times = Samples::default();
    for _ in 0..5 {
        sqlx::query("UPDATE policy SET epoch = epoch + 1").execute(control.control.store.pool()).await?;
        let begun = Instant::now();
        agent::list(&control.cx(who), &Selector::Id(namespace), &ListQuery::default()).await?;
        times.push(begun.elapsed());
    }
    Ok(times.ms(50.0))
}

/// A Namespace with so many Agents, somebody with exact grants on its last ones (and on Agents elsewhere, if it has too few), and
/// somebody who may read all of it.
async fn people(
    control: &TestControl,
    pool: &PgPool,
    size: usize,
    grants: usize,
) -> anyhow::Result<(NamespaceId, Actor, Actor)> {
    let here = control.tenant("here").await?.namespace.id;
    let elsewhere = control.tenant("elsewhere").await?.namespace.id;
    let mut granted = agents(pool, here, size).await?.split_off(size - size.min(grants));
    granted.extend(agents(pool, elsewhere, grants - granted.len()).await?);
    let exact = control.person("Exact").await?;
    bind(pool, exact.identity, &granted).await?;
    let whole = control.person("Whole").await?;
    control.bind(&whole, "viewer", Some(here)).await?;
    Ok((here, exact, whole))
}

/// Agents by name, with their references, as rows.
async fn agents(pool: &PgPool, namespace: NamespaceId, count: usize) -> anyhow::Result<Vec<AgentId>> {
    let ids: Vec<AgentId> = (0..count).map(|_| AgentId::new()).collect();
    let configuration = ConfigurationId::new();
    sqlx::query("INSERT INTO configuration (id, namespace_id, name, kind) VALUES ($1, $2, 'shared', 'agent')")
        .bind(configuration.uuid())
        .bind(namespace.uuid())
        .execute(pool)
        .await?;
    sqlx::query(
        "WITH made AS (
            INSERT INTO agent (id, namespace_id, name, execution_mode, harness_provider)
            SELECT id, $2, 'agent-' || lpad(n::text, 7, '0'), 'embedded', 'testmodel' FROM unnest($1::uuid[]) WITH ORDINALITY AS t (id, n)
            RETURNING id)
         INSERT INTO reference (from_kind, from_id, to_kind, to_id, role)
         SELECT 'agent', id, 'configuration', $3, 'configuration' FROM made",
    )
    .bind(ids.iter().map(|id| id.uuid()).collect::<Vec<_>>())
    .bind(namespace.uuid())
    .bind(configuration.uuid())
    .execute(pool)
    .await?;
    Ok(ids)
}

async fn bind(pool: &PgPool, who: Identity, agents: &[AgentId]) -> anyhow::Result<()> {
    sqlx::query(
        "INSERT INTO access_binding (id, subject_kind, subject_id, role_id, namespace_id, resource_kind, resource_id, resource_name)
         SELECT t.id, $3, $4, r.id, a.namespace_id, 'agent', a.id, a.name
           FROM unnest($1::uuid[], $2::uuid[]) AS t (id, agent)
           JOIN agent a ON a.id = t.agent JOIN role r ON r.name = 'viewer' AND r.built_in",
    )
    .bind(agents.iter().map(|_| BindingId::new().uuid()).collect::<Vec<_>>())
    .bind(agents.iter().map(|id| id.uuid()).collect::<Vec<_>>())
    .bind(who.kind().as_str())
    .bind(who.uuid())
    .execute(pool)
    .await?;
    sqlx::query("UPDATE policy SET epoch = epoch + 1").execute(pool).await?;
    Ok(())
}
