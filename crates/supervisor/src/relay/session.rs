//! One connection of the gateway: one task that owns its table and hears its peers and its orders one after the other.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::WebSocketStream;

use super::dial::dial;
use super::frame::{self, Frame};
use super::hub::{Member, Order, Side, Target};
use super::peer::{Heard, Peer};
use super::table::{Owed, Table};

/// Frames that were heard and not looked at yet.
const BEHIND: usize = 64;
/// A turn waits for the switch at most so long.
const HOLD: Duration = Duration::from_secs(30);
/// And at most so many wait.
const MOST: usize = 64;

type Socket = WebSocketStream<TcpStream>;

enum Event {
    Gateway(Heard),
    Side(Side, Heard),
    /// A Harness was reached (or not), with or without the gateway's hello.
    Reached {
        target: Target,
        socket: Option<Box<Socket>>,
        introduced: bool,
        answer: oneshot::Sender<bool>,
    },
}

struct Upstream {
    peer: Peer,
    introduced: bool,
}

/// A frame that begins a turn and waits.
struct Waiting {
    frame: Frame,
    text: String,
    until: Instant,
}

struct Session {
    member: Member,
    table: Table,
    gateway: Peer,
    sides: HashMap<Side, Upstream>,
    hello: Option<String>,
    held: bool,
    waiting: VecDeque<Waiting>,
    marks: HashMap<u64, oneshot::Sender<bool>>,
    asked: u64,
    events: mpsc::Sender<Event>,
}

/// What goes on after one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    GoOn,
    /// The gateway is let go; it comes again.
    End,
}

/// Serves one connection until it ends, or until its lead is gone.
pub(super) async fn run(
    socket: Socket,
    member: Member,
    (lead, held): (Target, bool),
    mut orders: mpsc::UnboundedReceiver<Order>,
) {
    let (events, mut heard) = mpsc::channel(BEHIND);
    let Some(reached) = dial(&lead, None).await else { return };
    let mut session = Session {
        member,
        table: Table::new(lead.side),
        gateway: Peer::start(socket, events.clone(), Event::Gateway),
        sides: HashMap::new(),
        hello: None,
        held,
        waiting: VecDeque::new(),
        marks: HashMap::new(),
        asked: 0,
        events,
    };
    // The gateway itself introduces this one.
    session.add(lead.side, reached, true);
    let mut next = Next::GoOn;
    while next == Next::GoOn {
        let overdue = session.waiting.front().map(|waiting| waiting.until);
        next = tokio::select! {
            Some(event) = heard.recv() => session.hear(event).await,
            order = orders.recv() => match order {
                Some(order) => session.follow(order).await,
                None => Next::End,
            },
            () = sleep_until(overdue.unwrap_or_else(Instant::now)), if overdue.is_some() => session.too_long().await,
        };
    }
}

impl Session {
    fn add(&mut self, side: Side, socket: Socket, introduced: bool) {
        let peer = Peer::start(socket, self.events.clone(), move |heard| Event::Side(side, heard));
        self.sides.insert(side, Upstream { peer, introduced });
    }

    async fn hear(&mut self, event: Event) -> Next {
        match event {
            Event::Gateway(Heard::Text(text)) => self.gateway_says(text).await,
            Event::Gateway(Heard::Pong(mark)) => {
                let mark = <[u8; 8]>::try_from(&mark[..]).map(u64::from_be_bytes);
                if let Some(answer) = mark.ok().and_then(|mark| self.marks.remove(&mark)) {
                    let _nobody_asks_any_more = answer.send(true);
                }
                Next::GoOn
            }
            Event::Gateway(Heard::Gone) => Next::End,
            Event::Side(side, Heard::Text(text)) => self.side_says(side, text).await,
            Event::Side(_, Heard::Pong(_)) => Next::GoOn,
            Event::Side(side, Heard::Gone) => self.lost(side).await,
            Event::Reached { target, socket, introduced, answer } => {
                let reached = socket.map(|socket| self.add(target.side, *socket, introduced)).is_some();
                let _nobody_asks_any_more = answer.send(reached);
                Next::GoOn
            }
        }
    }

    async fn follow(&mut self, order: Order) -> Next {
        match order {
            Order::Reach(target, answer) => {
                let (hello, events) = (self.hello.clone(), self.events.clone());
                tokio::spawn(async move {
                    let socket = dial(&target, hello.as_deref()).await.map(Box::new);
                    let _ended =
                        events.send(Event::Reached { target, socket, introduced: hello.is_some(), answer }).await;
                });
                Next::GoOn
            }
            Order::Lead(target, answer) => self.lead(target, answer).await,
            Order::Release => {
                self.held = false;
                while let Some(Waiting { frame, text, .. }) = self.waiting.pop_front() {
                    if self.outward(&frame, text).await == Next::End {
                        return Next::End;
                    }
                }
                Next::GoOn
            }
            Order::CloseIdle => self.close_idle().await,
            Order::Interrupt(side) => {
                for (thread, turn) in self.table.started(side) {
                    self.asked += 1;
                    let asked = frame::interrupt(&format!("occ-interrupt-{}", self.asked), &thread, &turn);
                    if self.tell(side, asked).await == Next::End {
                        return Next::End;
                    }
                }
                Next::GoOn
            }
            Order::Forget(side) => self.settle(side, "interrupted", "interrupted for a switch").await,
        }
    }

