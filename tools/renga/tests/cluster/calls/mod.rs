//! System calls that real programs make on booted boards: what they see is what Linux shows them.

mod conformance;
mod events;
mod fifos;
mod internet;
mod locks;
mod roots;
mod segments;
mod sockets;
mod terminals;
mod threads;
mod timers;
mod users;
mod waits;
mod watched_files;
mod watches;
