//! Sets of `action:kind` as bits, so that a decision is a few machine words.

use occ_model::UnknownWord;
use occ_model::access::Permission;
use occ_model::operation::{Action, Kind};

/// A set of permissions. `Action::ALL.len() * Kind::ALL.len()` is below 256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PermissionSet([u64; 4]);

impl PermissionSet {
    fn bit(action: Action, kind: Kind) -> (usize, u64) {
        let index = kind as usize * Action::ALL.len() + action as usize;
        (index / 64, 1 << (index % 64))
    }

    /// Adds one.
    pub fn insert(&mut self, action: Action, kind: Kind) {
        let (word, bit) = Self::bit(action, kind);
        self.0[word] |= bit;
    }

    /// Whether it holds one.
    pub fn contains(&self, action: Action, kind: Kind) -> bool {
        let (word, bit) = Self::bit(action, kind);
        self.0[word] & bit != 0
    }

    /// Whether it holds any action on `kind`.
    pub fn touches(&self, kind: Kind) -> bool {
        Action::ALL.iter().any(|action| self.contains(*action, kind))
    }

    /// Whether it holds everything that `other` holds.
    pub fn covers(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(own, wanted)| wanted & !own == 0)
    }

    /// Everything in it, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = Permission> + '_ {
        Kind::ALL.iter().flat_map(move |kind| {
            Action::ALL
                .iter()
                .filter(move |action| self.contains(**action, *kind))
                .map(move |action| Permission { action: *action, kind: *kind })
        })
    }

    /// From the stored `action:kind` texts.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownWord> {
        let mut set = Self::default();
        for text in texts {
            let (action, kind) = text.split_once(':').ok_or(UnknownWord("permission"))?;
            set.insert(action.parse()?, kind.parse()?);
        }
        Ok(set)
    }
}

impl FromIterator<(Action, Kind)> for PermissionSet {
    fn from_iter<I: IntoIterator<Item = (Action, Kind)>>(items: I) -> Self {
        let mut set = Self::default();
        for (action, kind) in items {
            set.insert(action, kind);
        }
        set
    }
}
