//! Rendezvous between the cores of a board, interleaved by many seeds.

mod accounts;
mod calls;
mod event_flags;
mod programs;
mod remote_run_queue;
mod support;
