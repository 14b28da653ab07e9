//! Who pulls when: the times of one wire's test, and of the boards' rounds.
//!
//! ```text
//! wire   ‾‾\____/‾‾‾‾|0 board 0's 7 bits ‾‾‾|1 board 1's 7 bits ‾‾‾| ... the next wire
//!          mark  gap
//! ```
//!
//! A symbol is longer than a wire rises and boards are late to sample, twice; all times count from the fall of the
//! mark. Not here: the content (`report`).

use renga_wire::bus::BOARDS_MAX;

/// One symbol, ns.
pub const SYMBOL_NS: u64 = 40_000;
/// Mark and gap.
const HEAD_SYMBOLS: u64 = 2;
/// Symbols of an answer, with a gap behind it.
const ANSWER_SYMBOLS: u64 = CODE_BITS as u64 + 1;
/// A one, five bits of the wire's number, and the bit that makes the number of ones odd.
pub const CODE_BITS: u32 = 7;
/// Between two samples of a board that listens, ns.
pub const POLL_NS: u64 = 2_000;

/// What says that wire `wire` fell.
pub const fn code(wire: usize) -> u32 {
    let said = 1 | (wire as u32) << 1;
    said | ((said.count_ones() + 1) % 2) << (CODE_BITS - 1)
}

/// The wire that an answer names; nothing if it is none.
pub fn wire_of(said: u32) -> Option<usize> {
    let wire = (said >> 1) as usize & 0x1f;
    (said == code(wire)).then_some(wire)
}

/// The start of bit `bit` of `board`'s answer, ns after the mark.
pub const fn bit_ns(board: u8, bit: u32) -> u64 {
    (HEAD_SYMBOLS + ANSWER_SYMBOLS * board as u64 + bit as u64) * SYMBOL_NS
}

/// All have answered after so long, ns, and listeners wait for the next wire.
pub const fn answered_ns(boards: u8) -> u64 {
    bit_ns(boards, 0)
}

/// A wire's whole test, ns: longer, as listeners are late.
pub const fn wire_ns(boards: u8) -> u64 {
    bit_ns(boards, 1)
}

/// So long no wire changes before the next board leads, ns: several wires in a row may have no contact.
pub const fn still_ns(boards: u8) -> u64 {
    8 * wire_ns(boards)
}

/// Before a board leads no wire has changed for so long, ns.
pub const fn due_ns(board: u8, boards: u8, led: bool) -> u64 {
    let slots = 1 + board as u64 + if led { boards as u64 } else { 0 };
    slots * still_ns(boards)
}

/// After so long without a change all boards have led once, and the rounds restart, ns.
pub const fn restart_ns(boards: u8) -> u64 {
    boards as u64 * still_ns(boards) + still_ns(boards) / 2
}

/// A board leads after so long, ns, even if the wires are never still: one that floats.
pub const LISTEN_NS_MAX: u64 = 3_000_000_000;

/// How often the rise of all wires is measured.
pub const RISES: usize = 4;

/// The longest round, ns: listening, the last wire heard then, and leading.
pub const fn turn_bound_ns(boards: u8) -> u64 {
    LISTEN_NS_MAX + (2 + RISES as u64 + super::WIRES_MAX as u64) * wire_ns(boards)
}

const _: () = assert!(super::WIRES_MAX <= 0x20 && due_ns(BOARDS_MAX - 1, BOARDS_MAX, true) < LISTEN_NS_MAX);
