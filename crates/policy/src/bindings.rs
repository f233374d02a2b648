//! The bindings of one identity, found by where they reach.
//!
//! Why: a caller may hold one binding for each of very many resources; a decision looks at those that can reach its target (all of the
//! Installation, of its Namespace, of the resource itself) and at no other.

use std::collections::HashMap;
use std::ops::Range;

use crate::facts::{BindingFact, ScopeFact};
use crate::scope::Target;

/// Bindings, sorted by scope; those of one scope keep the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    sorted: Vec<BindingFact>,
    places: HashMap<ScopeFact, Range<usize>>,
}

impl Bindings {
    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, BindingFact> {
        self.sorted.iter()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Those whose scope holds `target`.
    pub(crate) fn reaching(&self, target: &Target) -> impl Iterator<Item = &BindingFact> {
        let exact = target.id.map(|id| ScopeFact::Resource { kind: target.kind, id });
        [Some(ScopeFact::Installation), target.namespace.map(ScopeFact::Namespace), exact]
            .into_iter()
            .flatten()
            .filter_map(|scope| self.places.get(&scope))
            .flat_map(|place| &self.sorted[place.clone()])
    }
}

impl FromIterator<BindingFact> for Bindings {
    fn from_iter<I: IntoIterator<Item = BindingFact>>(items: I) -> Self {
        let mut sorted: Vec<BindingFact> = items.into_iter().collect();
        sorted.sort_by_key(|binding| binding.scope);
        let mut places = HashMap::new();
        let mut begin = 0;
        for same in sorted.chunk_by(|one, next| one.scope == next.scope) {
            let end = begin + same.len();
            places.insert(same[0].scope, begin..end);
            begin = end;
        }
        Self { sorted, places }
    }
}

impl<'a> IntoIterator for &'a Bindings {
    type Item = &'a BindingFact;
    type IntoIter = std::slice::Iter<'a, BindingFact>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Bindings {
    fn eq(&self, other: &Self) -> bool {
        self.sorted == other.sorted
    }
}

impl Eq for Bindings {}
