//! Every row of an operation: its Agent is arranged, its worker dies; then one fresh worker brings all of them about, what dead workers
//! left under way lands, and the checker judges the whole.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use occ_control::faults::{Moment, Place, Point};
use occ_model::agent::ExecutionMode;
use occ_model::id::{AgentId, TypedId};
use occ_testkit::check::{check, trace::WORKER};
use occ_testkit::faults::victim::{self, Orders, Side};
use occ_testkit::faults::{Process, Served, Stepper, Watcher};
use occ_testkit::history::tenancy::quietly;
use occ_testkit::history::{Stage, Tenancy};
use sqlx::PgPool;
use uuid::Uuid;

use crate::arrange::{Before, Subject};
use crate::table::{Operation, Row};

/// One operation of the matrix.
struct Matrix<'a> {
    operation: Operation,
    stage: &'a Stage,
    tenancy: Tenancy,
    served: Served,
}

/// Plays all rows of an operation in both modes.
pub async fn play(pool: PgPool, operation: Operation) {
    let stage = Stage::new(pool).await.unwrap();
    for mode in [ExecutionMode::Embedded, ExecutionMode::Dedicated] {
        let begun = std::time::Instant::now();
        let tenancy = Tenancy::new(&stage, mode).await.unwrap();
        let served = Served::start(&tenancy.t.target).unwrap();
        let rows = operation.rows();
        let count = rows.len();
        Matrix { operation, stage: &stage, tenancy, served }.rows(rows).await;
        println!("{operation:?} {mode}: {count} rows in {:.1} s", begun.elapsed().as_secs_f64());
    }
}

