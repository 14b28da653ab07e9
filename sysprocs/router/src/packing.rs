//! Packing what a reply returns, where that takes less time than the bytes that it saves take on the wire.
//!
//! The packed form is a block of LZ4. Whether it pays is measured: the time of packing by the board's clock, against
//! the link's time for a page. What does not pay is sent as it is, and so are some replies behind it: twice as many
//! each time, until one pays again. So neither a slow processor nor content that does not shrink costs more than a
//! small share.
//!
//! Invariant: of what another board sends nothing is unpacked beyond the length that it has announced. Called by:
//! `incoming.rs`, `outgoing.rs`. Not here: which bytes a reply has (`calls/in_call.rs`).

use crate::stats::add;
use core::cell::Cell;
use lz4_flex::block::{CompressTable, compress_into_with_table, decompress_into, get_maximum_output_size};
use renga_rt::PAGE_BYTES;

/// A shorter answer, and its head, fit into one frame.
pub(crate) const PACKED_FROM_BYTES: usize = 1024;
/// Most answers in a row that are not tried.
const PAUSE_MAX: u32 = 1023;
/// Unpacking takes no longer than packing.
const COST_FACTOR: u64 = 2;
const ROOM_BYTES: usize = get_maximum_output_size(PAGE_BYTES);

/// The bytes of an answer: as they are sent, and, if they are packed, unpacked.
#[derive(Clone, Copy, Default)]
pub(crate) struct AnswerBytes {
    pub(crate) sent: u16,
    /// 0: they are not packed.
    pub(crate) plain: u16,
}

impl AnswerBytes {
    /// Bytes in the slice taken when all is there.
    pub(crate) fn used(self) -> usize {
        usize::from(if self.plain > 0 { self.plain } else { self.sent })
    }
}

/// What packing needs, made at boot.
pub struct Packer {
    table: CompressTable,
    room: [u8; ROOM_BYTES],
    /// How long the link takes for a page, ns.
    page_ns: u64,
    /// Answers that are not to be tried, and how many these were at first.
    pause: u32,
    paused: u32,
}

impl Packer {
    /// For a link that takes `page_ns` for a page.
    pub fn new(page_ns: u64) -> Packer {
        Packer { table: CompressTable::small(), room: [0; ROOM_BYTES], page_ns, pause: 0, paused: 0 }
    }

    /// Packs `answer` in its place if that pays by the clock `now_ns`, and counts it as `packed`.
    pub(crate) fn pack(&mut self, answer: &mut [u8], packed: &Cell<u64>, now_ns: impl Fn() -> u64) -> AnswerBytes {
        let plain = AnswerBytes { sent: answer.len() as u16, plain: 0 };
        if answer.len() < PACKED_FROM_BYTES {
            return plain;
        }
        if self.pause > 0 {
            self.pause -= 1;
            return plain;
        }
        let begun_ns = now_ns();
        let bytes = compress_into_with_table(answer, &mut self.room, &mut self.table).unwrap_or(answer.len());
        let took_ns = now_ns() - begun_ns;
        let saved_ns = answer.len().saturating_sub(bytes) as u64 * self.page_ns / PAGE_BYTES as u64;
        if saved_ns <= COST_FACTOR * took_ns {
            self.paused = (2 * self.paused + 1).min(PAUSE_MAX);
            self.pause = self.paused;
            return plain;
        }
        self.paused = 0;
        add(packed, 1);
        answer[..bytes].copy_from_slice(&self.room[..bytes]);
        AnswerBytes { sent: bytes as u16, plain: plain.sent }
    }

    /// Unpacks the bytes at the front of `answer`, in their place; whether they are what was announced.
    pub(crate) fn unpack(&mut self, answer: &mut [u8], bytes: AnswerBytes) -> bool {
        let (sent, plain) = (usize::from(bytes.sent), usize::from(bytes.plain));
        let (Some(packed), Some(out)) = (self.room.get_mut(..sent), answer.get_mut(..plain)) else { return false };
        let Some(came) = out.get(..sent) else { return false };
        packed.copy_from_slice(came);
        decompress_into(packed, out).is_ok_and(|bytes| bytes == plain)
    }
}
