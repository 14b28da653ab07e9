//! Requests to the board's firmware: clocks, the card's supply, throttling.
//!
//! Invariant: every question has a value that is safe without an answer. Not here: the mailbox (`board-rpi`).

use crate::hardware::{board, registers};
use renga_arch_aarch64::mmio::Mmio;
use renga_arch_aarch64::shared::SharedMemory;
use renga_arch_aarch64::timer::GenericTimer;
use renga_board_rpi::boards::{CORE_CLOCK_HZ, CardSlot, Light, UART_CLOCK_HZ, clock};
use renga_board_rpi::firmware_mailbox::{FirmwareMailbox, Throttled};
use renga_board_rpi::sd_supply;
use renga_board_rpi::shared_lines::{CachedWords, SharedLines};

/// The words that firmware and processor share.
struct MailboxWords(SharedMemory);

impl CachedWords for MailboxWords {
    fn physical(&self) -> u32 {
        self.0.physical() as u32
    }
    fn read(&self, index: usize) -> u32 {
        self.0.read(index)
    }
    fn write(&mut self, index: usize, word: u32) {
        self.0.write(index, word);
    }
    #[inline(always)]
    fn flush(&mut self, index: usize) {
        self.0.flush(index);
    }
    #[inline(always)]
    fn barrier(&self) {
        self.0.barrier();
    }
}

/// The firmware, used by the boot core.
pub struct BoardFirmware {
    mailbox: FirmwareMailbox<Mmio, SharedLines<MailboxWords>, GenericTimer>,
    timer: GenericTimer,
    throttled: Throttled,
}

impl BoardFirmware {
    /// Called once, by boot.
    pub(crate) fn start(timer: GenericTimer) -> BoardFirmware {
        // SAFETY: once: boot keeps the only firmware.
        let words = SharedLines::new(MailboxWords(unsafe { SharedMemory::take() }));
        let mailbox = FirmwareMailbox::new(registers(board().chip.mailbox), words, timer);
        BoardFirmware { mailbox, timer, throttled: Throttled(0) }
    }

    /// The rate of the mini UART's clock, Hz.
    pub fn core_clock_hz(&mut self) -> u32 {
        self.mailbox.clock_hz(clock::CORE).unwrap_or(CORE_CLOCK_HZ)
    }

    /// Requests the console's clock; returns the rate granted, Hz.
    pub fn set_uart_clock(&mut self) -> u32 {
        self.mailbox.set_clock_hz(clock::UART, UART_CLOCK_HZ).unwrap_or(UART_CLOCK_HZ)
    }

    /// Sees to the card's supply; the rate of its host's clock, Hz.
    pub fn prepare_card(&mut self, slot: &CardSlot) -> u32 {
        sd_supply::prepare(&mut self.mailbox, slot, &self.timer)
    }

    /// Switches the board's light, where it is the firmware's.
    pub fn set_light(&mut self, on: bool) {
        if let Light::Firmware(pin) = board().light {
            let _ = self.mailbox.set_pin(pin, on);
        }
    }

    /// The board's serial number; 0 if it is not known.
    pub fn serial(&mut self) -> u64 {
        self.mailbox.serial().unwrap_or(0)
    }

    /// Logs what the board is and how it fares.
    pub fn report(&mut self) {
        let serial = self.serial();
        let (_, bytes) = self.mailbox.memory().unwrap_or((0, 0));
        let arm_hz = self.mailbox.measured_clock_hz(clock::ARM).unwrap_or(0);
        let heat = self.mailbox.temperature_millidegrees().unwrap_or(0);
        defmt::info!(
            "{=str} ({=str}), serial {=u64:x}, {=u32} bytes of memory, cores at {=u32} Hz, {=u32} thousandths of a degree",
            board().name,
            board().chip.name,
            serial,
            bytes,
            arm_hz,
            heat
        );
        if let Ok(throttled) = self.mailbox.throttled() {
            self.log_throttled(throttled);
        }
    }

    /// Requests the causes of throttling, without waiting.
    pub fn ask(&mut self) {
        self.mailbox.ask_throttled();
    }

    /// Takes the answer, if it has come, and logs what is new.
    pub fn listen(&mut self) {
        if let Some(throttled) = self.mailbox.take_throttled() {
            self.log_throttled(throttled);
        }
    }

    fn log_throttled(&mut self, throttled: Throttled) {
        if throttled == self.throttled {
            return;
        }
        self.throttled = throttled;
        if throttled.undervoltage() {
            defmt::warn!("the supply is too low (throttled {=u32:#x})", throttled.0);
        } else {
            defmt::warn!("the board was throttled: {=u32:#x}", throttled.0);
        }
    }
}
