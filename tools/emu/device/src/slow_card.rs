//! A card that takes its time after each write, as cards do when they program: QEMU's are done at once.
//!
//! Invariant: it only hides, for a while, what QEMU's host says; what is written and read is QEMU's. SD Host Controller
//! Simplified Specification 3.00. Not here: how slow media are on the whole (`renga-fs`, `medium/timing.rs`).

/// The registers' size.
pub const BLOCK_BYTES: u64 = 0x100;
const DATA: u64 = 0x20;
const STATUS: u64 = 0x24;
const INTERRUPT: u64 = 0x30;
const STATUS_DATA_BUSY: u32 = 1 << 1;
const INTERRUPT_DATA_DONE: u32 = 1 << 1;

/// The card of one board.
#[derive(Debug)]
pub struct SlowCard {
    write_ns: u64,
    busy_until_ns: u64,
}

impl SlowCard {
    /// One that is busy for so long after what it was given.
    pub fn new(write_ns: u64) -> SlowCard {
        SlowCard { write_ns, busy_until_ns: 0 }
    }

    /// The board writes the register at `offset`.
    pub fn written(&mut self, offset: u64, now_ns: u64) {
        if offset == DATA {
            self.busy_until_ns = now_ns + self.write_ns;
        }
    }

    /// What the board reads there when QEMU's host says `value`.
    pub fn adjusted(&self, offset: u64, value: u32, now_ns: u64) -> u32 {
        match offset {
            _ if now_ns >= self.busy_until_ns => value,
            INTERRUPT => value & !INTERRUPT_DATA_DONE,
            STATUS => value | STATUS_DATA_BUSY,
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_card_is_busy_after_data_only() {
        let mut card = SlowCard::new(100);
        card.written(0x0c, 5);
        assert_eq!((card.adjusted(INTERRUPT, 3, 5), card.adjusted(STATUS, 0, 5)), (3, 0));
        card.written(DATA, 10);
        assert_eq!(
            (card.adjusted(INTERRUPT, 3, 109), card.adjusted(STATUS, 0, 109), card.adjusted(0x10, 3, 109)),
            (1, 2, 3)
        );
        assert_eq!((card.adjusted(INTERRUPT, 3, 110), card.adjusted(STATUS, 0, 110)), (3, 0));
    }
}
