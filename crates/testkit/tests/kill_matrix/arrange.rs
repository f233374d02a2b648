//! What an operation needs before it, and what is asked then.

use occ_control::{WriteOptions, deploy, lifecycle, namespace, rollback};
use occ_driver::fake::{Fault, Gate, Method, Rule};
use occ_model::agent::{Rollback, RouteState};
use occ_model::deployment::DeployOutcome;
use occ_model::failure::FailureCode;
use occ_model::id::{AgentId, NamespaceId, RevisionId, TypedId};
use occ_model::identity::Actor;
use occ_model::name::Labels;
use occ_model::namespace::{CreateNamespace, Quotas};
use occ_model::reference::Selector;
use occ_model::work::WorkKind;
use occ_testkit::history::tenancy::allow;
use occ_testkit::history::{Stage, Tenancy};
use occ_work::NewWork;
use uuid::Uuid;

use crate::table::Operation;

/// How the Agent stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    New,
    Serving,
    Stopped,
    /// There is none: the operation is about a Namespace.
    Nothing,
}

impl Operation {
    pub fn before(self) -> Before {
        match self {
            Self::First | Self::NoWayBack | Self::Reject | Self::Deny | Self::Defer | Self::Retry | Self::Watch => {
                Before::New
            }
            Self::Start => Before::Stopped,
            Self::EnsureNamespace | Self::DeleteNamespace => Before::Nothing,
            _ => Before::Serving,
        }
    }

    /// In the end it serves. A stop that was not denied before its worker died is done by the next one.
    pub fn serves(self) -> bool {
        !matches!(
            self,
            Self::Stop
                | Self::Delete
                | Self::NoWayBack
                | Self::Reject
                | Self::Deny
                | Self::TakeBack
                | Self::StopInSwitch
                | Self::GiveUp
                | Self::EnsureNamespace
                | Self::DeleteNamespace
        )
    }
}

/// One subject of the matrix.
pub struct Subject<'a> {
    pub stage: &'a Stage,
    pub tenancy: &'a Tenancy,
    pub agent: AgentId,
}

fn plain() -> WriteOptions {
    WriteOptions::default()
}

fn fails(revision: RevisionId, method: Method, code: FailureCode) -> Rule {
    Rule::new(method, Fault::Fail(code)).of(revision)
}

