//! The SD host of the card slot (Arasan on a BCM2837, EMMC2 on a BCM2711): clock, commands, data blocks.
//!
//! The datasheet, chapter 5; SD Host Controller Simplified Specification 3.00. Every wait here has a time limit, and
//! belongs to the card's start or lasts a few cycles of its clock. A transfer of data polls and waits elsewhere.
//!
//! Not here: what the commands mean to a card (`sd_card`), transfers of data (`sd_transfer`).

use renga_hal::block::BlockError;
use renga_hal::registers::Registers;
use renga_hal::timer::HardwareTimer;

mod offset {
    pub const BLOCK_SIZE_COUNT: usize = 0x04;
    pub const ARGUMENT: usize = 0x08;
    pub const COMMAND: usize = 0x0c;
    pub const RESPONSE: usize = 0x10;
    pub const DATA: usize = 0x20;
    pub const STATUS: usize = 0x24;
    pub const CONTROL_0: usize = 0x28;
    pub const CONTROL_1: usize = 0x2c;
    pub const INTERRUPT: usize = 0x30;
    pub const INTERRUPT_SEEN: usize = 0x34;
    pub const INTERRUPT_SIGNALLED: usize = 0x38;
    pub const CONTROL_2: usize = 0x3c;
}

const STATUS_COMMAND_BUSY: u32 = 1 << 0;
const STATUS_DATA_BUSY: u32 = 1 << 1;
const CONTROL_0_FOUR_LINES: u32 = 1 << 1;
/// Power on, 3.3 V: the field that the standard defines.
const CONTROL_0_POWER: u32 = 0xf << 8;
const CONTROL_1_INTERNAL_CLOCK: u32 = 1 << 0;
const CONTROL_1_CLOCK_STABLE: u32 = 1 << 1;
const CONTROL_1_CARD_CLOCK: u32 = 1 << 2;
const CONTROL_1_CLOCK_BITS: u32 = 0xffc7;
/// The longest data timeout that the host can count.
const CONTROL_1_DATA_TIMEOUT: u32 = 0xe << 16;
const CONTROL_1_RESET_ALL: u32 = 1 << 24;
const CONTROL_1_RESET_COMMAND_LINE: u32 = 1 << 25;
const CONTROL_1_RESET_DATA_LINES: u32 = 1 << 26;
const CONTROL_1_RESET_LINES: u32 = CONTROL_1_RESET_COMMAND_LINE | CONTROL_1_RESET_DATA_LINES;

/// The card has answered a command.
pub const COMMAND_DONE: u32 = 1 << 0;
/// All blocks have passed, or a card that was busy no longer is.
pub const DATA_DONE: u32 = 1 << 1;
/// The host takes a block.
pub const WRITE_READY: u32 = 1 << 4;
/// The host has a block.
pub const READ_READY: u32 = 1 << 5;
const INTERRUPT_ERROR: u32 = 1 << 15;
const INTERRUPT_TIMEOUTS: u32 = 1 << 16 | 1 << 20;
const INTERRUPT_ERRORS: u32 = 0xffff_8000;

/// The host loses a register write that comes within two cycles of the card's clock after another.
const PACE_CYCLES: u64 = 2;
const NS_PER_S: u64 = 1_000_000_000;
/// The host resets itself within a few cycles.
pub const RESET_TIMEOUT_NS: u64 = 100_000_000;
const CLOCK_TIMEOUT_NS: u64 = 100_000_000;
/// The clock must be still for a while around a change.
const CLOCK_PAUSE_NS: u64 = 2_000_000;
/// A card answers within 64 cycles of its clock, or the host says that it does not.
pub const COMMAND_TIMEOUT_NS: u64 = 100_000_000;
/// A card may take 250 ms to program a block, and some take longer.
pub const DATA_TIMEOUT_NS: u64 = 1_000_000_000;

/// A card is identified at this rate at most, Hz.
pub const IDENTIFICATION_CLOCK_HZ: u32 = 400_000;

/// A command's code with how the host is to treat it: the register's format.
#[derive(Clone, Copy)]
pub struct SdCommand(u32);

