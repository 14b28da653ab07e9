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
const PAUSE_MAX: u32 = 63;
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

#[cfg(test)]
mod tests {
    use super::{AnswerBytes, PACKED_FROM_BYTES, PAUSE_MAX, Packer};
    use core::cell::Cell;
    use renga_rt::PAGE_BYTES;

    const PAGE_NS: u64 = 2_000_000;

    /// Text-like content, which shrinks, or content that does not.
    fn content(shrinks: bool) -> [u8; PAGE_BYTES] {
        let mut state = 1_u32;
        core::array::from_fn(|at| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if shrinks { (at % 61) as u8 ^ (state >> 31) as u8 } else { (state >> 24) as u8 }
        })
    }

    /// Packs with a clock that goes on by `took_ns` between two readings; and whether it was packed.
    fn pack(packer: &mut Packer, answer: &mut [u8], took_ns: u64) -> (AnswerBytes, bool) {
        let (now_ns, packed) = (Cell::new(0), Cell::new(0));
        let clock = || now_ns.replace(now_ns.get() + took_ns);
        (packer.pack(answer, &packed, clock), packed.get() == 1)
    }

    #[test]
    fn packing_answer_that_shrinks_comes_back_whole() {
        let mut packer = Packer::new(PAGE_NS);
        for bytes in [PACKED_FROM_BYTES, 3000, PAGE_BYTES] {
            let plain = content(true);
            let mut answer = plain;
            let (sent, packed) = pack(&mut packer, &mut answer[..bytes], 10_000);
            assert!(
                packed && usize::from(sent.sent) < bytes * 9 / 10 && sent.used() == bytes,
                "{bytes}: {}",
                sent.sent
            );
            answer[usize::from(sent.sent)..].fill(0xee); // that did not travel
            assert!(packer.unpack(&mut answer[..bytes], sent));
            assert_eq!(answer[..bytes], plain[..bytes]);
        }
        let mut short = [0; PACKED_FROM_BYTES - 1];
        assert!(!pack(&mut packer, &mut short, 0).1);
    }

    #[test]
    fn packing_that_does_not_pay_is_tried_ever_less_often() {
        for (shrinks, took_ns) in [(false, 0), (true, PAGE_NS)] {
            let (mut packer, mut tries, mut plain) = (Packer::new(PAGE_NS), 0, content(shrinks));
            for _ in 0..4000 {
                tries += u32::from(packer.pause == 0);
                let (sent, packed) = pack(&mut packer, &mut plain, took_ns);
                assert!(!packed && sent.plain == 0 && sent.used() == PAGE_BYTES);
            }
            assert_eq!(plain, content(shrinks), "it is sent as it is");
            // Pauses of 1, 3, 7, 15, 31, then of 63.
            assert_eq!(tries, 67, "of 4000, with at most {PAUSE_MAX} between two");
            packer.pause = 0;
            assert!(pack(&mut packer, &mut content(true), 0).1, "what pays is packed again");
            assert!(pack(&mut packer, &mut content(true), 0).1, "and without a pause");
        }
    }

    #[test]
    fn packed_answer_that_is_not_what_was_announced_is_refused() {
        let mut packer = Packer::new(PAGE_NS);
        let mut packed = content(true);
        let (good, _) = pack(&mut packer, &mut packed, 0);
        let announced = [
            AnswerBytes { plain: good.plain - 1, ..good },
            AnswerBytes { sent: good.sent - 1, ..good },
            AnswerBytes { sent: 0, ..good },
            AnswerBytes { sent: u16::MAX, ..good },
            AnswerBytes { sent: good.plain, plain: good.sent },
        ];
        for bytes in announced {
            assert!(!packer.unpack(&mut { packed }, bytes), "{} of {}", bytes.sent, bytes.plain);
        }
        assert!(!packer.unpack(&mut { packed }[..PAGE_BYTES - 1], good), "without room");
        for at in 0..usize::from(good.sent) {
            let mut damaged = packed;
            damaged[at] ^= 0x55;
            packer.unpack(&mut damaged, good); // whatever it says, it ends
        }
    }
}
