//! A hook that lets a worker go on by so many fault points, lets it run free, or lets it stand.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use occ_control::faults::{Hook, Moment, Place, Point};
use tokio::sync::watch;

/// Between two points at which somebody may look around: called with each point as it is reached.
pub type Watcher = Arc<dyn Fn(Point) -> BoxFuture<'static, ()> + Send + Sync>;

#[derive(Clone, Debug, Default)]
struct State {
    /// So many points may be passed; `None`: any number.
    budget: Option<u64>,
    standing: u64,
    passed: u64,
    looks: u64,
    dead: bool,
}

/// The hook of one worker.
pub struct Stepper {
    state: watch::Sender<State>,
    watcher: Watcher,
}

/// Points that the pool and the look pass by themselves, whatever there is to do: nobody is held there.
pub fn is_pass(point: Point) -> bool {
    point.place == Place::Look || (point.place == Place::Claim && point.moment == Moment::Before)
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
        self.state.send_modify(|state| state.budget = None);
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
        if is_pass(point) {
            if point.place == Place::Look && point.moment == Moment::After {
                self.state.send_modify(|state| state.looks += 1);
            }
        } else {
            (self.watcher)(point).await;
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

impl Hook for Stepper {
    fn reached(&self, point: Point) -> BoxFuture<'_, ()> {
        self.wait(point).boxed()
    }
}