impl SdCommand {
    /// Command `index` without a response.
    pub const fn silent(index: u32) -> Self {
        Self(index << 24)
    }
    /// With a response of 136 bits (R2).
    pub const fn long(index: u32) -> Self {
        Self(index << 24 | 1 << 16 | 1 << 19)
    }
    /// With a response of 48 bits that echoes the command (R1, R6, R7).
    pub const fn short(index: u32) -> Self {
        Self(index << 24 | 2 << 16 | 1 << 19 | 1 << 20)
    }
    /// With a response of 48 bits without checksum (R3).
    pub const fn unchecked(index: u32) -> Self {
        Self(index << 24 | 2 << 16)
    }
    /// With a response of 48 bits, after which the card may be busy (R1b).
    pub const fn busy(index: u32) -> Self {
        Self(index << 24 | 3 << 16 | 1 << 19 | 1 << 20)
    }
    /// A read of one block.
    pub const fn read_one(index: u32) -> Self {
        Self(Self::short(index).0 | 1 << 21 | 1 << 4)
    }
    /// A read of many blocks, ended by the host (command 12).
    pub const fn read_many(index: u32) -> Self {
        Self(Self::read_one(index).0 | 1 << 5 | 1 << 2 | 1 << 1)
    }
    /// A write of one block.
    pub const fn write_one(index: u32) -> Self {
        Self(Self::short(index).0 | 1 << 21)
    }
    /// A write of many blocks, ended by the host (command 12).
    pub const fn write_many(index: u32) -> Self {
        Self(Self::write_one(index).0 | 1 << 5 | 1 << 2 | 1 << 1)
    }
    /// The status bits that must be 0 before it is sent.
    const fn needed(self) -> u32 {
        if self.0 & 1 << 21 != 0 || self.is_busy_after() {
            STATUS_COMMAND_BUSY | STATUS_DATA_BUSY
        } else {
            STATUS_COMMAND_BUSY
        }
    }
    const fn is_busy_after(self) -> bool {
        self.0 >> 16 & 3 == 3
    }
}

/// The host.
pub struct SdHost<R, T> {
    registers: R,
    timer: T,
    host_hz: u32,
    pace_ns: u64,
    /// When the next register may be written.
    free_ns: u64,
}

impl<R: Registers, T: HardwareTimer> SdHost<R, T> {
    /// Resets the host: no clock, one data line, no interrupts to the processor.
    pub fn new(registers: R, timer: T, host_hz: u32) -> Result<Self, BlockError> {
        let pace_ns = PACE_CYCLES * NS_PER_S / u64::from(IDENTIFICATION_CLOCK_HZ);
        let mut host = Self { registers, timer, host_hz, pace_ns, free_ns: 0 };
        host.registers.fence();
        host.restart()?;
        Ok(host)
    }

    /// Resets the host.
    pub fn restart(&mut self) -> Result<(), BlockError> {
        self.pace_ns = PACE_CYCLES * NS_PER_S / u64::from(IDENTIFICATION_CLOCK_HZ);
        self.write(offset::CONTROL_1, CONTROL_1_RESET_ALL);
        self.wait(RESET_TIMEOUT_NS, |registers| registers.read(offset::CONTROL_1) & CONTROL_1_RESET_ALL == 0)?;
        self.write(offset::CONTROL_0, CONTROL_0_POWER);
        self.write(offset::CONTROL_1, CONTROL_1_DATA_TIMEOUT);
        self.write(offset::CONTROL_2, 0);
        self.write(offset::INTERRUPT_SIGNALLED, 0);
        self.write(offset::INTERRUPT_SEEN, u32::MAX);
        self.write(offset::INTERRUPT, u32::MAX);
        Ok(())
    }

    /// Clocks the card with at most `rate_hz`.
    pub fn set_clock(&mut self, rate_hz: u32) -> Result<(), BlockError> {
        self.wait(DATA_TIMEOUT_NS, |registers| {
            registers.read(offset::STATUS) & (STATUS_COMMAND_BUSY | STATUS_DATA_BUSY) == 0
        })?;
        self.modify(offset::CONTROL_1, CONTROL_1_CARD_CLOCK, 0);
        self.pause(CLOCK_PAUSE_NS);
        // The card's clock is the host's divided by twice this number of ten bits.
        let divisor = self.host_hz.div_ceil(rate_hz * 2).min(0x3ff);
        self.pace_ns = (PACE_CYCLES * NS_PER_S).div_ceil(u64::from(rate_hz));
        let bits = (divisor & 0xff) << 8 | (divisor >> 8) << 6 | CONTROL_1_INTERNAL_CLOCK;
        self.modify(offset::CONTROL_1, CONTROL_1_CLOCK_BITS, bits);
        self.wait(CLOCK_TIMEOUT_NS, |registers| registers.read(offset::CONTROL_1) & CONTROL_1_CLOCK_STABLE != 0)?;
        self.modify(offset::CONTROL_1, 0, CONTROL_1_CARD_CLOCK);
        self.pause(CLOCK_PAUSE_NS);
        Ok(())
    }

    /// Uses four data lines from now on.
    pub fn use_four_lines(&mut self) {
        self.modify(offset::CONTROL_0, 0, CONTROL_0_FOUR_LINES);
    }

    /// Sends a command, waits for its answer, and returns the first word of that.
    pub fn command(&mut self, command: SdCommand, argument: u32) -> Result<u32, BlockError> {
        let busy = command.needed();
        self.wait(DATA_TIMEOUT_NS, |registers| registers.read(offset::STATUS) & busy == 0)?;
        self.send(command, argument);
        self.wait_interrupt(COMMAND_DONE, COMMAND_TIMEOUT_NS)?;
        if command.is_busy_after() {
            self.wait_interrupt(DATA_DONE, DATA_TIMEOUT_NS)?;
        }
        Ok(self.answer())
    }

