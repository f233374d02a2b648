//! Which side has which thread, which turns run, whose answer is whose. Pure: it decides, others send.
//!
//! The gateway prepares a turn (it starts or resumes a thread, on a busy machine seconds before) and then starts it there. A turn that
//! was being prepared when the lead moved began before the switch: it stays where its thread is, and drains like one that runs.

use std::collections::HashMap;

use serde_json::Value;

use super::frame::Frame;
use super::hub::Side;

/// Requests that begin a turn: only the lead gets them, and none while the relay is held.
const BEGIN: [&str; 4] = ["turn/start", "review/start", "thread/compact/start", "thread/shellCommand"];
/// Requests by which a turn is prepared. An old side's thread is not taken up again: the lead does not know it, says so, and the gateway
/// seeds the conversation anew.
const PREPARE: [&str; 3] = ["thread/start", "thread/resume", "thread/fork"];

/// What one connection of the gateway has going on.
#[derive(Debug)]
pub(super) struct Table {
    lead: Side,
    threads: HashMap<String, Thread>,
    asked: HashMap<String, Asked>,
    asked_back: HashMap<u64, (Side, Value)>,
    next: u64,
}

#[derive(Debug)]
struct Thread {
    side: Side,
    turn: Option<Turn>,
    /// Started or resumed for a turn that did not end yet.
    prepared: bool,
}

impl Thread {
    fn idle(side: Side) -> Self {
        Self { side, turn: None, prepared: false }
    }

    fn is_busy(&self) -> bool {
        self.prepared || self.turn.is_some()
    }
}

/// A turn that was asked for or runs; its id is known once it started.
#[derive(Clone, Debug, Default)]
struct Turn(Option<String>);

/// A request of the gateway that is not answered yet.
#[derive(Debug)]
struct Asked {
    side: Side,
    id: Value,
    begins: Option<String>,
    prepares: bool,
}

/// What is owed to the gateway when a side is gone.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Owed {
    /// Ids of requests without an answer.
    pub answers: Vec<Value>,
    /// Turns without an end: thread and turn.
    pub turns: Vec<(String, String)>,
}

impl Table {
    pub fn new(lead: Side) -> Self {
        Self { lead, threads: HashMap::new(), asked: HashMap::new(), asked_back: HashMap::new(), next: 0 }
    }

    pub fn lead(&self) -> Side {
        self.lead
    }

    /// From now on turns begin there.
    pub fn set_lead(&mut self, side: Side) {
        self.lead = side;
    }

    /// Whether the gateway's request begins a turn at the lead: not while the relay is held.
    pub fn begins_at_lead(&self, frame: &Frame) -> bool {
        frame.method.as_deref().is_some_and(|method| BEGIN.contains(&method)) && self.side_of(frame) == self.lead
    }

    fn side_of(&self, frame: &Frame) -> Side {
        let method = frame.method.as_deref().unwrap_or_default();
        let stays = |owner: &&Thread| !PREPARE.contains(&method) && (!BEGIN.contains(&method) || owner.prepared);
        let owner = frame.thread().and_then(|thread| self.threads.get(thread)).filter(stays);
        owner.map_or(self.lead, |owner| owner.side)
    }

    /// Where a request or notification of the gateway goes; a request is remembered until it is answered.
    pub fn outward(&mut self, frame: &Frame) -> Side {
        let side = self.side_of(frame);
        let method = frame.method.as_deref().unwrap_or_default();
        if let Some(owner) = frame.thread().and_then(|thread| self.threads.get_mut(thread)) {
            // Given up before it was started.
            owner.prepared &= method != "thread/unsubscribe";
        }
        if let (Some(key), Some(id)) = (frame.key(), frame.id.clone()) {
            let begins = frame.thread().filter(|_| BEGIN.contains(&method)).map(str::to_owned);
            // A thread that the lead does not know is refused by it; counting it there would steal it from its side.
            let begins = begins.filter(|thread| self.threads.get(thread).is_none_or(|thread| thread.side == side));
            if let Some(thread) = &begins {
                let thread = self.threads.entry(thread.clone()).or_insert(Thread::idle(side));
                thread.turn.get_or_insert_default();
            }
            self.asked.insert(key, Asked { side, id, begins, prepares: PREPARE.contains(&method) });
        }
        side
    }

