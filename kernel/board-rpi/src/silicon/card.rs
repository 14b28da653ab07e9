//! The SD host of a Pi 3 with a slow card: writes that come too soon are lost, errors stay until they are cleared,
//! the card takes its time and refuses a clock that is too fast.
//!
//! Not here: what the driver is to do with it (`card_tests.rs`, `slow_card.rs`).

use super::bus::{Device, PeripheralBus};
use super::clock::Clock;
use crate::sd_card::SdCard;
use renga_hal::block::{BlockError, SECTOR_BYTES};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

const HOST_HZ: u64 = 200_000_000;
/// Size of the card.
pub const SECTORS: usize = 2048;
/// An answer takes so long at 25 MHz, ns.
const ANSWER_NS: u64 = 5_000;
/// Time from the first query until the card is ready, ns.
const READY_NS: u64 = 900_000_000;
const COMMAND_DONE: u32 = 1;
const DATA_DONE: u32 = 2;
const WRITE_READY: u32 = 1 << 4;
const READ_READY: u32 = 1 << 5;
/// In the argument of ACMD41: whether the card can go to 1.8 V.
const S18R: u32 = 1 << 24;
/// In Host Control 2: signals of 1.8 V.
const HOST_1_8_V: u32 = 1 << 19;
/// A supply that was switched settles within that, ns.
const SETTLE_NS: u64 = 5_000_000;
/// In the card's status.
const GENERAL_ERROR: u32 = 1 << 19;
const TIMED_OUT: u32 = 1 << 15 | 1 << 16;
const DAMAGED: u32 = 1 << 15 | 1 << 21;

/// Host and card.
pub struct SdHostModel {
    clock: Clock,
    last_write_ns: u64,
    pub registers: [u32; 16],
    interrupts: u32,
    response: [u32; 4],
    /// What is on the card.
    pub medium: Vec<u8>,
    /// Where the transfer under way is, and its bytes left.
    transfer: Option<(usize, usize)>,
    identified: bool,
    asked_ns: Option<u64>,
    /// Transfers that are damaged on their way.
    pub damaged: u32,
    /// Times that the card does not start.
    pub dead_starts: u32,
    /// Writes that the card takes and cannot program, which it reports in its status.
    pub unprogrammed: u32,
    /// Writes that came too soon.
    pub lost_writes: u32,
    /// From a read's command to its first block, between blocks, and from a write's last block to its end, ns.
    pub late_ns: [u64; 3],
    /// Events of the host that are yet to come, and when.
    to_come: Vec<(u64, u32)>,
    /// The card holds its line until then, ns.
    busy_until_ns: u64,
    /// Since when its supply is 3.3 V, ns, if that can be anything else.
    pub supplied_ns: Option<Rc<Cell<Option<u64>>>>,
}

impl SdHostModel {
    /// The card's clock.
    pub fn card_hz(&self) -> u64 {
        let control = self.registers[0x2c / 4];
        let divisor = u64::from(control >> 8 & 0xff | (control >> 6 & 3) << 8).max(1);
        HOST_HZ / (2 * divisor)
    }

    fn command(&mut self, command: u32) {
        let (index, argument) = (command >> 24 & 0x3f, self.registers[0x08 / 4]);
        if self.interrupts & 1 << 15 != 0 {
            // An error that the driver has not cleared: the host is stuck.
            return;
        }
        if !self.is_at_3_3_v() {
            self.interrupts |= TIMED_OUT;
            return;
        }
        let limit_hz = if self.identified { 25_000_000 } else { 400_000 };
        if self.card_hz() > limit_hz || self.registers[0x2c / 4] & 5 != 5 {
            self.interrupts |= TIMED_OUT;
            return;
        }
        let now_ns = self.clock.peek_ns();
        self.response[0] = 0x900;
        match index {
            0 => (self.identified, self.asked_ns) = (false, None),
            8 => self.response[0] = argument,
            11 => panic!("the driver switched the card to 1.8 V, where a Pi 4 that is reset finds no supply"),
            41 => {
                assert!(argument & S18R == 0, "the card was asked whether it can go to 1.8 V");
                let since = *self.asked_ns.get_or_insert(now_ns);
                let ready = now_ns - since >= READY_NS;
                self.response[0] = 0x40ff_8000 | u32::from(ready) << 31;
            }
            2 if self.dead_starts > 0 => {
                self.dead_starts -= 1;
                self.interrupts |= TIMED_OUT;
                return;
            }
            3 => (self.identified, self.response[0]) = (true, 0x1234_0500),
            // Version 2, (1 + 1) * 512 KiB; the host cuts off the checksum.
            9 => self.response = [0, 1 << 8, 0, 1 << 22],
            7 => self.interrupts |= DATA_DONE,
            13 if self.unprogrammed > 0 => {
                self.unprogrammed -= 1;
                self.response[0] |= GENERAL_ERROR;
            }
            12 => {
                self.transfer = None;
                self.to_come.clear();
                self.interrupts |= DATA_DONE;
            }
            17 | 18 | 24 | 25 => {
                let count = (self.registers[1] >> 16) as usize;
                self.transfer = Some((argument as usize * SECTOR_BYTES, count * SECTOR_BYTES));
                let (late_ns, event) = if index < 20 { (self.late_ns[0], READ_READY) } else { (0, WRITE_READY) };
                self.later(ANSWER_NS + late_ns, event);
            }
            _ => {}
        }
        self.later(ANSWER_NS, COMMAND_DONE);
    }

