//! A hook that lets a worker go on by so many fault points, lets it run free, or lets it stand.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use occ_control::faults::{Hook, Moment, Place, Point};
use tokio::sync::watch;

/// Taking an item takes milliseconds.
const TAKING: Duration = Duration::from_secs(5);

/// Between two points at which somebody may look around: called with each point as it is reached.
pub type Watcher = Arc<dyn Fn(Point) -> BoxFuture<'static, ()> + Send + Sync>;

#[derive(Clone, Debug, Default)]
struct State {
    /// So many points may be passed; `None`: any number.
    budget: Option<u64>,
    standing: u64,
    passed: u64,
    looks: u64,
    asleep: bool,
    /// It is taking an item, or finding that there is none.
    taking: bool,
    dead: bool,
}

/// The hook of one worker.
pub struct Stepper {
    state: watch::Sender<State>,
    watcher: Watcher,
}

/// Whether a worker is held at a point. Not where pool and look pass by whatever there is to do; and not within a transaction, whose locks
/// would hold up everybody else for as long (the kill matrix ends workers there).
fn holds(point: Point) -> bool {
    let passing = matches!(point.place, Place::Look | Place::NothingDue);
    !passing && (point.moment == Moment::After || point.place >= Place::Prepare)
}

impl Stepper {
    /// A worker that stands at its first point.
    pub fn standing(watcher: Watcher) -> Arc<Self> {
        let state = State { budget: Some(0), ..State::default() };
        Arc::new(Self { state: watch::Sender::new(state), watcher })
    }

    /// A worker that runs free.
    pub fn free(watcher: Watcher) -> Arc<Self> {
        Arc::new(Self { state: watch::Sender::default(), watcher })
    }

    /// Lets it pass so many more points.
    pub fn allow(&self, points: u64) {
        self.state.send_modify(|state| state.budget = state.budget.map(|budget| budget + points));
    }

    /// Lets it run.
    pub fn release(&self) {
        self.state.send_modify(|state| (state.budget, state.asleep) = (None, false));
    }

    /// It falls asleep: it stands at the next points, and takes no further work; what it is about to take, it has taken then.
    pub async fn sleep(&self) {
        self.state.send_modify(|state| (state.budget, state.asleep) = (Some(0), true));
        // A claim that failed leaves the pool pausing: it takes nothing before it is awake.
        let mut watch = self.state.subscribe();
        let taken = async { watch.wait_for(|state| !state.taking).await.is_ok() };
        let _in_time = tokio::time::timeout(TAKING, taken).await;
    }

    /// Makes it stand at the next points.
    pub fn hold(&self) {
        self.state.send_modify(|state| state.budget = Some(0));
    }

    /// Nothing of it goes on from any point: it is about to be killed.
    pub fn kill(&self) {
        self.state.send_modify(|state| state.dead = true);
    }

    /// It has passed what it was allowed and stands at a point.
    pub fn stands(&self) -> bool {
        let state = self.state.borrow();
        state.standing > 0 && state.budget == Some(0)
    }

    /// How many points it has passed.
    pub fn passed(&self) -> u64 {
        self.state.borrow().passed
    }

    /// How often it has compared target and rows.
    pub fn looks(&self) -> u64 {
        self.state.borrow().looks
    }

    async fn wait(&self, point: Point) {
        let mut watch = self.state.subscribe();
        if point.place == Place::Look {
            if point.moment == Moment::After {
                self.state.send_modify(|state| state.looks += 1);
            }
        } else {
            (self.watcher)(point).await;
        }
        match (point.place, point.moment) {
            (Place::Claim, Moment::Before) => {
                while !self.take() {
                    if watch.changed().await.is_err() {
                        return;
                    }
                }
            }
            (Place::Claim, Moment::After) | (Place::NothingDue, Moment::Before) => {
                self.state.send_modify(|state| state.taking = false);
            }
            _ => {}
        }
        if holds(point) {
            self.state.send_modify(|state| state.standing += 1);
            while !self.pass() {
                if watch.changed().await.is_err() {
                    return;
                }
            }
        }
        if self.state.borrow().dead {
            std::future::pending::<()>().await;
        }
    }

    fn take(&self) -> bool {
        self.state.send_if_modified(|state| {
            state.taking = !state.asleep;
            state.taking
        })
    }

    fn pass(&self) -> bool {
        self.state.send_if_modified(|state| {
            if state.dead || state.budget == Some(0) {
                return false;
            }
            state.budget = state.budget.map(|budget| budget - 1);
            state.standing -= 1;
            state.passed += 1;
            true
        })
    }
}

impl std::fmt::Debug for Stepper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.state.borrow().fmt(f)
    }
}

impl Hook for Stepper {
    fn reached(&self, point: Point) -> BoxFuture<'_, ()> {
        self.wait(point).boxed()
    }
}
