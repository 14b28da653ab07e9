//! A board that keeps to nothing: for tests of the boards that it is linked with.
//!
//! Its link is as it should be; of its other processes each that other boards let call them makes calls with any
//! content, to whatever entry of whatever process. What it asks for is drawn from a seed, and mostly plausible:
//! entries that are let in, numbers that answers contained, small numbers, pids, descriptors of programs.
//!
//! It spares others what any program of any board has a right to, however good the checks are: it opens no file by a
//! name that it has not made, takes no references by guessing lives, sends no signal that ends a program, changes no
//! policy. So whatever harms another board's programs is a hole.
//! Not here: frames that are not well formed (the router's own tests).
#![no_std]
#![forbid(unsafe_code)]

mod aim;
mod attack;
mod content;
mod deed;

pub use attack::{Attack, start_hostile};
pub use deed::Deed;
