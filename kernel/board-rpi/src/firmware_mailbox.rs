//! The firmware's property mailbox: clocks, temperature, throttling, memory, serial number, its own pins.
//!
//! A message is a list of words in memory that the firmware reads and answers in place, past the processor's caches.
//! It may answer late (seconds have been seen), or not at all, and other channels share the register: every answer is
//! checked for its channel, its address, its code and its length. Raspberry Pi firmware wiki, "FirmwareMailbox property
//! interface".
//!
//! Not here: what to do without an answer (the caller has a value that is safe).

use renga_hal::registers::Registers;
use renga_hal::shared::SharedWords;
use renga_hal::timer::HardwareTimer;

mod offset {
    pub const READ: usize = 0x00;
    pub const READ_STATUS: usize = 0x18;
    pub const WRITE: usize = 0x20;
    pub const WRITE_STATUS: usize = 0x38;
}

mod tag {
    pub const SERIAL: u32 = 0x1_0004;
    pub const MEMORY: u32 = 0x1_0005;
    pub const CLOCK_RATE: u32 = 0x3_0002;
    pub const TEMPERATURE: u32 = 0x3_0006;
    pub const THROTTLED: u32 = 0x3_0046;
    pub const CLOCK_MEASURED: u32 = 0x3_0047;
    pub const SET_CLOCK_RATE: u32 = 0x3_8002;
    pub const SET_PIN: u32 = 0x3_8041;
}

const STATUS_FULL: u32 = 1 << 31;
const STATUS_EMPTY: u32 = 1 << 30;
/// Property tags, from the processor.
const CHANNEL: u32 = 8;
const CHANNEL_MASK: u32 = 0xf;
const REQUEST: u32 = 0;
const ANSWERED: u32 = 1 << 31;
/// Size, code, tag, room, request or answer, two values, end.
const WORDS: usize = 8;
/// Longer than any answer that has been reported.
pub const TIMEOUT_NS: u64 = 2_000_000_000;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailboxError {
    /// Not in time.
    Timeout,
    /// The firmware refused, or does not know the question.
    Refused,
}

/// What has throttled the board, now or since its start: bits of the firmware's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttled(pub u32);

impl Throttled {
    /// The supply is too low now.
    pub fn undervoltage(self) -> bool {
        self.0 & 1 != 0
    }
    /// Anything, now or before.
    pub fn any(self) -> bool {
        self.0 != 0
    }
}

/// The mailbox.
pub struct FirmwareMailbox<R, W, T> {
    registers: R,
    words: W,
    timer: T,
}

impl<R: Registers, W: SharedWords, T: HardwareTimer> FirmwareMailbox<R, W, T> {
    /// Talks through `words`.
    pub fn new(registers: R, words: W, timer: T) -> Self {
        assert!(words.bus_address() & CHANNEL_MASK == 0, "the address of a message leaves four bits to the channel");
        Self { registers, words, timer }
    }

    /// The rate that a clock is set to, Hz.
    pub fn clock_hz(&mut self, clock: u32) -> Result<u32, MailboxError> {
        self.rate(tag::CLOCK_RATE, clock)
    }

    /// The rate that a clock really has, Hz.
    pub fn measured_clock_hz(&mut self, clock: u32) -> Result<u32, MailboxError> {
        self.rate(tag::CLOCK_MEASURED, clock)
    }

    /// Sets a clock. Returns the rate that the clock has then, by a second request, since some firmware echoes the
    /// wish.
    pub fn set_clock_hz(&mut self, clock: u32, rate_hz: u32) -> Result<u32, MailboxError> {
        // Whether it could is in the second answer.
        let _ = self.ask(tag::SET_CLOCK_RATE, [clock, rate_hz, 0]);
        self.clock_hz(clock)
    }

    /// The chip's temperature, thousandths of a degree.
    pub fn temperature_millidegrees(&mut self) -> Result<u32, MailboxError> {
        Ok(self.ask(tag::TEMPERATURE, [0; 3])?[1])
    }

    /// Requests the causes of throttling without waiting: [`FirmwareMailbox::take_throttled`] returns the answer later.
    pub fn ask_throttled(&mut self) {
        self.post(tag::THROTTLED, [0; 3]);
    }

    /// The answer, once it has come.
    pub fn take_throttled(&mut self) -> Option<Throttled> {
        self.registers.fence();
        let come = self.registers.read(offset::READ_STATUS) & STATUS_EMPTY == 0;
        if !come || self.registers.read(offset::READ) != self.message() {
            return None;
        }
        self.answer(tag::THROTTLED).ok().map(|[bits, ..]| Throttled(bits))
    }

    /// What has throttled the board.
    pub fn throttled(&mut self) -> Result<Throttled, MailboxError> {
        Ok(Throttled(self.ask(tag::THROTTLED, [0; 3])?[0]))
    }

    /// The board's serial number.
    pub fn serial(&mut self) -> Result<u64, MailboxError> {
        let [low, high, _] = self.ask(tag::SERIAL, [0; 3])?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    /// The processor's memory: its start, and bytes.
    pub fn memory(&mut self) -> Result<(u32, u32), MailboxError> {
        let [base, bytes, _] = self.ask(tag::MEMORY, [0; 3])?;
        Ok((base, bytes))
    }

    /// Sets a pin of the firmware's expander.
    pub fn set_pin(&mut self, pin: u32, high: bool) -> Result<(), MailboxError> {
        self.ask(tag::SET_PIN, [pin, u32::from(high), 0]).map(drop)
    }

    fn rate(&mut self, tag: u32, clock: u32) -> Result<u32, MailboxError> {
        let [answered, rate_hz, _] = self.ask(tag, [clock, 0, 0])?;
        // A clock that the firmware does not know has rate 0.
        if answered == clock && rate_hz != 0 { Ok(rate_hz) } else { Err(MailboxError::Refused) }
    }

    /// One question; its values' words with the answer's.
    fn ask(&mut self, tag: u32, values: [u32; 3]) -> Result<[u32; 3], MailboxError> {
        let end_ns = self.timer.now_ns() + TIMEOUT_NS;
        self.registers.fence();
        self.wait(offset::WRITE_STATUS, STATUS_FULL, end_ns)?;
        self.post(tag, values);
        loop {
            self.wait(offset::READ_STATUS, STATUS_EMPTY, end_ns)?;
            // Anything else answers a request that was given up, or one from before this driver.
            if self.registers.read(offset::READ) == self.message() {
                return self.answer(tag);
            }
        }
    }

    fn message(&self) -> u32 {
        self.words.bus_address() | CHANNEL
    }

    fn post(&mut self, tag: u32, [first, second, third]: [u32; 3]) {
        let (size, room) = (4 * WORDS as u32 + 4, 12);
        self.words.store(&[size, REQUEST, tag, room, REQUEST, first, second, third, 0]);
        self.registers.fence();
        self.registers.write(offset::WRITE, self.message());
    }

    fn answer(&mut self, tag: u32) -> Result<[u32; 3], MailboxError> {
        self.registers.fence();
        let mut answer = [0; WORDS];
        self.words.load(&mut answer);
        let [_, code, answered_tag, _, length, values @ ..] = answer;
        let sound = code == ANSWERED && answered_tag == tag && length & ANSWERED != 0 && length != ANSWERED;
        if sound { Ok(values) } else { Err(MailboxError::Refused) }
    }

    fn wait(&mut self, status: usize, not: u32, end_ns: u64) -> Result<(), MailboxError> {
        while self.registers.read(status) & not != 0 {
            if self.timer.now_ns() >= end_ns {
                return Err(MailboxError::Timeout);
            }
        }
        Ok(())
    }
}
