//! The walk: everybody who may not asks at a door, then somebody who may.
//!
//! What is wrong is collected with the door's name, so that one run tells everything.

use axum::http::StatusCode;
use occ_model::problem::Code;

use super::answer::{Answer, difference};
use super::door::{Asked, Control, Door, Refusal};
use super::world::{Form, Side, State, World, writes};
use crate::test_site::{ORIGIN, SignedIn};

/// Whoever may not.
#[derive(Clone, Copy, Debug)]
enum Stranger {
    /// Has no rights at all.
    Nobody,
    /// Has every right but the one that is asked for.
    AllButThis,
    /// Administers another tenant.
    OtherTenant,
}

/// A door, and what was found wrong there.
pub struct Walk<'a> {
    world: &'a World,
    door: &'a Door,
    faults: Vec<String>,
}

/// What the door leaves open for which nothing is known.
pub fn unknown(world: &World, door: &Door) -> Option<String> {
    let words: Vec<_> = door.places().into_iter().filter(|word| !world.a.knows(word)).collect();
    (!words.is_empty()).then(|| {
        format!("{}: nothing is known to fill in for {words:?}: add it in server/src/coverage/things.rs", door.name)
    })
}

/// What is wrong with how this door refuses.
pub async fn refusals(world: &World, door: &Door, before: &mut State) -> Vec<String> {
    let mut walk = Walk { world, door, faults: Vec::new() };
    walk.anonymous().await;
    walk.nobody().await;
    walk.all_but_this().await;
    walk.other_tenant().await;
    let after = world.state().await;
    let changed: Vec<_> = after.iter().filter(|(table, rows)| before.get(*table) != Some(rows)).collect();
    walk.expect(changed.is_empty(), || format!("refusing changed {changed:?}"));
    *before = after;
    walk.faults
}

/// What is wrong with how this door answers whoever may.
pub async fn control(world: &World, door: &Door, form: Form) -> Vec<String> {
    let mut walk = Walk { world, door, faults: Vec::new() };
    let answer = world.ask(&world.admin, door, &door.of(&world.a, form)).await;
    let as_stated = match door.control {
        Control::Done => answer.status.is_success(),
        Control::Conflict(code) => {
            matches!(answer.status, StatusCode::CONFLICT | StatusCode::PRECONDITION_FAILED)
                && answer.code() == Some(code)
        }
    };
    walk.expect(as_stated, || format!("whoever may is answered {}, not {:?}", answer.short(), door.control));
    if let Some(word) = door.shows {
        let id = world.a.value(word, Form::Id);
        walk.expect(answer.body.contains(id), || {
            format!("{{{word}}} is not in the answer to whoever may: {}", answer.short())
        });
    }
    walk.faults
}

