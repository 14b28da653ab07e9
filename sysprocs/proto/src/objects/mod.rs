//! What descriptors stand for beside files: pipes, sockets, terminals, events, words of memory.

pub mod console;
pub mod events;
pub mod fifos;
pub mod futex;
pub mod interfaces;
pub mod internet;
pub mod pipe;
pub mod socket;
pub mod socket_table;
pub mod terminals;
