//! Time slices of programs: shares, weights, classes, order of wake-ups, no starvation.

mod shares;
mod signals;
mod support;