    /// Whether host and supply are where the card is.
    fn is_at_3_3_v(&self) -> bool {
        let settled = |since_ns: &u64| self.clock.peek_ns() - since_ns >= SETTLE_NS;
        let supplied = self.supplied_ns.as_ref().is_none_or(|since_ns| since_ns.get().as_ref().is_some_and(settled));
        supplied && self.registers[0x3c / 4] & HOST_1_8_V == 0
    }

    /// Lets something happen after so long.
    fn later(&mut self, late_ns: u64, events: u32) {
        self.to_come.push((self.clock.peek_ns() + late_ns, events));
    }

    /// Lets happen what is due.
    fn settle(&mut self) {
        let now_ns = self.clock.peek_ns();
        self.to_come.retain(|(at_ns, events)| {
            let due = *at_ns <= now_ns;
            self.interrupts |= if due { *events } else { 0 };
            !due
        });
    }

    fn data(&mut self, write: Option<u32>) -> u32 {
        let (at, left) = self.transfer.expect("data without a transfer");
        let bytes = &mut self.medium[at..at + 4];
        if let Some(value) = write {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
        let value = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        self.transfer = Some((at + 4, left - 4));
        if left == SECTOR_BYTES && self.damaged > 0 {
            self.damaged -= 1;
            self.interrupts |= DAMAGED;
        }
        if (left - 4).is_multiple_of(SECTOR_BYTES) {
            let [_, block_ns, end_ns] = self.late_ns;
            match (left - 4, write) {
                (0, None) => self.later(0, DATA_DONE),
                (0, Some(_)) => {
                    self.busy_until_ns = self.clock.peek_ns() + end_ns;
                    self.later(end_ns, DATA_DONE);
                }
                (_, None) => self.later(block_ns, READ_READY),
                (_, Some(_)) => self.later(block_ns, WRITE_READY),
            }
        }
        value
    }
}

impl Device for SdHostModel {
    fn read(&mut self, offset: usize) -> u32 {
        self.settle();
        match offset {
            0x10..0x20 => self.response[(offset - 0x10) / 4],
            0x20 => self.data(None),
            0x24 => u32::from(self.clock.peek_ns() < self.busy_until_ns) << 1,
            0x2c => self.registers[0x2c / 4] | u32::from(self.registers[0x2c / 4] & 1 != 0) << 1,
            0x30 => self.interrupts,
            _ => self.registers[offset / 4],
        }
    }

    fn write(&mut self, offset: usize, value: u32) {
        self.settle();
        if offset == 0x20 {
            self.data(Some(value));
            return;
        }
        let (now_ns, cycles_ns) = (self.clock.peek_ns(), 2_000_000_000 / self.card_hz().min(HOST_HZ));
        if now_ns < self.last_write_ns + cycles_ns {
            self.lost_writes += 1;
            return;
        }
        self.last_write_ns = now_ns;
        match offset {
            0x0c => self.command(value),
            // Resets are over at once, and with them what was under way; not what the card does.
            0x2c => {
                self.registers[0x2c / 4] = value & !(7 << 24);
                if value & 7 << 24 != 0 {
                    self.to_come.clear();
                }
            }
            0x30 => self.interrupts &= !value,
            _ => self.registers[offset / 4] = value,
        }
    }
}

/// The driver under test.
pub type ModelCard = SdCard<super::bus::BusDevice<SdHostModel>, Clock>;

/// A card in a slot that `change` has changed, as its driver has started it.
pub fn card(change: impl FnOnce(&mut SdHostModel)) -> (Result<ModelCard, BlockError>, Rc<RefCell<SdHostModel>>) {
    card_on(&PeripheralBus::default(), change)
}

/// The same on a board that has other peripherals.
pub fn card_on(
    bus: &PeripheralBus,
    change: impl FnOnce(&mut SdHostModel),
) -> (Result<ModelCard, BlockError>, Rc<RefCell<SdHostModel>>) {
    bus.clock.pass_ns(1_000_000_000);
    let mut slot = SdHostModel {
        clock: bus.clock.clone(),
        last_write_ns: 0,
        // As the firmware left it: 25 MHz, four lines, its own last error.
        registers: [0; 16],
        interrupts: TIMED_OUT,
        response: [0; 4],
        medium: (0..SECTORS * SECTOR_BYTES).map(|at| (at / 7) as u8).collect(),
        transfer: None,
        identified: true,
        asked_ns: None,
        damaged: 0,
        dead_starts: 0,
        unprogrammed: 0,
        lost_writes: 0,
        late_ns: [0; 3],
        to_come: Vec::new(),
        busy_until_ns: 0,
        supplied_ns: None,
    };
    slot.registers[0x2c / 4] = 4 << 8 | 5;
    change(&mut slot);
    let (registers, slot) = bus.add(slot);
    (SdCard::start(registers, bus.clock.clone(), HOST_HZ as u32), slot)
}
