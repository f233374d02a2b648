//! Playing a schedule, and judging it.

use std::sync::Arc;

use anyhow::{Context, Result};
use futures::FutureExt as _;
use occ_driver::fake::{Fault, Method, Rule as Scripted};
use occ_model::agent::{ExecutionMode, RouteState};
use occ_model::failure::FailureCode;
use occ_model::id::RevisionId;
use occ_model::reference::Selector;

use super::schedule::{Mishap, Rule, Schedule, Step, Trouble};
use super::stage::Stage;
use super::tenancy::{SECRET, Tenancy, allow};
use crate::check::{Violation, check};
use crate::faults::{Process, Stepper, Watcher};
use crate::workload;
use occ_control::WriteOptions;

/// Fresh workers may be needed so often until all is quiet: each one looks once, and restores what it finds.
const ROUNDS: usize = 6;

/// Plays it in a Namespace of its own, and answers every violation. An error is a fault of the play itself, or of the platform's doors.
pub async fn run(stage: &Stage, schedule: &Schedule) -> Result<Vec<Violation>> {
    let mode = if schedule.dedicated { ExecutionMode::Dedicated } else { ExecutionMode::Embedded };
    let tenancy = Arc::new(Tenancy::new(stage, mode).await?);
    let mut play = Play { stage, watcher: watcher(&tenancy), tenancy, worker: None, sleepers: Vec::new(), workers: 0 };
    let found = match Box::pin(play.steps(&schedule.steps)).await {
        Ok(found) if found.is_empty() => Box::pin(play.settle_all()).await,
        other => other,
    };
    // Whatever became of it: the next history is alone in this database.
    play.leave().await?;
    found
}

struct Play<'a> {
    stage: &'a Stage,
    tenancy: Arc<Tenancy>,
    watcher: Watcher,
    worker: Option<Process>,
    sleepers: Vec<Process>,
    workers: u64,
}

/// At each point somebody tries every revision that was ever made at the doors of both Agents: a steady stream of turns.
fn watcher(tenancy: &Arc<Tenancy>) -> Watcher {
    let weak = Arc::downgrade(tenancy);
    Arc::new(move |_| {
        let Some(tenancy) = weak.upgrade() else { return std::future::ready(()).boxed() };
        async move { tenancy.knock().await }.boxed()
    })
}

