//! The rules of code and documents that a machine can check: see `tests/tidy`.
//!
//! A crate of its own, so that a rule is checked in seconds: it needs nothing of the system but its sources.
#![forbid(unsafe_code)]
