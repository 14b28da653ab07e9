//! System calls that real programs make on booted boards: what they see is what Linux shows them.

mod fifos;
mod locks;
mod timers;
mod waits;
