//! What goes wrong, where, and how often.

use std::sync::Arc;

use occ_model::failure::FailureCode;
use occ_model::id::RevisionId;
use tokio::sync::watch;

/// The calls of the contract that a rule can be about.
#[expect(missing_docs, reason = "the names of the contract's methods")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    Preflight,
    Validate,
    EnsureNamespace,
    DeleteNamespace,
    Prepare,
    Activate,
    OpenRoute,
    DenyRoute,
    Stop,
    Retire,
    DeleteAgent,
    Observe,
    Connect,
}

/// Where in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// Before its effect: nothing happened on the target.
    Before,
    /// After its effect, before its answer: the caller does not know.
    After,
}

/// What happens there.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It fails for a reason that people see.
    Fail(FailureCode),
    /// The target does not answer now.
    Unavailable,
    /// Not ready yet (only `prepare_revision` can say so; elsewhere the target does not answer).
    Pending,
    /// It succeeds, but the provider did not say whether it takes the credential (only `prepare_revision` can say so).
    Unproven,
    /// A fault of the driver.
    Fault,
    /// Waits until the gate is opened, then goes on.
    Gate(Gate),
    /// Never answers.
    Hang,
}

/// One rule of the script. The first that fits a call is used.
#[derive(Clone, Debug)]
pub struct Rule {
    pub(super) method: Method,
    pub(super) revision: Option<RevisionId>,
    pub(super) point: Point,
    pub(super) fault: Fault,
    pub(super) times: Option<u32>,
}

impl Rule {
    /// Once, before the effect of the next call of `method`.
    pub fn new(method: Method, fault: Fault) -> Self {
        Self { method, revision: None, point: Point::Before, fault, times: Some(1) }
    }

    /// Only for calls about this revision.
    #[must_use]
    pub fn of(mut self, revision: RevisionId) -> Self {
        self.revision = Some(revision);
        self
    }

    /// After the effect: the answer is what fails.
    #[must_use]
    pub fn after(mut self) -> Self {
        self.point = Point::After;
        self
    }

    /// So many times.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// Every time.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.times = None;
        self
    }
}

/// Holds a call at its point until it is opened, so that a test can look, or end the worker, exactly there.
#[derive(Clone, Debug)]
pub struct Gate {
    entered: Arc<watch::Sender<u32>>,
    open: Arc<watch::Sender<bool>>,
}

impl Default for Gate {
    fn default() -> Self {
        Self { entered: Arc::new(watch::Sender::new(0)), open: Arc::new(watch::Sender::new(false)) }
    }
}

impl Gate {
    /// A closed gate.
    pub fn closed() -> Self {
        Self::default()
    }

    /// Waits until a call stands at the gate.
    pub async fn entered(&self) {
        wait(self.entered.subscribe(), |count| *count > 0).await;
    }

    /// Lets everybody through, now and later.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    pub(super) async fn pass(&self) {
        self.entered.send_modify(|count| *count += 1);
        wait(self.open.subscribe(), |open| *open).await;
    }
}

/// The sender lives in the gate that is waited at: the wait cannot fail.
async fn wait<T>(mut watch: watch::Receiver<T>, reached: impl FnMut(&T) -> bool) {
    let _reached = watch.wait_for(reached).await;
}