impl Play<'_> {
    async fn steps(&mut self, steps: &[Step]) -> Result<Vec<Violation>> {
        for step in steps {
            Box::pin(self.step(*step)).await?;
            if matches!(step, Step::Settle) {
                let found = check(&self.tenancy.trace(false).await?);
                if !found.is_empty() {
                    return Ok(found);
                }
            }
        }
        Ok(Vec::new())
    }

    async fn step(&mut self, step: Step) -> Result<()> {
        let tenancy = Arc::clone(&self.tenancy);
        match step {
            Step::Ask(who, ask, which, twice) => {
                Box::pin(tenancy.ask(self.stage, who, ask, which, twice)).await?;
                self.tell();
            }
            Step::Run(points) => {
                let worker = self.worker().await?;
                worker.stepper.allow(u64::from(points));
                let stepper = Arc::clone(&worker.stepper);
                self.quiet(&stepper).await?;
                tenancy.talk(self.stage).await;
            }
            Step::Settle => {
                let worker = self.worker().await?;
                worker.stepper.release();
                let stepper = Arc::clone(&worker.stepper);
                tenancy.hasten().await?;
                self.tell();
                self.quiet(&stepper).await?;
                stepper.hold();
                tenancy.talk(self.stage).await;
            }
            Step::Kill => {
                if let Some(worker) = self.worker.take() {
                    worker.kill().await;
                    tenancy.expire_leases().await?;
                }
            }
            Step::Pause => {
                if let Some(worker) = self.worker.take() {
                    worker.stepper.sleep().await;
                    tenancy.expire_leases().await?;
                    self.sleepers.push(worker);
                }
            }
            Step::Wake => {
                for sleeper in std::mem::take(&mut self.sleepers) {
                    sleeper.end().await?;
                }
            }
            Step::Jump(minutes) => tenancy.jump(minutes).await?,
            Step::Trouble(trouble) => {
                for rule in script(trouble) {
                    tenancy.t.target.rule(rule);
                }
            }
            Step::Mishap(mishap) => self.mishap(mishap),
            Step::Policy(rule) => self.policy(rule).await?,
        }
        Ok(())
    }

    fn mishap(&self, mishap: Mishap) {
        let target = &self.tenancy.t.target;
        let first = self.tenancy.key(self.tenancy.agents[0]);
        match mishap {
            Mishap::Reboot => {
                for agent in &self.tenancy.agents {
                    target.kill(self.tenancy.key(*agent), FailureCode::GatewayCrashloop);
                }
            }
            Mishap::FirstDies => target.kill(first, FailureCode::GatewayCrashloop),
            Mishap::FirstShuts => target.tamper_route(first, RouteState::Closed),
        }
    }

    async fn policy(&self, rule: Rule) -> Result<()> {
        let (t, namespace) = (&self.tenancy.t, self.tenancy.namespace);
        let first = self.tenancy.agents[0];
        match rule {
            Rule::TakeAda => t.unbind(self.stage.ada.identity).await?,
            Rule::GiveAda => {
                t.unbind(self.stage.ada.identity).await?;
                allow(t, &self.stage.ada, namespace).await?;
            }
            Rule::TakeGrant => t.unbind(workload(first)).await?,
            Rule::GiveGrant => {
                let of = Selector::Id(first);
                let ns = Selector::Id(namespace);
                // Refused where the Agent is gone.
                let _granted =
                    occ_control::secret::grant(&t.admin(), &ns, &SECRET.parse()?, &of, &WriteOptions::default()).await;
            }
            Rule::Stir => {
                let binding = t.bind_exact(workload(self.tenancy.bystander), "viewer", Some(namespace), None).await;
                if binding.is_err() {
                    t.unbind(workload(occ_model::id::AgentId::new())).await?;
                }
            }
        }
        self.tell();
        Ok(())
    }

    /// The worker, standing, if none is at work.
    async fn worker(&mut self) -> Result<&Process> {
        let worker = if let Some(worker) = self.worker.take() {
            worker
        } else {
            self.workers += 1;
            let stepper = Stepper::standing(Arc::clone(&self.watcher));
            Process::start(&self.tenancy.t, &format!("worker-{}", self.workers), 2, stepper).await?
        };
        Ok(self.worker.insert(worker))
    }

    /// Processes hear of commits elsewhere.
    fn tell(&self) {
        for process in self.worker.iter().chain(&self.sleepers) {
            process.control.wake.heard();
        }
    }

    /// Waits until the worker stands, or has nothing to do.
    async fn quiet(&self, stepper: &Stepper) -> Result<()> {
        self.tenancy
            .until("the worker stands or is idle", async || {
                if stepper.stands() {
                    return Some(());
                }
                let busy = self.tenancy.is_busy().await.ok()?;
                (!busy && stepper.looks() > 0).then_some(())
            })
            .await
            .with_context(|| format!("the worker: {stepper:?}"))
    }

    /// Everybody wakes up, the script is over, and fresh workers come until nothing changes any more. Then all of it is judged.
    async fn settle_all(&mut self) -> Result<Vec<Violation>> {
        Box::pin(self.step(Step::Wake)).await?;
        Box::pin(self.step(Step::Kill)).await?;
        self.tenancy.t.target.forget_rules();
        let mut found = Vec::new();
        for _ in 0..ROUNDS {
            self.tenancy.expire_leases().await?;
            self.tenancy.hasten().await?;
            self.workers += 1;
            let stepper = Stepper::free(Arc::clone(&self.watcher));
            let worker = Process::start(&self.tenancy.t, &format!("worker-{}", self.workers), 2, stepper).await?;
            let stepper = Arc::clone(&worker.stepper);
            self.quiet(&stepper).await?;
            self.tenancy.talk(self.stage).await;
            worker.end().await?;
            found = check(&self.tenancy.trace(true).await?);
            // What has not come about yet may need another look; what is violated stays so.
            if found.iter().all(|violation| violation.invariant != "SETTLED") {
                break;
            }
        }
        Ok(found)
    }

    async fn leave(self) -> Result<()> {
        for process in self.sleepers.into_iter().chain(self.worker) {
            process.kill().await;
        }
        drop(self.watcher);
        match Arc::try_unwrap(self.tenancy) {
            Ok(tenancy) => tenancy.leave().await,
            Err(_) => anyhow::bail!("somebody still holds the Namespace of a history"),
        }
    }
}

fn script(trouble: Trouble) -> Vec<Scripted> {
    let fails = || Fault::Fail(FailureCode::GatewayCrashloop);
    let one = |method, fault| vec![Scripted::new(method, fault)];
    let lost = |method| vec![Scripted::new(method, Fault::Unavailable).after()];
    match trouble {
        Trouble::PrepareFails => one(Method::Prepare, Fault::Fail(FailureCode::ConfigurationRejectedByRuntime)),
        Trouble::PrepareLost => one(Method::Prepare, Fault::Unavailable),
        Trouble::PrepareAnswerLost => lost(Method::Prepare),
        Trouble::PreparePending => one(Method::Prepare, Fault::Pending),
        Trouble::ActivateFails => one(Method::Activate, fails()),
        Trouble::ActivateAnswerLost => lost(Method::Activate),
        Trouble::ActivateFault => one(Method::Activate, Fault::Fault),
        Trouble::ActivateFailsTwice => vec![Scripted::new(Method::Activate, fails()).times(2)],
        Trouble::ActivateFailsThrice => vec![Scripted::new(Method::Activate, fails()).times(3)],
        Trouble::OpenLost => one(Method::OpenRoute, Fault::Unavailable),
        Trouble::OpenAnswerLost => lost(Method::OpenRoute),
        Trouble::StopLost => one(Method::Stop, Fault::Unavailable),
        Trouble::StopAnswerLost => lost(Method::Stop),
        Trouble::RetireFault => one(Method::Retire, Fault::Fault),
        Trouble::ObserveLost => one(Method::Observe, Fault::Unavailable),
        Trouble::DeleteAnswerLost => lost(Method::DeleteAgent),
    }
}

/// Revisions that were ever made for an Agent, as the target's history has them.
pub(super) fn made(tenancy: &Tenancy) -> Vec<(occ_model::id::AgentId, RevisionId)> {
    use occ_driver::fake::{About, Happened};
    let mut all: Vec<_> = tenancy
        .t
        .target
        .history()
        .iter()
        .filter_map(|event| match (event.about, event.what) {
            (About::Agent(key), Happened::Placed(revision)) if key.agent != tenancy.bystander => {
                Some((key.agent, revision))
            }
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}