    /// Notes what a side answers or tells. False: an answer that nobody waits for.
    pub fn inward(&mut self, side: Side, frame: &Frame) -> bool {
        if frame.is_answer() {
            let Some(asked) = frame.key().and_then(|key| self.asked.remove(&key)) else { return false };
            if let (true, Some(thread)) = (frame.is_error(), &asked.begins) {
                self.end(side, thread);
            } else if let Some(thread) = frame.thread().filter(|_| asked.prepares && !frame.is_error()) {
                self.own(side, thread).prepared = true;
            }
            return true;
        }
        let Some(thread) = frame.thread() else { return true };
        match frame.method.as_deref() {
            Some("thread/started") => {
                self.own(side, thread);
            }
            Some("turn/started") => self.own(side, thread).turn = Some(Turn(frame.turn().map(str::to_owned))),
            Some("turn/completed") => self.end(side, thread),
            Some("thread/closed" | "thread/archived" | "thread/deleted")
                if self.threads.get(thread).is_some_and(|owned| owned.side == side) =>
            {
                self.threads.remove(thread);
            }
            _ => {}
        }
        true
    }

    fn own(&mut self, side: Side, thread: &str) -> &mut Thread {
        let owned = self.threads.entry(thread.to_owned()).or_insert(Thread::idle(side));
        if owned.side != side {
            // Taken up by another Harness: whatever ran before is not this one's.
            *owned = Thread::idle(side);
        }
        owned
    }

    fn end(&mut self, side: Side, thread: &str) {
        if let Some(owned) = self.threads.get_mut(thread).filter(|owned| owned.side == side) {
            *owned = Thread::idle(side);
        }
    }

    /// The number under which the gateway is asked what `side` asks with `id`.
    pub fn ask_back(&mut self, side: Side, id: Value) -> u64 {
        self.next += 1;
        self.asked_back.insert(self.next, (side, id));
        self.next
    }

    /// Whose request the gateway answers, and its own id there. `None`: nobody's any more.
    pub fn answer_back(&mut self, id: &Value) -> Option<(Side, Value)> {
        self.asked_back.remove(&id.as_u64()?)
    }

    /// The number of a request of `side` that the gateway has not answered; it is settled otherwise.
    pub fn settled(&mut self, side: Side, id: &Value) -> Option<u64> {
        let number =
            self.asked_back.iter().find(|(_, (of, own))| *of == side && own == id).map(|(number, _)| *number)?;
        self.asked_back.remove(&number);
        Some(number)
    }

    /// Turns on `side` that are being prepared, were asked for, or run.
    pub fn running(&self, side: Side) -> usize {
        let asked = self.asked.values().filter(|asked| asked.side == side && asked.prepares);
        asked.count() + self.threads.values().filter(|thread| thread.side == side && thread.is_busy()).count()
    }

    /// Threads on another side than the lead without a turn.
    pub fn idle_elsewhere(&self) -> Vec<String> {
        let idle = |thread: &Thread| thread.side != self.lead && !thread.is_busy();
        self.threads.iter().filter(|(_, thread)| idle(thread)).map(|(name, _)| name.clone()).collect()
    }

    /// Turns on `side` that started: thread and turn.
    pub fn started(&self, side: Side) -> Vec<(String, String)> {
        let on = self.threads.iter().filter(|(_, thread)| thread.side == side);
        on.filter_map(|(name, thread)| Some((name.clone(), thread.turn.clone()?.0?))).collect()
    }

