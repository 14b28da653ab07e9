//! The measurement of the link on the model of pins: its figures are those of the frames themselves, and faults show.
#![cfg(feature = "host")]

mod cluster;
mod faults;
mod figures;
