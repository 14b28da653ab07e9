//! The protocol of the random servers, and the contents of its messages.

use renga_rt::{Errno, ProcId};

renga_core::protocol! {
    /// A server of random runs. Each call has an identity of its own, by which it is known.
    pub Trial = 52, TrialCall {
        /// Takes `busy_ns`, calls along `route`, and replies [`answer`]; transforms the slice given into the one taken.
        0 Work { id: u64, busy_ns: u64, route: u64 } ((&'a [u8], &'a mut [u8])) -> Result<u64, Errno>;
        /// Is answered after `time_ns`, or when interrupted; others are served meanwhile.
        1 Wait { id: u64, time_ns: u64 } (()) -> Result<u64, Errno> [defers];
        /// Returns nothing, so that its caller need not wait; or fails.
        2 Note { id: u64, fail: bool } (&'a [u8]) -> Result<(), Errno> [releases];
    }
}

/// Bits of one hop of a route.
const HOP_BITS: u32 = 16;

/// What a call is answered.
pub fn answer(id: u64) -> u64 {
    id.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// Fills a slice that goes with call `id`.
pub fn fill(bytes: &mut [u8], id: u64) {
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = (answer(id) >> (at % 7 * 8)) as u8 ^ at as u8;
    }
}

/// Whether a slice has the content of [`fill`].
pub fn filled(bytes: &[u8], id: u64) -> bool {
    bytes.iter().enumerate().all(|(at, byte)| *byte == (answer(id) >> (at % 7 * 8)) as u8 ^ at as u8)
}

/// A route by way of servers, each a board and a number there.
pub fn route(hops: &[(u8, u8)]) -> u64 {
    let hop = |(board, number): &(u8, u8)| (u64::from(*board) << 8 | u64::from(*number)) + 1;
    hops.iter().rev().fold(0, |route, at| route << HOP_BITS | hop(at))
}

/// The first hop of a route, and the rest of it.
pub fn split(route: u64) -> Option<((u8, u8), u64)> {
    let hop = (route & ((1 << HOP_BITS) - 1)).checked_sub(1)?;
    Some((((hop >> 8) as u8, hop as u8), route >> HOP_BITS))
}

/// Errors that a call may end with though its server never said so: the board is down, or was reset.
pub fn is_of_link(errno: Errno) -> bool {
    errno == Errno::EHOSTDOWN || errno == Errno::ESTALE
}

/// How a process is named in reports.
pub fn named(board: u8, what: &str, number: usize) -> String {
    format!("{}.{what}{number}", (b'a' + board) as char)
}

/// The character of a process's board.
pub fn letter(id: ProcId) -> char {
    (b'a' + id.board.0) as char
}
