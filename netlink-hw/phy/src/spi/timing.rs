//! How long things may take over SPI.

use super::CHUNK_OCTETS;
use crate::pins::PinTiming;
use renga_wire::frame::FRAME_BYTES_MAX;

/// Clocks of an octet, with the one of rest.
const OCTET_CLOCKS: u64 = 9;
/// Chunks of the longest frame, each with its head and its tail.
const CHUNKS: u64 = (FRAME_BYTES_MAX as u64).div_ceil(CHUNK_OCTETS as u64);
const CHUNK_CLOCKS: u64 = (CHUNK_OCTETS as u64 + 2) * OCTET_CLOCKS;
/// Between two chunks, and for each bit of the poll, ns: far more than boards that poll need.
const ANSWER_NS: u64 = 5_000;
/// Answers in a poll.
const POLL_ANSWERS: u64 = 32;

/// Bounds at `rate_hz`, for boards that are up to `arm_ns` late to hear of a frame.
pub const fn timing(rate_hz: u64, arm_ns: u64) -> PinTiming {
    let chunk_ns = CHUNK_CLOCKS * 1_000_000_000 / rate_hz;
    let answer_ns = 50_000;
    let frame_ns = CHUNKS * (chunk_ns + ANSWER_NS) + POLL_ANSWERS * ANSWER_NS + 2 * arm_ns;
    PinTiming {
        settle_ns: 500,
        hold_ns: 0,
        arm_ns,
        answer_ns,
        strobe_ns: chunk_ns + 2 * answer_ns + arm_ns + super::talk::SLOTS_NS,
        abandon_ns: 10_000,
        // A core's clock that is slower than it says.
        frame_ns: 2 * frame_ns,
    }
}
