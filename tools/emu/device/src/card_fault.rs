//! A card that fails when the host refuses a transfer of its file: QEMU's own card reports that on standard error only,
//! and the board would take the data for written or read.
//!
//! Invariant: a transfer that the host refused ends with an error of the card's host, until the board has cleared it:
//! not before its end, as QEMU's card host does not stop half-way. SD Host Controller Simplified Specification 3.00,
//! 2.2.18. Not here: reading standard error (`renga-emu-plugin`).

/// The host's register of events and errors.
pub const INTERRUPT: u64 = 0x30;
/// Its size.
pub const INTERRUPT_BYTES: u64 = 4;
const INTERRUPT_DATA_DONE: u32 = 1 << 1;
const INTERRUPT_ERROR: u32 = 1 << 15;
/// Data arrived damaged.
const INTERRUPT_DATA_CHECKSUM: u32 = 1 << 21;
/// The end of the line that QEMU 10.0.2 writes for a block that it cannot read or write (`hw/sd/sd.c`).
const REFUSED: &[u8] = b" error on host side";

/// Whether this text of QEMU's standard error reports a block that the host refused to read or write.
pub fn reports_refusal(text: &[u8]) -> bool {
    text.windows(REFUSED.len()).any(|words| words == REFUSED)
}

/// Whether the card of a board has failed.
#[derive(Debug, Default)]
pub struct CardFault {
    /// The board has not cleared the error yet.
    pending: bool,
    reported: bool,
}

impl CardFault {
    /// Notes this text of QEMU's standard error; whether it is the first that reports a failure.
    pub fn note_stderr(&mut self, text: &[u8]) -> bool {
        if !reports_refusal(text) {
            return false;
        }
        self.pending = true;
        !std::mem::replace(&mut self.reported, true)
    }

    /// The board writes `value` to the register at `offset`.
    pub fn written(&mut self, offset: u64, value: u32) {
        if offset == INTERRUPT && value & INTERRUPT_DATA_CHECKSUM != 0 {
            self.pending = false;
        }
    }

    /// What the board reads there when QEMU's host says `value`.
    pub fn adjusted(&self, offset: u64, value: u32) -> u32 {
        let fails = self.pending && offset == INTERRUPT && value & INTERRUPT_DATA_DONE != 0;
        if fails { value | INTERRUPT_ERROR | INTERRUPT_DATA_CHECKSUM } else { value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_fault_shows_at_end_of_transfer_until_board_clears_it() {
        let mut card = CardFault::default();
        assert!(!card.note_stderr(b"qemu-system-aarch64: warning: nothing\n"));
        assert_eq!(card.adjusted(INTERRUPT, 2), 2);
        assert!(card.note_stderr(b"sd_blk_write: write error on host side\n"));
        assert_eq!(card.adjusted(INTERRUPT, 0x10), 0x10, "there is more to transfer");
        assert_eq!((card.adjusted(INTERRUPT, 2), card.adjusted(0x10, 2)), (0x20_8002, 2));
        card.written(INTERRUPT, 2);
        card.written(0x10, u32::MAX);
        assert_eq!(card.adjusted(INTERRUPT, 2), 0x20_8002, "what clears another event leaves it");
        card.written(INTERRUPT, 0x20_8000);
        assert_eq!(card.adjusted(INTERRUPT, 2), 2);
        assert!(!card.note_stderr(b"x\nsd_blk_read: read error on host side\n"), "it was reported");
        assert_eq!(card.adjusted(INTERRUPT, 2), 0x20_8002);
    }
}
