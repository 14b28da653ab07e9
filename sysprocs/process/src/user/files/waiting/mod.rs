//! Waiting for descriptors, and descriptors that are there to be waited for: counts, timers, signals, sets of
//! watches, notices of changed files, processes.

mod event_files;
mod notices;
mod poll;
mod poll_round;
mod process_files;
mod signal_files;
mod watches;
