//! Sockets: one process each ([`socket`]), the table that knows which are free and which have a name
//! ([`socket_table`]), and who closes connections that nobody accepts ([`socket_closer`]).
//!
//! A process of its own kind rather than two pipes: one call polls both directions, a record and its sender stay
//! together, and the state of a connection (address, partner, pending error) has one owner. A connection lives in the
//! process of the socket that connected. A listener queues only handles of connections, so sockets never call sockets,
//! and nobody waits in a circle: programs call sockets and the table, sockets call the table, which calls nobody.
//! Not here: descriptors, paths and SIGPIPE (`process`).
#![no_std]
#![forbid(unsafe_code)]

mod closer;
mod flights;
mod server;
mod side;
mod table;
mod wait_limit;

pub use closer::socket_closer;
pub use flights::Flight;
pub use server::socket;
pub use table::{SocketName, socket_table};
