//! Calls between boards over a simulated bus.

mod asynchronous;
mod cast;
mod cost;
mod death;
mod faults;
mod hostile;
mod permits;
mod record;
mod synchronous;
