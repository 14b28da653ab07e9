//! Where two traces part, and what they have more of.

use crate::event::Timed;
use crate::header::TraceHeader;
use crate::summary::{CallEdge, EdgeSum, summary};
use std::collections::BTreeSet;

/// Two traces beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first events that differ; none of a trace that ends there.
    pub first: Option<[Option<Timed>; 2]>,
    /// Edges with other sums, in the one and in the other.
    pub edges: Vec<(CallEdge, [EdgeSum; 2])>,
}

/// Compares two traces.
pub fn difference(header: &TraceHeader, one: &[Timed], other: &[Timed]) -> Difference {
    let place = one.iter().zip(other).position(|(left, right)| left != right).unwrap_or(one.len().min(other.len()));
    let pair = [one.get(place).cloned(), other.get(place).cloned()];
    let first = (pair != [None, None]).then_some(pair);
    let [left, right] = [one, other].map(|events| summary(header, events).edges);
    let names: BTreeSet<&CallEdge> = left.keys().chain(right.keys()).collect();
    let sums = |edge: &CallEdge| [&left, &right].map(|edges| edges.get(edge).copied().unwrap_or_default());
    let changed = names.into_iter().map(|edge| (edge.clone(), sums(edge))).filter(|(_, [left, right])| left != right);
    Difference { first, edges: changed.collect() }
}