impl Matrix<'_> {
    async fn rows(mut self, rows: Vec<Row>) {
        let agents = self.arranged(rows.len() + 1).await;
        let (control, subjects) = agents.split_first().unwrap();
        if self.operation != Operation::Watch {
            self.comes_where_the_table_says(*control).await;
        }
        let mut namespaces = Vec::new();
        for (number, (row, agent)) in rows.iter().zip(subjects).enumerate() {
            namespaces.extend(self.row(number, *row, *agent).await);
        }
        self.bring_about().await;
        if self.operation == Operation::GiveUp {
            // Nobody does it any more until somebody asks again.
            for agent in &agents {
                self.subject(*agent).stop(&self.stage.ben).await;
            }
            self.work(quietly()).await;
        }
        self.served.land().await;
        let found = check(&self.tenancy.trace(true).await.unwrap());
        let whose = |text: &str| {
            let rows = rows.iter().zip(subjects).filter(|(_, agent)| text.contains(&agent.uuid().to_string()));
            rows.map(|(row, _)| format!("{row:?}")).collect::<Vec<_>>().join(", ")
        };
        let found: Vec<_> = found.iter().map(|v| format!("[{}] {v}", whose(&v.to_string()))).collect();
        assert!(found.is_empty(), "{:?}:\n{}", self.operation, found.join("\n"));
        if self.operation.serves() {
            for (row, agent) in rows.iter().zip(subjects) {
                assert!(self.tenancy.is_open(*agent), "{:?} {row:?}: it does not serve", self.operation);
            }
        }
        self.settled(&namespaces).await;
        self.tenancy.leave().await.unwrap();
    }

    /// So many Agents, each as the operation needs it.
    async fn arranged(&mut self, count: usize) -> Vec<AgentId> {
        let before = self.operation.before();
        if before == Before::Nothing {
            return vec![self.tenancy.agents[0]; count];
        }
        let mut agents = Vec::new();
        for number in 0..count {
            agents.push(self.tenancy.add(self.stage, &format!("row-{number}")).await.unwrap());
        }
        if before == Before::New {
            return agents;
        }
        for agent in &agents {
            self.subject(*agent).deploy(&self.stage.ada).await;
        }
        self.work(quietly()).await;
        if before == Before::Stopped {
            for agent in &agents {
                self.subject(*agent).stop(&self.stage.ada).await;
            }
            self.work(quietly()).await;
        }
        agents
    }

    fn subject(&self, agent: AgentId) -> Subject<'_> {
        Subject { stage: self.stage, tenancy: &self.tenancy, agent }
    }

    fn pool(&self) -> &PgPool {
        self.tenancy.pool()
    }

    async fn sql(&self, sql: &'static str) {
        sqlx::query(sql).execute(self.pool()).await.unwrap();
    }

    /// A worker of this process, until nothing is due.
    async fn work(&self, watcher: Watcher) {
        let name = format!("{WORKER}-{}", self.stage.number());
        let worker = Process::start(&self.tenancy.t, &name, 8, Stepper::free(watcher)).await.unwrap();
        let stepper = Arc::clone(&worker.stepper);
        self.tenancy
            .until("nothing is due", async || {
                let busy = "SELECT EXISTS (SELECT FROM work WHERE host IS NULL AND (state = 'running'
                             OR (state = 'queued' AND run_after <= clock_timestamp())))";
                let busy: bool = sqlx::query_scalar(busy).fetch_one(self.pool()).await.ok()?;
                (!busy && stepper.looks() > 0).then_some(())
            })
            .await
            .unwrap();
        worker.end().await.unwrap();
    }

    /// Without any death it comes to the places of the table, so often.
    async fn comes_where_the_table_says(&self, agent: AgentId) {
        if self.operation == Operation::StopInSwitch {
            self.left_in_the_switch("localhost", agent).await;
        }
        self.prepared(agent).await;
        let reached: Arc<Mutex<BTreeMap<Place, u32>>> = Arc::default();
        let noted = Arc::clone(&reached);
        let watcher: Watcher = Arc::new(move |point: Point| {
            let counts = if point.place == Place::Claim { Moment::After } else { Moment::Before };
            if point.moment == counts {
                *noted.lock().unwrap_or_else(PoisonError::into_inner).entry(point.place).or_default() += 1;
            }
            std::future::ready(()).boxed()
        });
        self.work(watcher).await;
        self.subject(agent).allow_again(self.operation).await;
        // The look comes by when it does, and live steps come when they come.
        let timed = |place: &Place| matches!(place, Place::NothingDue | Place::Look | Place::Health | Place::Steps);
        let mut reached = reached.lock().unwrap().clone();
        reached.retain(|place, _| !timed(place));
        let table: BTreeMap<_, _> =
            self.operation.places().iter().copied().filter(|(place, _)| !timed(place)).collect();
        assert_eq!(reached, table, "{:?} comes elsewhere than the table says", self.operation);
    }

    /// Asks; what is asked is taken by no other host's worker.
    async fn prepared(&self, agent: AgentId) -> (Option<occ_driver::fake::Gate>, Option<Uuid>) {
        let asked = self.subject(agent).ask(self.operation).await;
        if self.operation == Operation::GiveUp {
            let sql = "UPDATE work SET attempts = 20 WHERE agent_id = $1 AND state = 'queued'";
            sqlx::query(sql).bind(agent.uuid()).execute(self.pool()).await.unwrap();
        }
        asked
    }

    /// One worker dies after T1, and its lease has run out.
    async fn left_in_the_switch(&self, host: &str, agent: AgentId) {
        self.subject(agent).deploy(&self.stage.ada).await;
        self.on_host(host, agent, None).await;
        self.dies(host, Row { place: Place::T1, side: Side::After, time: 1 }).await;
        let sql = "UPDATE work SET lease_until = now() - interval '1 second', host = nullif(host, 'localhost')
                    WHERE agent_id = $1 AND state = 'running'";
        sqlx::query(sql).bind(agent.uuid()).execute(self.pool()).await.unwrap();
    }

    async fn on_host(&self, host: &str, agent: AgentId, namespace: Option<Uuid>) {
        let sql = "UPDATE work SET host = $1 WHERE state IN ('queued', 'running') AND
                     CASE WHEN $3::uuid IS NULL THEN agent_id = $2 ELSE namespace_id = $3 END";
        sqlx::query(sql).bind(host).bind(agent.uuid()).bind(namespace).execute(self.pool()).await.unwrap();
    }

    async fn row(&self, number: usize, row: Row, agent: AgentId) -> Option<Uuid> {
        let host = format!("host-{number}");
        if self.operation == Operation::StopInSwitch {
            self.left_in_the_switch(&host, agent).await;
        }
        let (gate, namespace) = self.prepared(agent).await;
        self.on_host(&host, agent, namespace).await;
        self.dies(&host, row).await;
        if let Some(gate) = gate {
            gate.open();
        }
        self.subject(agent).allow_again(self.operation).await;
        if namespace.is_none() {
            self.park(agent).await;
        }
        namespace
    }

    async fn dies(&self, host: &str, row: Row) {
        let options = self.pool().connect_options();
        let orders = Orders {
            database: options.get_database().unwrap().to_owned(),
            name: format!("{WORKER}-{}", self.stage.number()),
            host: host.to_owned(),
            installation: self.tenancy.t.control.installation,
            socket: self.served.socket().to_owned(),
            place: row.place.name().to_owned(),
            side: row.side,
            time: row.time,
        };
        let died = victim::kill(Path::new(env!("CARGO_BIN_EXE_occ-victim")), &orders).await;
        died.unwrap_or_else(|error| panic!("{:?} {row:?}: {error:#}", self.operation));
    }

    /// Until all are brought about, no look of another row's worker finds this Agent.
    async fn park(&self, agent: AgentId) {
        let sql = "INSERT INTO work (id, kind, key, namespace_id, agent_id, actor_kind, actor_id, actor_name, host)
                   VALUES ($1, 'credential_withdraw', 'parked/' || $2, $3, $2, 'principal', $1, 'parked', 'parked')";
        sqlx::query(sql)
            .bind(Uuid::now_v7())
            .bind(agent.uuid())
            .bind(self.tenancy.namespace.uuid())
            .execute(self.pool())
            .await
            .unwrap();
    }

    /// Every lease has run out, and workers that may do everything come one after the other.
    async fn bring_about(&self) {
        self.sql("DELETE FROM work WHERE host = 'parked'").await;
        for _ in 0..3 {
            self.sql("UPDATE work SET lease_until = now() - interval '1 second' WHERE state = 'running'").await;
            self.sql(
                "UPDATE work SET host = NULL, run_after = least(run_after, now()) WHERE state IN ('queued', 'running')",
            )
            .await;
            self.sql("UPDATE work SET finished_at = finished_at - interval '1 hour' WHERE finished_at IS NOT NULL")
                .await;
            self.work(quietly()).await;
        }
    }

    async fn settled(&self, namespaces: &[Uuid]) {
        let wanted = match self.operation {
            Operation::EnsureNamespace => "ready",
            _ => "gone",
        };
        for namespace in namespaces {
            let sql = "SELECT CASE WHEN deleted_at IS NULL THEN status ELSE 'gone' END FROM namespace WHERE id = $1";
            let status: String = sqlx::query_scalar(sql).bind(namespace).fetch_one(self.pool()).await.unwrap();
            assert_eq!(status, wanted, "{namespace}");
            let there = self.tenancy.t.target.has_namespace(TypedId::from_uuid(*namespace));
            assert_eq!(there, wanted == "ready", "{namespace} on the target");
        }
    }
}

