//! The token protocol over the driver of each bus, on the model of pins and of SPI's registers: two to eight boards.
//!
//! What is SPI here has never run on a board.
#![cfg(feature = "host")]

mod bus;
mod chaos;
mod death;
#[path = "../shared/lacking.rs"]
mod lacking;
mod lost;
mod oddities;
mod passing;
mod ring;
mod site;
mod wires;
