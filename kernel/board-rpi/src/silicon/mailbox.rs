//! The firmware: behind a cache, late, talking on other channels too, and not knowing every question.

use super::bus::{Device, PeripheralBus};
use super::cache::{Cache, PHYSICAL};
use super::clock::Clock;
use crate::firmware_mailbox::{FirmwareMailbox, MailboxError, TIMEOUT_NS, Throttled};
use crate::shared_lines::SharedLines;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

const ADDRESS: u32 = 0xc000_0000 | PHYSICAL;
/// The pin of the expander that chooses the supply of a Pi 4's card.
const SUPPLY_PIN: u32 = 132;
/// The firmware.
pub struct FirmwareModel {
    cache: Cache,
    clock: Clock,
    late_ns: u64,
    /// Messages of other channels that come before the answer.
    strangers: Vec<u32>,
    due: Option<(u64, u32)>,
    uart_hz: u32,
    /// Sets no clock, and says that it did.
    echoes: bool,
    /// Since when the card's supply is 3.3 V, ns; never: 1.8 V.
    pub supplied_ns: Rc<Cell<Option<u64>>>,
}

impl FirmwareModel {
    fn answer(&mut self) {
        self.cache.speculate();
        let mut words = self.cache.memory();
        let (tag, clock, rate) = (words[2], words[5], words[6]);
        let values = match (tag, clock) {
            (0x3_8002, 2) => {
                self.uart_hz = if self.echoes { self.uart_hz } else { rate };
                Some([2, rate])
            }
            (0x3_0002, 2) => Some([2, self.uart_hz]),
            (0x3_0002, clock) => Some([clock, 0]),
            (0x3_8041, SUPPLY_PIN) => {
                self.supplied_ns.set((rate == 0).then(|| self.clock.peek_ns()));
                Some([0, rate])
            }
            (0x3_0046, _) => Some([0x5_0005, 0]),
            (0x1_0004, _) => Some([0x89ab_cdef, 0x1000_0000]),
            _ => None,
        };
        words[1] = 1 << 31;
        if let Some([first, second]) = values {
            (words[4], words[5], words[6]) = (1 << 31 | 8, first, second);
        }
        self.cache.write_memory(words);
    }
}

impl Device for FirmwareModel {
    fn read(&mut self, offset: usize) -> u32 {
        let come = !self.strangers.is_empty() || self.due.is_some_and(|(at_ns, _)| at_ns <= self.clock.peek_ns());
        match offset {
            0x18 => u32::from(!come) << 30,
            0x38 => 0,
            0x00 if !self.strangers.is_empty() => self.strangers.remove(0),
            0x00 => {
                let (_, message) = self.due.take().expect("the mailbox was read while it was empty");
                self.answer();
                message
            }
            _ => 0,
        }
    }
    fn write(&mut self, offset: usize, value: u32) {
        assert_eq!((offset, value), (0x20, ADDRESS | 8));
        self.due = Some((self.clock.peek_ns() + self.late_ns, value));
    }
}

/// The driver under test.
pub type ModelMailbox = FirmwareMailbox<super::bus::BusDevice<FirmwareModel>, SharedLines<Cache>, Clock>;

fn mailbox(change: impl FnOnce(&mut FirmwareModel)) -> (ModelMailbox, Rc<RefCell<FirmwareModel>>, Clock) {
    mailbox_on(&PeripheralBus::default(), change)
}

/// The mailbox of a board that has other peripherals.
pub fn mailbox_on(
    bus: &PeripheralBus,
    change: impl FnOnce(&mut FirmwareModel),
) -> (ModelMailbox, Rc<RefCell<FirmwareModel>>, Clock) {
    let cache = Cache::new(PHYSICAL);
    let mut firmware = FirmwareModel {
        cache: cache.clone(),
        clock: bus.clock.clone(),
        late_ns: 1000,
        strangers: Vec::new(),
        due: None,
        uart_hz: 1_000_000_000,
        echoes: false,
        supplied_ns: Rc::default(),
    };
    change(&mut firmware);
    let (registers, device) = bus.add(firmware);
    (FirmwareMailbox::new(registers, SharedLines::new(cache), bus.clock.clone()), device, bus.clock.clone())
}

#[test]
fn firmware_mailbox_clock_is_set_and_read_back() {
    assert_eq!(mailbox(|_| ()).0.set_clock_hz(2, 48_000_000), Ok(48_000_000));
    // Firmware that echoes the wish is found out.
    assert_eq!(mailbox(|firmware| firmware.echoes = true).0.set_clock_hz(2, 48_000_000), Ok(1_000_000_000));
}

#[test]
fn firmware_mailbox_answer_may_take_over_a_second() {
    assert_eq!(mailbox(|firmware| firmware.late_ns = 1_500_000_000).0.serial(), Ok(0x1000_0000_89ab_cdef));
}

#[test]
fn firmware_mailbox_dead_firmware_times_out() {
    let (mut mailbox, _, clock) = mailbox(|firmware| firmware.late_ns = u64::MAX / 2);
    assert_eq!(mailbox.serial(), Err(MailboxError::Timeout));
    assert!((TIMEOUT_NS..TIMEOUT_NS * 2).contains(&clock.peek_ns()), "{} ns", clock.peek_ns());
}

#[test]
fn firmware_mailbox_other_channels_are_ignored() {
    let (mut mailbox, ..) = mailbox(|firmware| firmware.strangers = vec![0x1230, ADDRESS | 1, 0xc020_0048]);
    assert_eq!(mailbox.serial(), Ok(0x1000_0000_89ab_cdef));
}

#[test]
fn firmware_mailbox_unknown_tag_has_no_answer() {
    let (mut mailbox, ..) = mailbox(|_| ());
    assert_eq!(mailbox.temperature_millidegrees(), Err(MailboxError::Refused));
    assert_eq!(mailbox.clock_hz(12), Err(MailboxError::Refused), "a clock of 0 Hz is none");
}

#[test]
fn firmware_mailbox_throttling_is_polled_without_waiting() {
    let (mut mailbox, _, clock) = mailbox(|firmware| firmware.late_ns = 1_000_000);
    mailbox.ask_throttled();
    assert_eq!(mailbox.take_throttled(), None);
    clock.pass_ns(2_000_000);
    assert_eq!(mailbox.take_throttled(), Some(Throttled(0x5_0005)));
    assert!(Throttled(0x5_0005).undervoltage() && !Throttled(0x5_0000).undervoltage());
    assert_eq!(mailbox.take_throttled(), None);
}
