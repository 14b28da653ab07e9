//! The token protocol: which board may talk on the bus, as each board decides for itself.
//!
//! [`Mac::step`] takes an event and the present lines, and returns at most one command; other methods give the lines to
//! pull low and to watch, and the answers. Invariant: a board commands to send only while it has the token and pulls
//! BUSY# low, and every state in which it pulls a line low ends by itself. The protocol is written down in
//! `docs/reference/link-token.md`.
//!
//! Not here: the clock, the wires (`phy`), frames of data and what becomes of them (`sysprocs/router`).
#![no_std]
#![forbid(unsafe_code)]

#[macro_use]
mod mutant;
mod event;
mod hold;
mod idle;
mod machine;
mod members;
#[cfg(feature = "model")]
pub mod model;
mod pass;
mod state;
mod timing;

pub use event::{Actions, Control, MacCommand, MacEvent, MacReport, MacSetup, REPORTS_MAX};
pub use machine::Mac;
pub use state::{MacState, Sending};
pub use timing::{
    COLLISIONS_MAX, EPOCH_LEAP, FAULT_ALARMS, FRUITLESS_POLLS_MAX, JOIN_REFUSALS_MAX, MISSES_MAX, STUCK_ALARMS,
    TokenTiming, WIRE_MISSES_MAX,
};
