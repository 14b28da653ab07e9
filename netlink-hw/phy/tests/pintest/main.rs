//! The test of the wires against the model of pins: what is sound, and each fault by its name.
#![cfg(feature = "host")]

mod alone;
mod cluster;
mod control;
mod data;
mod serial;
mod sound;
mod turns;
