//! The driver of the pins against the model of pins.
#![cfg(feature = "host")]

mod bench;
mod broken;
mod death;
mod frames;
mod goals;
mod script;
#[path = "../shared/station.rs"]
mod station;
mod wires;
