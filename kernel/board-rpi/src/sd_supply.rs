//! The card's supply and its host's clock, by the firmware's word, before the card is started.
//!
//! A Pi 4 can supply its card with 1.8 V. Renga never selects 1.8 V, but an earlier system may have left supply and
//! card so: a Pi 4 that is reset then cuts its own 3.3 V (rpi/linux#3065). The driver sets the supply to 3.3 V and lets
//! it settle.
//!
//! Invariant: the clock of a Pi 4's host is queried, never switched (rpi/firmware#1213). Not here: the card
//! (`sd_card`).

use crate::boards::{CARD_CLOCK_HZ, CardSlot};
use crate::firmware_mailbox::FirmwareMailbox;
use renga_hal::registers::Registers;
use renga_hal::shared::SharedWords;
use renga_hal::timer::HardwareTimer;

/// A supply needs so long to settle, ns.
const SETTLE_NS: u64 = 5_000_000;

/// Sees to the supply of the card in `slot`; the rate of its host's clock, Hz.
pub fn prepare<R: Registers, W: SharedWords, T: HardwareTimer>(
    mailbox: &mut FirmwareMailbox<R, W, T>,
    slot: &CardSlot,
    timer: &T,
) -> u32 {
    if let Some(pin) = slot.low_voltage_pin {
        // Where the firmware has no such pin, the supply cannot be switched.
        let _ = mailbox.set_pin(pin, false);
        let end_ns = timer.now_ns() + SETTLE_NS;
        while timer.now_ns() < end_ns {}
    }
    mailbox.clock_hz(slot.clock).unwrap_or(CARD_CLOCK_HZ)
}
