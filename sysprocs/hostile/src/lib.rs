//! A hostile board, for tests of the boards that it is linked with.
//!
//! Its link is honest. Each of its other processes that may call other boards calls any entry of any process with any
//! content.
//! A seed draws the calls, mostly plausible ones: permitted entries, numbers from earlier answers, small numbers, pids.
//!
//! It uses no right that every program has, however good the checks are: it opens no file by a name that it has not
//! made, guesses no generations, sends no fatal signal, changes no policy. So whatever harms another board's programs
//! is a hole. Not here: malformed frames (the router's own tests).
#![no_std]
#![forbid(unsafe_code)]

mod attack;
mod call_choice;
mod scripted_call;
mod slices;

pub use attack::{Attack, start_hostile};
pub use scripted_call::ScriptedCall;
