//! Calls between boards over a simulated bus.

mod asynchronous;
mod cast;
mod cost;
mod faults;
mod synchronous;
