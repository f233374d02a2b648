//! What the supervisor holds of the relay: who leads, whether it is held, and the gateway's connections.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use secrecy::SecretString;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::listen::Listening;
use super::serve;

/// How long the gateway's connections may take to follow an order; one that takes longer is busy with a frame of its own.
const FOLLOW: Duration = Duration::from_secs(12);

/// One Harness process, by a number that no other has in the relay's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Side(pub u64);

/// How a Harness is reached.
#[derive(Clone, Debug)]
pub struct Target {
    /// Which.
    pub side: Side,
    /// Its port on 127.0.0.1.
    pub port: u16,
    /// The token that it takes.
    pub token: SecretString,
}

/// What a connection of the gateway is told.
#[derive(Debug)]
pub(super) enum Order {
    /// Reach that Harness, too. Answers whether it was reached.
    Reach(Target, oneshot::Sender<bool>),
    /// Turns begin there, but not yet: hold them. Threads that are idle elsewhere are closed; answers when the gateway has heard it.
    Lead(Target, oneshot::Sender<bool>),
    /// Turns may begin.
    Release,
    /// Threads that are idle elsewhere are closed (again).
    CloseIdle,
    /// End the turns of that side.
    Interrupt(Side),
    /// That side is gone.
    Forget(Side),
}

/// The relay of one gateway. Dropping it cuts the gateway off.
#[derive(Debug)]
pub struct Relay {
    port: u16,
    token: SecretString,
    hub: Arc<Hub>,
    _door: AbortOnDropHandle<()>,
}

#[derive(Debug)]
pub(super) struct Hub {
    state: Mutex<State>,
    /// Every change of the number of running turns.
    changes: watch::Sender<()>,
}

#[derive(Debug)]
struct State {
    lead: Target,
    held: bool,
    last: u64,
    sessions: HashMap<u64, mpsc::UnboundedSender<Order>>,
    running: HashMap<(u64, Side), usize>,
}

/// A connection of the gateway, as the hub knows it; forgotten when dropped.
#[derive(Debug)]
pub(super) struct Member {
    hub: Arc<Hub>,
    number: u64,
}

impl Relay {
    /// Serves the gateway that presents `token`, led by `target`. No turn begins before [`Self::release`].
    pub fn start(listening: Listening, token: SecretString, target: Target) -> Self {
        let port = listening.port();
        let state =
            State { last: target.side.0, lead: target, held: true, sessions: HashMap::new(), running: HashMap::new() };
        let hub = Arc::new(Hub { state: Mutex::new(state), changes: watch::Sender::new(()) });
        let door = tokio::spawn(serve::serve(listening, token.clone(), hub.clone()));
        Self { port, token, hub, _door: AbortOnDropHandle::new(door) }
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What the gateway presents.
    pub fn token(&self) -> &SecretString {
        &self.token
    }

    /// A number for another Harness.
    pub fn next_side(&self) -> Side {
        let mut state = self.hub.state();
        state.last += 1;
        Side(state.last)
    }

    /// Where turns begin.
    pub fn lead(&self) -> Side {
        self.hub.state().lead.side
    }

    /// Reaches another Harness from every connection of the gateway. Nothing else changes; false: it was not reached from each.
    pub async fn reach(&self, target: &Target) -> bool {
        self.ask_all(|answer| Order::Reach(target.clone(), answer)).await
    }

    /// From now on turns would begin at `target`, and none begins until [`Self::release`].
    pub async fn switch(&self, target: &Target) {
        {
            let mut state = self.hub.state();
            (state.lead, state.held) = (target.clone(), true);
        }
        // One that does not follow in time has its order, and follows it in the same place among its frames.
        let _heard = self.ask_all(|answer| Order::Lead(target.clone(), answer)).await;
    }

    /// Turns begin again.
    pub fn release(&self) {
        self.hub.state().held = false;
        self.tell_all(|| Order::Release);
    }

    /// Closes the threads that are idle on sides that do not lead.
    pub fn close_idle(&self) {
        self.tell_all(|| Order::CloseIdle);
    }

    /// Ends the turns of a side.
    pub fn interrupt(&self, side: Side) {
        self.tell_all(|| Order::Interrupt(side));
    }

    /// A side is gone: what it owes to the gateway is settled.
    pub fn forget(&self, side: Side) {
        self.tell_all(|| Order::Forget(side));
    }

    /// Turns of a side that were asked for or run.
    pub fn running(&self, side: Side) -> usize {
        let state = self.hub.state();
        state.running.iter().filter(|((_, of), _)| *of == side).map(|(_, count)| count).sum()
    }

    /// The same of all sides.
    pub fn all_running(&self) -> usize {
        self.hub.state().running.values().sum()
    }

    /// Hears of every change of [`Self::running`].
    pub fn changes(&self) -> watch::Receiver<()> {
        self.hub.changes.subscribe()
    }

    fn tell_all(&self, order: impl Fn() -> Order) {
        for orders in self.hub.state().sessions.values() {
            let _ended = orders.send(order());
        }
    }

    /// Whether all said yes in time; one that ends meanwhile has no say.
    async fn ask_all(&self, order: impl Fn(oneshot::Sender<bool>) -> Order) -> bool {
        let answers: Vec<_> = {
            let state = self.hub.state();
            let ask = |orders: &mpsc::UnboundedSender<Order>| {
                let (answer, said) = oneshot::channel();
                orders.send(order(answer)).ok().map(|()| said)
            };
            state.sessions.values().filter_map(ask).collect()
        };
        let said = timeout(FOLLOW, join_all(answers)).await;
        said.is_ok_and(|all| all.into_iter().all(|said| said.unwrap_or(true)))
    }
}

impl Hub {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection of the gateway begins: who leads it, whether it is held, and its orders from that moment on. `None`: too many.
    pub(super) fn join(
        self: &Arc<Self>,
        most: usize,
    ) -> Option<(Member, Target, bool, mpsc::UnboundedReceiver<Order>)> {
        let (orders, received) = mpsc::unbounded_channel();
        let mut state = self.state();
        if state.sessions.len() >= most {
            return None;
        }
        state.last += 1;
        let number = state.last;
        state.sessions.insert(number, orders);
        Some((Member { hub: self.clone(), number }, state.lead.clone(), state.held, received))
    }
}

impl Member {
    /// So many turns run on `side` through this connection.
    pub fn count(&self, side: Side, running: usize) {
        let changed = {
            let mut state = self.hub.state();
            let before = if running == 0 {
                state.running.remove(&(self.number, side))
            } else {
                state.running.insert((self.number, side), running)
            };
            before.unwrap_or_default() != running
        };
        if changed {
            self.hub.changes.send_replace(());
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        {
            let mut state = self.hub.state();
            state.sessions.remove(&self.number);
            state.running.retain(|(of, _), _| *of != self.number);
        }
        self.hub.changes.send_replace(());
    }
}
