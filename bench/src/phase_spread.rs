//! A quantity over several phases: its median, least and most.
//!
//! Not here: which phases there are (`phases.rs`).

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A quantity over phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseSpread<T> {
    /// The middle one; of an even number, the lower of the two.
    pub median: T,
    /// The least.
    pub least: T,
    /// The most.
    pub most: T,
}

impl<T: Copy + PartialOrd> PhaseSpread<T> {
    /// Of all values; without any, nothing.
    pub fn of(values: impl Iterator<Item = T>) -> Option<PhaseSpread<T>> {
        let mut values: Vec<T> = values.collect();
        values.sort_by(|one, other| one.partial_cmp(other).unwrap_or(Ordering::Equal));
        let last = values.len().checked_sub(1)?;
        Some(PhaseSpread { median: values[last / 2], least: values[0], most: values[last] })
    }
}
