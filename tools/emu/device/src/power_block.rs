//! The block that resets a board: watchdog, reset, and what the next start finds. BCM2835 power management, as Linux
//! uses it (`drivers/watchdog/bcm2835_wdt.c`).
//!
//! QEMU's own block resets a board as soon as the watchdog is armed, so it could not be fed. Invariant: a write without
//! the password does nothing. Not here: the firmware's work after a reset (the coordinator's `FirmwareLoader`).

/// The block's size.
pub const BLOCK_BYTES: u64 = 0x100;
/// RW: bits 5 and 4 say what happens when the watchdog runs out.
pub const RESET_CONTROL: u64 = 0x1c;
/// RW: the partition to start from next, in every second bit; it survives a reset.
pub const RESET_STATUS: u64 = 0x20;
/// RW: ticks until the watchdog runs out.
pub const WATCHDOG: u64 = 0x24;

const PASSWORD: u32 = 0x5a;
const PASSWORD_SHIFT: u32 = 24;
const VALUE_MASK: u32 = 0x00ff_ffff;
const CONTROL_FIELD: u32 = 0x30;
const CONTROL_FULL_RESET: u32 = 0x20;
const TICKS_MASK: u32 = 0xf_ffff;
const TICKS_A_SECOND: u64 = 1 << 16;
const NS_PER_S: u64 = 1_000_000_000;
/// The partition that means: stay where you are.
const HALT: u8 = 63;

/// What became of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerOutcome {
    /// It is reset, and starts from this partition, or from the usual one if that is 0.
    Reset(u8),
    /// It stays off.
    Halted,
}

/// The block of one board.
#[derive(Debug)]
pub struct PowerBlock {
    control: u32,
    status: u32,
    /// When the watchdog runs out if it is to do anything, ns.
    out_ns: Option<u64>,
}

impl PowerBlock {
    /// As it is after a reset that named this partition.
    pub fn new(partition: u8) -> Self {
        let spread = (0..6).map(|bit| u32::from(partition >> bit & 1) << (2 * bit)).sum();
        Self { control: 0, status: spread, out_ns: None }
    }

    /// When it does something by itself, ns.
    pub fn next_ns(&self) -> Option<u64> {
        self.out_ns.filter(|_| self.control & CONTROL_FIELD == CONTROL_FULL_RESET)
    }

    /// What has become of the board by `now_ns`.
    pub fn outcome(&self, now_ns: u64) -> Option<PowerOutcome> {
        self.next_ns().filter(|out_ns| *out_ns <= now_ns)?;
        Some(match self.partition() {
            HALT => PowerOutcome::Halted,
            partition => PowerOutcome::Reset(partition),
        })
    }

    /// Reads the register at `offset`.
    pub fn read(&self, offset: u64, now_ns: u64) -> u32 {
        match offset {
            RESET_CONTROL => self.control,
            RESET_STATUS => self.status,
            WATCHDOG => {
                let left_ns = self.out_ns.map_or(0, |out_ns| out_ns.saturating_sub(now_ns));
                (left_ns * TICKS_A_SECOND / NS_PER_S) as u32 & TICKS_MASK
            }
            _ => 0,
        }
    }

    /// Writes `value` to the register at `offset`.
    pub fn write(&mut self, offset: u64, value: u32, now_ns: u64) {
        if value >> PASSWORD_SHIFT != PASSWORD {
            return;
        }
        match offset {
            RESET_CONTROL => self.control = value & VALUE_MASK,
            RESET_STATUS => self.status = value & VALUE_MASK,
            WATCHDOG => self.out_ns = Some(now_ns + u64::from(value & TICKS_MASK) * NS_PER_S / TICKS_A_SECOND),
            _ => {}
        }
    }

    fn partition(&self) -> u8 {
        (0..6).map(|bit| (self.status >> (2 * bit) & 1) as u8 * (1 << bit)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(value: u32) -> u32 {
        PASSWORD << PASSWORD_SHIFT | value
    }

    #[test]
    fn power_block_unfed_watchdog_resets() {
        let mut block = PowerBlock::new(0);
        for fed_ns in [0, NS_PER_S, 2 * NS_PER_S] {
            block.write(WATCHDOG, password(2 << 16), fed_ns);
            block.write(RESET_CONTROL, password(CONTROL_FULL_RESET), fed_ns);
            assert_eq!(block.outcome(fed_ns + 2 * NS_PER_S - 1), None);
        }
        assert_eq!((block.next_ns(), block.read(WATCHDOG, 3 * NS_PER_S)), (Some(4 * NS_PER_S), 1 << 16));
        assert_eq!(block.outcome(4 * NS_PER_S), Some(PowerOutcome::Reset(0)));
        // One that is armed for nothing.
        block.write(RESET_CONTROL, password(0), 0);
        assert_eq!((block.next_ns(), block.outcome(u64::MAX)), (None, None));
    }

    #[test]
    fn power_block_write_without_password_is_ignored() {
        let mut block = PowerBlock::new(2);
        block.write(WATCHDOG, 5, 0);
        block.write(RESET_CONTROL, CONTROL_FULL_RESET, 0);
        block.write(RESET_STATUS, 0, 0);
        assert_eq!((block.next_ns(), block.read(RESET_STATUS, 0), block.read(RESET_CONTROL, 0)), (None, 4, 0));
    }

    #[test]
    fn power_block_reset_keeps_partition_number() {
        for (status, outcome) in [
            (0, PowerOutcome::Reset(0)),
            (1, PowerOutcome::Reset(1)),
            (4, PowerOutcome::Reset(2)),
            (0x555, PowerOutcome::Halted),
        ] {
            let mut block = PowerBlock::new(5);
            block.write(RESET_STATUS, password(status), 7);
            block.write(WATCHDOG, password(10), 7);
            block.write(RESET_CONTROL, password(CONTROL_FULL_RESET), 7);
            assert_eq!(block.outcome(NS_PER_S), Some(outcome));
        }
        assert_eq!(PowerBlock::new(2).read(RESET_STATUS, 0), 4);
        assert_eq!(PowerBlock::new(63).read(RESET_STATUS, 0), 0x555);
    }
}