/// One test an operation: they run side by side, each in a database of its own.
macro_rules! operations {
    ($($operation:ident by fn $name:ident(),)+) => {$(
        #[sqlx::test(migrator = "occ_store::MIGRATIONS")]
        async fn $name(pool: PgPool) {
            play(pool, Operation::$operation).await;
        }
    )+

        #[test]
        fn every_operation_is_played() {
            let played = [$(Operation::$operation,)+];
            assert!(crate::table::TABLE.iter().all(|(operation, _)| played.contains(operation)));
        }
    };
}

operations! {
    First by fn i1_i2_i4_a_first_deployment(),
    Replace by fn i1_i2_i4_i9_a_replacement(),
    Rollback by fn i1_i9_a_rollback(),
    Restart by fn i1_i4_a_restart(),
    Stop by fn i2_i4_a_stop(),
    Start by fn i1_i2_a_start(),
    Delete by fn i7_i14_a_deletion(),
    Restore by fn i1_i5_a_restoration(),
    Reopen by fn i2_a_door_reopened(),
    Health by fn i3_another_health(),
    TurnBack by fn i8_turning_back(),
    TurnBackHard by fn i8_turning_back_hard(),
    NoWayBack by fn i8_no_way_back(),
    Reject by fn i8_i9_a_rejection(),
    Deny by fn i5_a_denial(),
    TakeBack by fn i5_a_stop_taken_back(),
    StopInSwitch by fn i2_a_stop_in_the_switch(),
    StopUndone by fn i4_a_stop_undone(),
    Defer by fn i4_a_deferral(),
    Retry by fn i17_another_try(),
    GiveUp by fn i3_giving_up(),
    Watch by fn i4_live_steps(),
    Withdraw by fn i3_a_withdrawal(),
    EnsureNamespace by fn i7_a_namespace_made(),
    DeleteNamespace by fn i14_a_namespace_deleted(),
}
