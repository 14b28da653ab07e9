//! Carriers of frames between boards: [`Phy`] (whole frames, from any device), [`token::TokenPhy`] (a bus with a
//! token), and implementations without a board.
//!
//! Invariant: a phy carries whole frames or loses them; the frame's checksums reveal every change. Not here: drivers of
//! real devices (`board-rpi`), the frame (`wire`), the right to send (`mac`), retransmission (`sysprocs/router`).
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "loopback")]
extern crate std;

#[cfg(feature = "loopback")]
pub mod loopback;

pub mod bus_phy;
pub mod linkbench;
pub mod pins;
pub mod pintest;
pub mod spi;
pub mod token;

pub use renga_hal::link::{FRAME_BYTES_MAX, FrameDevice as Phy, TransmitFull};

/// Bytes that a phy takes at once suffice for every frame.
const _: () = assert!(renga_wire::FRAME_BYTES_MAX <= FRAME_BYTES_MAX);
