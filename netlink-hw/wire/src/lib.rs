//! What crosses the link, byte by byte: frames, and the fragments of messages inside them.
//!
//! Invariant: parsing never panics and never reads past its input, whatever arrives; emitted bytes parse to the same.
//! Not here:
//! retransmission (`sysprocs/router`), the right to send (`mac`), how bits become volts (`phy`).
#![no_std]
#![forbid(unsafe_code)]

pub mod bus;
mod checksum;
mod cursor;
pub mod fragment;
pub mod frame;
pub mod words;

pub use checksum::of_payload;
pub use fragment::{Cost, Head, Request};
pub use frame::{FRAME_BYTES_MAX, FrameKind, HEADER_BYTES, Header, LinkFrame, PAYLOAD_BYTES_MAX};
pub use words::{WORDS, Words};

/// What is wrong with bytes that came over the link, or with a buffer to emit into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WireError {
    /// Fewer bytes than the layout needs, or a buffer too small.
    Short,
    /// The mark in the first nibble, or a kind that no frame has.
    NotAFrame,
    /// The header's checksum does not match.
    HeaderChecksum,
    /// The payload's checksum does not match.
    PayloadChecksum,
    /// A length or number above its bound.
    TooLarge,
}
