//! Waiting for descriptors, and descriptors that are there to be waited for: counts, timers, signals, sets of watches.

mod event_files;
mod poll;
mod poll_round;
mod signal_files;
mod watches;
