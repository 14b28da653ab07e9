//! Calls between boards over a simulated bus.

mod asynchronous;
mod cast;
mod cost;
mod death;
mod faults;
mod hostile;
mod paired;
mod permits;
mod record;
mod synchronous;
