//! Rendezvous between the cores of a board, interleaved by many seeds.

mod accounts;
mod calls;
mod homes;
mod programs;
mod signals;
mod support;
