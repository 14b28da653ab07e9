//! Pipes: one process each ([`pipe`]), and the table that knows which are free ([`pipe_table`]).
//!
//! Not here: file descriptors and SIGPIPE (`process`), pipes between boards, which are the same
//! processes called through routers.
#![no_std]
#![forbid(unsafe_code)]

mod ring;
mod server;
mod table;

pub use ring::Ring;
pub use server::pipe;
pub use table::pipe_table;
