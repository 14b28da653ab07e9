//! Damaged files, given to commands that boot nothing: a line says why, the status is Renga's own, the file stays.
//!
//! Not here: damage that only a board sees (`tests/cluster/host_faults`).

mod disk;
mod output;
mod support;
mod texts;