impl Walk<'_> {
    fn expect(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(format!("{}: {}", self.door.name, otherwise()));
        }
    }

    /// Without credentials, and with those of somebody who may on another page.
    async fn anonymous(&mut self) {
        let asked = self.door.of(&self.world.a, Form::Id);
        let answer = self.world.ask_from(ORIGIN, None, self.door, &asked).await;
        self.refused("without credentials", &answer, Code::Unauthenticated);
        if writes(&self.door.method) {
            let answer = self.world.ask_from("null", None, self.door, &asked).await;
            self.refused("without credentials, from no page", &answer, Code::Unauthenticated);
            let answer = self.world.ask_from("http://evil.test", Some(&self.world.admin), self.door, &asked).await;
            self.refused("from another page", &answer, Code::OriginMismatch);
        }
    }

    fn refused(&mut self, how: &str, answer: &Answer, code: Code) {
        let problem = answer.headers.get("content-type").is_some_and(|value| value == "application/problem+json");
        let is_rest = self.door.address.starts_with("/api/v1/");
        let as_it_must = answer.status == code.status() && answer.code() == Some(code) && (problem || !is_rest);
        self.expect(as_it_must && answer.audited.is_empty(), || format!("{how}: {}, not {code}", answer.short()));
    }

    async fn nobody(&mut self) {
        for form in self.door.forms(&self.world.a) {
            self.as_absent(Stranger::Nobody, &self.world.nobody, form).await;
        }
    }

    async fn all_but_this(&mut self) {
        if let Some(who) = self.world.all_but(self.door) {
            self.as_absent(Stranger::AllButThis, who, Form::Id).await;
        }
    }

    /// I6 in every mixture: some of what is named is the first tenant's, the rest one's own.
    async fn other_tenant(&mut self) {
        let (world, door) = (self.world, self.door);
        let varying: Vec<_> = door.places().into_iter().filter(|word| !world.a.shares(word, &world.b)).collect();
        for form in door.forms(&world.a) {
            self.as_absent(Stranger::OtherTenant, &world.foreign, form).await;
            let all = (1_u32 << varying.len()) - 1;
            for mixture in 1..all {
                let theirs = |word: &str| {
                    varying.iter().position(|known| known == word).is_some_and(|at| (mixture >> at) & 1 == 1)
                };
                let foreign = door.filled(form, |word| if theirs(word) { &world.a } else { &world.b });
                let absent = door.filled(form, |word| if theirs(word) { &world.absent } else { &world.b });
                self.alike(Stranger::OtherTenant, &world.foreign, [&foreign, &absent]).await;
            }
        }
    }

    /// What is there answers like what is not; so does what is not there beside what is.
    async fn as_absent(&mut self, stranger: Stranger, who: &SignedIn, form: Form) {
        let (world, door) = (self.world, self.door);
        let there = door.of(&world.a, form);
        let answer = self.alike(stranger, who, [&there, &door.of(&world.absent, form)]).await;
        self.as_stated(stranger, &answer);
        for (at, _) in door.places().iter().enumerate().skip(1) {
            let beside = door.filled(form, |word| self.side_until(at, word));
            self.alike(stranger, who, [&there, &beside]).await;
        }
    }

    /// The first places of the door are the first tenant's, the others are absent.
    fn side_until(&self, at: usize, word: &str) -> &Side {
        let first = self.door.places().iter().take(at).any(|place| place == word);
        if first { &self.world.a } else { &self.world.absent }
    }

    /// Two requests with one answer, of which nothing is the first tenant's.
    async fn alike(&mut self, stranger: Stranger, who: &SignedIn, [one, other]: [&Asked; 2]) -> Answer {
        let answer = self.world.ask(who, self.door, one).await;
        let shown = self.world.shown_of_a(&answer.text(one)).join(", ");
        self.expect(shown.is_empty(), || format!("I16: {stranger:?} is shown {shown} at {}", one.address));
        self.expect(answer.status.as_u16() < 500, || format!("{stranger:?} is answered {}", answer.short()));
        if one != other {
            let second = self.world.ask(who, self.door, other).await;
            if let Some(difference) = difference((one, &answer), (other, &second)) {
                self.expect(false, || format!("I6: {stranger:?} can tell the one from the other:{difference}"));
            }
        }
        answer
    }

    /// Status, code and audit of a refusal.
    fn as_stated(&mut self, stranger: Stranger, answer: &Answer) {
        let code = match (self.door.refusal, stranger) {
            (Refusal::Own, _) => return,
            (Refusal::Filtered, _) | (Refusal::Closed, Stranger::OtherTenant) => None,
            (Refusal::Hidden | Refusal::Closed, Stranger::AllButThis) => Some(Code::Forbidden),
            (Refusal::Hidden, _) | (Refusal::Closed, Stranger::Nobody) => Some(Code::NotFound),
        };
        let status = code.map_or(200, Code::status);
        let denied = answer.audited == [(self.door.operation.id.to_owned(), "denied".to_owned())];
        self.expect(answer.status == status && answer.code() == code, || {
            format!("{stranger:?} is answered {}, not {status} {code:?}", answer.short())
        });
        self.expect(code.is_none() || denied, || {
            format!("the denial of {stranger:?} is not audited: {}", answer.short())
        });
    }
}
