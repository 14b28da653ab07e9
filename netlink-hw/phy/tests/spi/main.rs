//! The bus over SPI: the drivers of master and slave on the model's registers, the protocol between them.
#![cfg(feature = "host")]

mod bench;
mod broken;
mod death;
mod faulty;
mod frames;
#[path = "../shared/lacking.rs"]
mod lacking;
mod oddities;
#[path = "../shared/station.rs"]
mod station;
mod wires;