    async fn lead(&mut self, target: Target, answer: oneshot::Sender<bool>) -> Next {
        let reached = self.sides.get(&target.side).is_some_and(|side| side.introduced || self.hello.is_none());
        if !reached {
            // It joined after the others had reached it.
            let Some(socket) = dial(&target, self.hello.as_deref()).await else { return Next::End };
            self.add(target.side, socket, true);
        }
        if let Some(side) = self.sides.get_mut(&target.side) {
            // Where the gateway has not said hello yet, it says it there.
            side.introduced = true;
        }
        self.table.set_lead(target.side);
        self.held = true;
        if self.close_idle().await == Next::End {
            return Next::End;
        }
        self.asked += 1;
        self.marks.insert(self.asked, answer);
        if self.gateway.ping(self.asked).await { Next::GoOn } else { Next::End }
    }

    async fn close_idle(&mut self) -> Next {
        for thread in self.table.idle_elsewhere() {
            if !self.gateway.say(frame::thread_closed(&thread)).await {
                return Next::End;
            }
        }
        Next::GoOn
    }

    async fn gateway_says(&mut self, text: String) -> Next {
        let Some(frame) = Frame::parse(&text) else {
            tracing::warn!("the gateway sent its Harness what is no frame");
            return Next::GoOn;
        };
        if frame.is_answer() {
            let asked = frame.id.as_ref().and_then(|id| self.table.answer_back(id));
            return match asked.and_then(|(side, id)| Some((side, frame::with_id(&text, "/id", &id)?))) {
                Some((side, text)) => self.tell(side, text).await,
                // Whoever asked is gone.
                None => Next::GoOn,
            };
        }
        if frame.method.as_deref() == Some("initialize") {
            self.hello = Some(text.clone());
        }
        if !(self.held && self.table.begins_at_lead(&frame)) {
            return self.outward(&frame, text).await;
        }
        if self.waiting.len() < MOST {
            self.waiting.push_back(Waiting { frame, text, until: Instant::now() + HOLD });
            return Next::GoOn;
        }
        self.refuse(frame.id.as_ref()).await
    }

    async fn outward(&mut self, frame: &Frame, text: String) -> Next {
        let side = self.table.outward(frame);
        self.member.count(side, self.table.running(side));
        self.tell(side, text).await
    }

    async fn tell(&mut self, side: Side, text: String) -> Next {
        let told = match self.sides.get(&side) {
            Some(upstream) => upstream.peer.say(text).await,
            None => false,
        };
        if told { Next::GoOn } else { self.lost(side).await }
    }

    /// A side is gone, or takes nothing any more.
    async fn lost(&mut self, side: Side) -> Next {
        if side == self.table.lead() {
            return Next::End;
        }
        self.settle(side, "failed", "the Harness is gone").await
    }

    async fn refuse(&self, id: Option<&Value>) -> Next {
        match id {
            Some(id) if !self.gateway.say(frame::not_now(id)).await => Next::End,
            _ => Next::GoOn,
        }
    }

    /// What waits longest has waited long enough.
    async fn too_long(&mut self) -> Next {
        match self.waiting.pop_front() {
            Some(waiting) => self.refuse(waiting.frame.id.as_ref()).await,
            None => Next::GoOn,
        }
    }

    async fn side_says(&mut self, side: Side, text: String) -> Next {
        let Some(frame) = Frame::parse(&text) else {
            tracing::warn!("a Harness sent what is no frame");
            return Next::GoOn;
        };
        let said = match (frame.method.as_deref(), frame.id.clone()) {
            (Some(_), Some(id)) => {
                let number = self.table.ask_back(side, id);
                frame::with_id(&text, "/id", &Value::from(number))
            }
            (Some("serverRequest/resolved"), None) => self.resolved(side, &text),
            _ => self.table.inward(side, &frame).then_some(text),
        };
        self.member.count(side, self.table.running(side));
        if let Some(said) = said
            && !self.gateway.say(said).await
        {
            return Next::End;
        }
        let over = frame.method.as_deref() == Some("turn/completed") && side != self.table.lead();
        match frame.thread().filter(|_| over) {
            Some(thread) if !self.gateway.say(frame::thread_closed(thread)).await => Next::End,
            _ => Next::GoOn,
        }
    }

    fn resolved(&mut self, side: Side, text: &str) -> Option<String> {
        let told: Value = serde_json::from_str(text).ok()?;
        let number = self.table.settled(side, told.pointer("/params/requestId")?)?;
        frame::with_id(text, "/params/requestId", &Value::from(number))
    }

    /// Nothing comes from `side` any more: what it owes is told in its place.
    async fn settle(&mut self, side: Side, status: &str, message: &str) -> Next {
        let Owed { answers, turns } = self.table.forget(side);
        self.sides.remove(&side);
        self.member.count(side, 0);
        let ends = turns.iter().map(|(thread, turn)| frame::turn_ended(thread, turn, status, message));
        for said in answers.iter().map(frame::gone).chain(ends) {
            if !self.gateway.say(said).await {
                return Next::End;
            }
        }
        Next::GoOn
    }
}
