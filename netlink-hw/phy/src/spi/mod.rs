//! The link over SPI: the token's holder is master, all others receive by their slave peripheral and never answer by
//! it.
//!
//! **It has never run on a board.** Frames cross in chunks that fit the slaves' FIFOs; two open-drain lines report
//! alternately that all have emptied theirs, so the slaves may have any rate, and no octet finds a full FIFO. The
//! answers of the poll cross one bit at a time. `docs/reference/link-spi.md` is the protocol.
//!
//! Invariant: every wait has a bound ([`timing`]); after an error this board drives no line that others need. Not here:
//! the right to talk (`renga-mac`); registers (`renga-board-rpi`).

mod bus;
mod listen;
mod talk;
mod timing;
pub mod wiring;

pub use bus::SpiBus;
pub use timing::timing;

/// The bus over SPI on a bus with a token.
pub type SpiPhy<G, M, S> = crate::bus_phy::BusPhy<SpiBus<G, M, S>>;

/// Octets that a slave's FIFO holds.
pub const FIFO_OCTETS: usize = 16;
/// Octets of a frame in one chunk: one less than the FIFO holds, for the last that may be lost.
pub const CHUNK_OCTETS: usize = FIFO_OCTETS - 1;
/// The first octet of each chunk. Its lowest bit is 0: what follows is received.
pub const HEAD: u8 = 0x00;
/// The last octet of each chunk, which says nothing, because at some rates the last is lost. It leaves the data wire
/// low.
pub const TAIL: u8 = 0x00;