    /// Whether the lines that `command` needs are free.
    pub fn is_free_for(&self, command: SdCommand) -> bool {
        self.registers.read(offset::STATUS) & command.needed() == 0
    }

    /// Whether the card has programmed what it was given.
    pub fn is_programmed(&self) -> bool {
        self.registers.read(offset::STATUS) & STATUS_DATA_BUSY == 0
    }

    /// Sends a command, on lines that are free for it.
    pub fn send(&mut self, command: SdCommand, argument: u32) {
        self.write(offset::INTERRUPT, u32::MAX);
        self.write(offset::ARGUMENT, argument);
        self.write(offset::COMMAND, command.0);
    }

    /// The first word of the last answer.
    pub fn answer(&self) -> u32 {
        self.registers.read(offset::RESPONSE)
    }

    /// Whether `event` has happened, which is cleared.
    ///
    /// # Errors
    /// The failure that the host reports; its event is cleared too.
    pub fn take(&mut self, event: u32) -> Result<bool, BlockError> {
        let events = self.registers.read(offset::INTERRUPT);
        if events & INTERRUPT_ERROR != 0 {
            self.write(offset::INTERRUPT, events & INTERRUPT_ERRORS);
            return Err(if events & INTERRUPT_TIMEOUTS != 0 { BlockError::Timeout } else { BlockError::Failed });
        }
        let happened = events & event != 0;
        if happened {
            self.write(offset::INTERRUPT, event);
        }
        Ok(happened)
    }

    /// The four words of a long response, lowest first; its checksum is cut off.
    pub fn long_response(&self) -> [u32; 4] {
        [0, 4, 8, 12].map(|word| self.registers.read(offset::RESPONSE + word))
    }

    /// Announces the blocks of the next command with data.
    pub fn set_blocks(&mut self, bytes: usize, count: usize) {
        self.write(offset::BLOCK_SIZE_COUNT, (count as u32) << 16 | bytes as u32);
    }

    /// Takes a block that the host has.
    pub fn read_block(&mut self, out: &mut [u8]) {
        self.registers.read_data(offset::DATA, out);
    }

    /// Gives a block that the host takes.
    pub fn write_block(&mut self, data: &[u8]) {
        self.registers.write_data(offset::DATA, data);
    }

    /// Stops whatever the lines are doing, after an error, and waits until they have stopped.
    pub fn reset_lines(&mut self) -> Result<(), BlockError> {
        self.stop_lines();
        self.wait(RESET_TIMEOUT_NS, |registers| registers.read(offset::CONTROL_1) & CONTROL_1_RESET_LINES == 0)
    }

    /// Stops whatever the lines are doing, after an error.
    pub fn stop_lines(&mut self) {
        // QEMU's host ignores a write that stops both.
        self.modify(offset::CONTROL_1, 0, CONTROL_1_RESET_COMMAND_LINE);
        self.modify(offset::CONTROL_1, 0, CONTROL_1_RESET_DATA_LINES);
    }

    /// Whether they have stopped.
    pub fn lines_are_still(&self) -> bool {
        self.registers.read(offset::CONTROL_1) & CONTROL_1_RESET_LINES == 0
    }

    /// Called between accesses to this peripheral and to another (the datasheet, 1.3).
    pub fn fence(&self) {
        self.registers.fence();
    }

    /// Lets time pass.
    pub fn pause(&self, duration_ns: u64) {
        let end_ns = self.timer.now_ns() + duration_ns;
        while self.timer.now_ns() < end_ns {}
    }

    /// Now, for limits over several commands, in nanoseconds.
    pub fn now_ns(&self) -> u64 {
        self.timer.now_ns()
    }

    /// Writes a register, not too soon after another.
    fn write(&mut self, offset: usize, value: u32) {
        while self.timer.now_ns() < self.free_ns {}
        self.registers.write(offset, value);
        self.free_ns = self.timer.now_ns() + self.pace_ns;
    }

    fn modify(&mut self, offset: usize, mask: u32, value: u32) {
        self.write(offset, self.registers.read(offset) & !mask | value);
    }

    fn wait(&mut self, timeout_ns: u64, done: impl Fn(&R) -> bool) -> Result<(), BlockError> {
        if done(&self.registers) {
            return Ok(());
        }
        let end_ns = self.timer.now_ns() + timeout_ns;
        while self.timer.now_ns() < end_ns {
            if done(&self.registers) {
                return Ok(());
            }
        }
        Err(BlockError::Timeout)
    }

    /// Waits for one of the host's events, and clears it.
    fn wait_interrupt(&mut self, event: u32, timeout_ns: u64) -> Result<(), BlockError> {
        self.wait(timeout_ns, |registers| registers.read(offset::INTERRUPT) & (event | INTERRUPT_ERROR) != 0)?;
        self.take(event).map(|_| ())
    }
}