    /// Forgets a side that is gone.
    pub fn forget(&mut self, side: Side) -> Owed {
        let turns = self.started(side);
        self.threads.retain(|_, thread| thread.side != side);
        self.asked_back.retain(|_, (of, _)| *of != side);
        let gone: Vec<String> =
            self.asked.iter().filter(|(_, asked)| asked.side == side).map(|(key, _)| key.clone()).collect();
        let answers = gone.iter().filter_map(|key| self.asked.remove(key)).map(|asked| asked.id).collect();
        Owed { answers, turns }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use serde_json::json;

    use super::*;

    const OLD: Side = Side(1);
    const NEW: Side = Side(2);

    fn frame(value: &Value) -> Frame {
        Frame::parse(&value.to_string()).unwrap()
    }

    fn ask(table: &mut Table, id: u64, method: &str, thread: &str) -> Side {
        table.outward(&frame(&json!({"id": id, "method": method, "params": {"threadId": thread}})))
    }

    fn tell(table: &mut Table, side: Side, method: &str, thread: &str) {
        table.inward(side, &frame(&json!({"method": method, "params": {"threadId": thread, "turn": {"id": "u"}}})));
    }

    /// A table whose old side has the thread `t`, prepared by request 1.
    fn prepared() -> Table {
        let mut table = Table::new(OLD);
        assert_eq!(table.outward(&frame(&json!({"id": 1, "method": "thread/start", "params": {}}))), OLD);
        assert_eq!(table.running(OLD), 1, "being prepared");
        assert!(table.inward(OLD, &frame(&json!({"id": 1, "result": {"thread": {"id": "t"}}}))));
        assert_eq!(table.running(OLD), 1, "prepared");
        table
    }

    /// The same, after a turn.
    fn with_thread() -> Table {
        let mut table = prepared();
        ask(&mut table, 90, "turn/start", "t");
        tell(&mut table, OLD, "turn/started", "t");
        table.inward(OLD, &frame(&json!({"id": 90, "result": {"turn": {"id": "u"}}})));
        tell(&mut table, OLD, "turn/completed", "t");
        assert_eq!(table.running(OLD), 0);
        table
    }

    #[test]
    fn a_turn_that_was_prepared_before_the_switch_stays_with_its_thread() {
        let mut table = prepared();
        table.outward(&frame(&json!({"id": 2, "method": "thread/start", "params": {}})));
        table.set_lead(NEW);
        assert!(table.idle_elsewhere().is_empty());
        assert_eq!(ask(&mut table, 3, "turn/start", "t"), OLD);
        tell(&mut table, OLD, "turn/completed", "t");
        assert_eq!(ask(&mut table, 4, "turn/start", "t"), NEW, "the next one is a new turn");
        // Its thread was asked for before, and answered after.
        table.inward(OLD, &frame(&json!({"id": 2, "result": {"thread": {"id": "late"}}})));
        assert_eq!(table.running(OLD), 1);
        ask(&mut table, 5, "thread/unsubscribe", "late");
        assert_eq!((table.running(OLD), ask(&mut table, 6, "turn/start", "late")), (0, NEW), "given up");
    }

    #[test]
    fn a_turn_counts_from_its_request_to_its_end() {
        let mut table = with_thread();
        ask(&mut table, 2, "turn/start", "t");
        assert_eq!(table.running(OLD), 1, "asked for");
        tell(&mut table, OLD, "turn/started", "t");
        table.inward(OLD, &frame(&json!({"id": 2, "result": {"turn": {"id": "u"}}})));
        assert_eq!((table.running(OLD), table.started(OLD)), (1, vec![("t".to_owned(), "u".to_owned())]));
        tell(&mut table, OLD, "turn/completed", "t");
        assert_eq!(table.running(OLD), 0);
        ask(&mut table, 3, "turn/start", "t");
        table.inward(OLD, &frame(&json!({"id": 3, "error": {"code": 1, "message": "no"}})));
        assert_eq!(table.running(OLD), 0, "refused");
    }

    #[test]
    fn i2_after_a_switch_turns_begin_on_the_lead_and_running_ones_stay() {
        let mut table = with_thread();
        ask(&mut table, 2, "turn/start", "t");
        tell(&mut table, OLD, "turn/started", "t");
        table.set_lead(NEW);
        assert_eq!(ask(&mut table, 3, "turn/steer", "t"), OLD);
        assert_eq!(ask(&mut table, 4, "turn/interrupt", "t"), OLD);
        for (id, method) in
            (5..).zip(["turn/start", "review/start", "thread/compact/start", "thread/resume", "thread/fork"])
        {
            assert_eq!(ask(&mut table, id, method, "t"), NEW, "{method}");
        }
        assert_eq!(table.outward(&frame(&json!({"id": 20, "method": "thread/start", "params": {}}))), NEW);
        assert_eq!((table.running(OLD), table.running(NEW)), (1, 0), "what the lead refuses steals no thread");
        assert!(table.idle_elsewhere().is_empty());
        tell(&mut table, OLD, "turn/completed", "t");
        assert_eq!(table.idle_elsewhere(), ["t"]);
        assert_eq!(ask(&mut table, 21, "thread/unsubscribe", "t"), OLD);
    }

    #[test]
    fn ids_of_two_sides_do_not_meet() {
        let mut table = Table::new(OLD);
        let (first, second) = (table.ask_back(OLD, json!(0)), table.ask_back(NEW, json!(0)));
        assert_ne!(first, second);
        assert_eq!(table.answer_back(&json!(second)), Some((NEW, json!(0))));
        assert_eq!(table.answer_back(&json!(second)), None, "answered once");
        assert_eq!(table.settled(OLD, &json!(0)), Some(first));
        assert_eq!(table.answer_back(&json!(first)), None);
    }

    #[test]
    fn a_side_that_is_gone_leaves_debts() {
        let mut table = with_thread();
        ask(&mut table, 2, "turn/start", "t");
        tell(&mut table, OLD, "turn/started", "t");
        let number = table.ask_back(OLD, json!("own"));
        table.set_lead(NEW);
        ask(&mut table, 3, "turn/start", "another");
        let owed = table.forget(OLD);
        assert_eq!(owed, Owed { answers: vec![json!(2)], turns: vec![("t".into(), "u".into())] });
        assert_eq!(table.answer_back(&json!(number)), None);
        assert_eq!((table.running(OLD), table.running(NEW)), (0, 1));
        assert!(!table.inward(OLD, &frame(&json!({"id": 2, "result": {}}))), "nobody waits for it");
    }
}
