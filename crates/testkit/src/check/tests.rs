//! The checker against traces made by hand.
