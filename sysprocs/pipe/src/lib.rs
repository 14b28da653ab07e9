//! Pipes: one process each ([`pipe`]), the table that knows which are free ([`pipe_table`]), and which of them are open
//! fifos ([`fifos`]).
//!
//! Not here: file descriptors and SIGPIPE (`process`), pipes between boards, which are the same
//! processes called through routers.
#![no_std]
#![forbid(unsafe_code)]

mod fifos;
mod ring;
mod server;
mod table;

pub use fifos::{FifoPlace, fifos};
pub use ring::Ring;
pub use server::pipe;
pub use table::pipe_table;