impl Subject<'_> {
    fn ns(&self) -> Selector<NamespaceId> {
        Selector::Id(self.tenancy.namespace)
    }

    fn of(&self) -> Selector<AgentId> {
        Selector::Id(self.agent)
    }

    pub async fn deploy(&self, who: &Actor) -> RevisionId {
        match deploy::deploy(&self.tenancy.t.cx(who), &self.ns(), &self.of(), &plain()).await.unwrap() {
            DeployOutcome::Admitted(made) => made.revision.id,
            DeployOutcome::Report(report) => panic!("{report:?}"),
        }
    }

    pub async fn stop(&self, who: &Actor) {
        lifecycle::stop(&self.tenancy.t.cx(who), &self.ns(), &self.of(), &plain()).await.unwrap();
    }

    fn active(&self) -> RevisionId {
        self.tenancy.t.target.seen(self.tenancy.key(self.agent)).and_then(|seen| seen.running).unwrap()
    }

    /// Asks for the operation, and scripts what the target does wrong in it. Answers the gate that it is to be watched at, and the
    /// Namespace that it is about, where it is about one of its own.
    pub async fn ask(&self, operation: Operation) -> (Option<Gate>, Option<Uuid>) {
        let (t, target) = (&self.tenancy.t, &self.tenancy.t.target);
        let (ada, ben) = (&self.stage.ada, &self.stage.ben);
        let key = self.tenancy.key(self.agent);
        let cx = t.cx(ada);
        match operation {
            Operation::First | Operation::Replace => {
                self.deploy(ada).await;
            }
            Operation::Rollback => {
                rollback::rollback(&cx, &self.ns(), &self.of(), Rollback { revision: 1 }, &plain()).await.unwrap();
            }
            Operation::Restart => {
                lifecycle::restart(&cx, &self.ns(), &self.of(), &plain()).await.unwrap();
            }
            Operation::Start => {
                lifecycle::start(&cx, &self.ns(), &self.of(), &plain()).await.unwrap();
            }
            Operation::Stop | Operation::GiveUp => self.stop(ada).await,
            Operation::Delete => {
                lifecycle::delete(&cx, &self.ns(), &self.of(), &plain()).await.unwrap();
            }
            Operation::Restore => target.kill(key, FailureCode::GatewayCrashloop),
            Operation::Reopen => target.tamper_route(key, RouteState::Closed),
            Operation::Health => target.degrade(key, Some(FailureCode::ChannelsSuppressed)),
            Operation::TurnBack | Operation::NoWayBack => {
                let candidate = self.deploy(ada).await;
                target.rule(fails(candidate, Method::Activate, FailureCode::GatewayCrashloop).always());
            }
            Operation::TurnBackHard => {
                let before = self.active();
                let candidate = self.deploy(ada).await;
                target.rule(fails(candidate, Method::Activate, FailureCode::GatewayCrashloop).always());
                target.rule(fails(before, Method::Activate, FailureCode::GatewayUnready));
            }
            Operation::Reject => {
                let candidate = self.deploy(ada).await;
                let code = FailureCode::ConfigurationRejectedByRuntime;
                target.rule(fails(candidate, Method::Prepare, code).always());
            }
            Operation::Deny => {
                self.deploy(ada).await;
                t.unbind(ada.identity).await.unwrap();
            }
            Operation::TakeBack => {
                self.stop(ada).await;
                t.unbind(ada.identity).await.unwrap();
            }
            Operation::StopInSwitch => self.stop(ben).await,
            Operation::StopUndone => {
                self.stop(ada).await;
                self.deploy(ada).await;
            }
            Operation::Defer => {
                let candidate = self.deploy(ada).await;
                target.rule(Rule::new(Method::Prepare, Fault::Pending).of(candidate));
            }
            Operation::Retry => {
                let candidate = self.deploy(ada).await;
                target.rule(Rule::new(Method::Prepare, Fault::Fault).of(candidate));
            }
            Operation::Watch => {
                let (candidate, gate) = (self.deploy(ada).await, Gate::closed());
                target.rule(Rule::new(Method::Prepare, Fault::Gate(gate.clone())).of(candidate).after());
                return (Some(gate), None);
            }
            Operation::Withdraw => self.withdraw().await,
            Operation::EnsureNamespace => return (None, Some(self.make_namespace().await.uuid())),
            Operation::DeleteNamespace => {
                let made = self.make_namespace().await;
                t.make_ready(made).await.unwrap();
                namespace::delete(&t.admin(), &Selector::Id(made), &plain()).await.unwrap();
                return (None, Some(made.uuid()));
            }
        }
        (None, None)
    }

    async fn make_namespace(&self) -> NamespaceId {
        let request = CreateNamespace {
            name: format!("made-{}", self.stage.number()).parse().unwrap(),
            display_name: None,
            description: None,
            labels: Labels::default(),
            quotas: Quotas::default(),
        };
        namespace::create(&self.tenancy.t.admin(), request, &plain()).await.unwrap().id
    }

    async fn withdraw(&self) {
        let control = &self.tenancy.t.control;
        let actor = occ_control::worker::controller(control).await.unwrap();
        let mut tx = control.store.observe().await.unwrap();
        let work = NewWork::new(WorkKind::CredentialWithdraw, format!("withdraw/{}", self.agent), actor)
            .about(self.tenancy.namespace, self.agent)
            .of_revision(self.active());
        occ_work::enqueue(&mut tx, &work).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Whoever lost a permission for the row has it again for the next one.
    pub async fn allow_again(&self, operation: Operation) {
        if matches!(operation, Operation::Deny | Operation::TakeBack) {
            allow(&self.tenancy.t, &self.stage.ada, self.tenancy.namespace).await.unwrap();
        }
    }
}
