//! Fault points: named places of the worker's steps at which a test stops, kills or delays it.
//!
//! A place is a transaction or a call to a driver. *Before* a transaction everything is written and COMMIT has not been sent; *after* it
//! the commit is known and nothing was done about it. *Before* a call nothing has reached the target; *after* it the answer is there and
//! nothing was made of it. [`Faults`] is empty and its functions do nothing unless the feature `fault-points` is on, which only
//! `occ-testkit` does; and with the feature, as in a build of the whole workspace, nothing happens until a test installs a hook.
//! `cargo xtask fault-points` fails when `occ` itself would be built with it.

#[cfg(feature = "fault-points")]
use std::sync::Arc;

#[cfg(feature = "fault-points")]
pub use names::{Hook, Moment, Point};

macro_rules! places {
    ($($(#[doc = $says:literal])+ $place:ident = $name:literal,)+) => {
        /// Where.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Place {
            $($(#[doc = $says])+ $place,)+
        }

        #[cfg(feature = "fault-points")]
        impl Place {
            /// Every place: the matrix of `occ-testkit` has rows for each.
            pub const ALL: &'static [Self] = &[$(Self::$place,)+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$place => $name,)+ }
            }
        }
    };
}

places! {
    /// The statement that takes an item.
    Claim = "claim",
    /// The question when something is due, after nothing was to be taken.
    NothingDue = "nothing-due",
    /// Transaction: the preparation has begun.
    Begun = "begun",
    /// Transaction: the candidate is proved.
    Ready = "ready",
    /// Transaction: the pointer moves behind the closed route.
    T1 = "t1",
    /// Transaction: the route opens, the claim ends.
    T2 = "t2",
    /// Transaction: live steps, while a driver works.
    Steps = "steps",
    /// Transaction: a denial and its evidence.
    Denial = "denial",
    /// Transaction: a deployment ends that has moved nothing.
    Unswitched = "unswitched",
    /// Transaction: a deployment is left to the stop.
    LeftToStop = "left-to-stop",
    /// Transaction: the pointer leads back.
    TurnedBack = "turned-back",
    /// Transaction: the predecessor's route opens, or traffic stays denied.
    Settled = "settled",
    /// Transaction: the restoring deployment is made.
    Recovering = "recovering",
    /// Transaction: the door alone is to be opened again.
    Reopened = "reopened",
    /// Transaction: the Agent is stopped.
    Stopped = "stopped",
    /// Transaction: the Agent is buried.
    Deleted = "deleted",
    /// Transaction: a stop or deletion is taken back.
    TakenBack = "taken-back",
    /// Transaction: a revision is retired.
    Retired = "retired",
    /// Transaction: versions of Secrets that nothing keeps alive are destroyed.
    Withdrawn = "withdrawn",
    /// Transaction: the Namespace is ready, or has failed.
    Provisioned = "provisioned",
    /// Transaction: the Namespace is buried.
    Buried = "buried",
    /// Transaction: an item had nothing to do.
    NothingDone = "nothing-done",
    /// Transaction: an item waits.
    Deferred = "deferred",
    /// Transaction: an item is tried again.
    Retried = "retried",
    /// Transaction: an item is given up.
    GivenUp = "given-up",
    /// One look at everything that is settled.
    Look = "look",
    /// Transaction: the look found another health.
    Health = "health",
    /// Transaction: the look found a disagreement.
    Found = "found",
    /// Call: the candidate is built and proved.
    Prepare = "prepare",
    /// Call: a revision is built again before it is activated.
    PrepareAgain = "prepare-again",
    /// Call: the closed route leads to a revision.
    Activate = "activate",
    /// Call: the door opens.
    OpenRoute = "open-route",
    /// Call: the door closes before what runs is ended and started again.
    DenyFirst = "deny-first",
    /// Call: what runs is ended before it is started again.
    EndFirst = "end-first",
    /// Call: what a failed candidate left is ended.
    EndCandidate = "end-candidate",
    /// Call: the door closes for a stop.
    Deny = "deny",
    /// Call: what runs is stopped.
    Stop = "stop",
    /// Call: a revision's objects go.
    Retire = "retire",
    /// Call: an Agent's objects go.
    Delete = "delete",
    /// Call: what runs is looked at before it is restored.
    Observe = "observe",
    /// Call: the Namespace's objects are made.
    EnsureNamespace = "ensure-namespace",
    /// Call: the Namespace's objects go.
    DeleteNamespace = "delete-namespace",
}

#[cfg(feature = "fault-points")]
mod names {
    use futures::future::BoxFuture;

    use super::Place;

    /// On which side of a place.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Moment {
        /// Before its effect.
        Before,
        /// After its effect.
        After,
    }

    /// One point.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Point {
        /// The place.
        pub place: Place,
        /// The side of it.
        pub moment: Moment,
    }

    impl Point {
        /// Every point, in the places' order.
        pub fn all() -> impl Iterator<Item = Self> {
            let sides = |place: &Place| [Moment::Before, Moment::After].map(|moment| Self { place: *place, moment });
            Place::ALL.iter().flat_map(sides)
        }
    }

    impl std::fmt::Display for Point {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            let side = if self.moment == Moment::Before { "before" } else { "after" };
            write!(f, "{side} {}", self.place.name())
        }
    }

    /// What a test does at a point. The step waits for it; it may never end.
    pub trait Hook: Send + Sync {
        /// A step stands at `point`.
        fn reached(&self, point: Point) -> BoxFuture<'_, ()>;
    }
}

/// The hook of one process, if a test installed one.
#[derive(Clone, Default)]
pub struct Faults {
    #[cfg(feature = "fault-points")]
    hook: Option<Arc<dyn Hook>>,
}

#[cfg(feature = "fault-points")]
impl Faults {
    /// Calls `hook` at every point.
    pub fn hooked(hook: Arc<dyn Hook>) -> Self {
        Self { hook: Some(hook) }
    }

    async fn reached(&self, place: Place, moment: Moment) {
        if let Some(hook) = &self.hook {
            hook.reached(Point { place, moment }).await;
        }
    }

    pub(crate) async fn before(&self, place: Place) {
        self.reached(place, Moment::Before).await;
    }

    pub(crate) async fn after(&self, place: Place) {
        self.reached(place, Moment::After).await;
    }

    pub(crate) async fn around<T>(&self, place: Place, effect: impl Future<Output = T>) -> T {
        self.before(place).await;
        let done = effect.await;
        self.after(place).await;
        done
    }
}

#[cfg(not(feature = "fault-points"))]
#[expect(clippy::unused_self, reason = "the same functions as with the feature, which do nothing")]
impl Faults {
    pub(crate) fn before(&self, _: Place) -> std::future::Ready<()> {
        std::future::ready(())
    }

    pub(crate) fn after(&self, _: Place) -> std::future::Ready<()> {
        std::future::ready(())
    }

    pub(crate) fn around<F: Future>(&self, _: Place, effect: F) -> F {
        effect
    }
}
