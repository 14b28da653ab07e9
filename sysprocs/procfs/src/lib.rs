//! The files under `/proc`: one server on each board, which makes their content when it is read.
//!
//! What is known of programs comes from the tables of their boards (`procs`) and from their infos; of memory and links
//! from who keeps them. A program's files are made by the server of its board, all others by any. Text is as Linux
//! writes it, so that programs made for Linux read it.
//!
//! Invariant: nothing is kept from one read to the next. An ended process, or one of a failed board, has no file; no
//! call waits for a program.
//!
//! Not here: how paths come here (`proto::mounts`), open files (`renga_fs`), descriptors of a program that opens its
//! own (`renga_process`).
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod clients;
mod directory;
mod interface_fact;
mod placement;
mod program;
mod server;
mod tree;
mod walk;
mod whole;
mod window;

pub use clients::ProcFilesClients;
pub use placement::{PlacedEdge, PlacedKind, Plan};
pub use server::proc_files;
