//! The SD host of a Pi 3 with a slow card: writes that come too soon are lost, errors stay until they are cleared,
//! the card takes its time and refuses a clock that is too fast.

use super::bus::{Bus, Device};
use super::clock::Clock;
use crate::sd_card::SdCard;
use renga_hal::block::{Block, BlockError, SECTOR_BYTES};
use std::cell::RefCell;
use std::rc::Rc;

const HOST_HZ: u64 = 200_000_000;
const SECTORS: usize = 2048;
/// The card is ready so long after it was asked first, ns.
const READY_NS: u64 = 900_000_000;
const COMMAND_DONE: u32 = 1;
const DATA_DONE: u32 = 2;
const WRITE_READY: u32 = 1 << 4;
const READ_READY: u32 = 1 << 5;
const TIMED_OUT: u32 = 1 << 15 | 1 << 16;
const DAMAGED: u32 = 1 << 15 | 1 << 21;

struct Slot {
    clock: Clock,
    last_write_ns: u64,
    registers: [u32; 16],
    interrupts: u32,
    response: [u32; 4],
    medium: Vec<u8>,
    /// Where the transfer under way is, and its bytes left.
    transfer: Option<(usize, usize)>,
    identified: bool,
    asked_ns: Option<u64>,
    /// Transfers that are damaged on their way.
    damaged: u32,
    /// Times that the card does not start.
    dead_starts: u32,
    lost_writes: u32,
}

impl Slot {
    fn card_hz(&self) -> u64 {
        let control = self.registers[0x2c / 4];
        let divisor = u64::from(control >> 8 & 0xff | (control >> 6 & 3) << 8).max(1);
        HOST_HZ / (2 * divisor)
    }

    fn command(&mut self, command: u32) {
        let (index, argument) = (command >> 24 & 0x3f, self.registers[0x08 / 4]);
        if self.interrupts & 1 << 15 != 0 {
            // An error that nobody cleared: nothing goes on.
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
            41 => {
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
            12 => {
                self.transfer = None;
                self.interrupts |= DATA_DONE;
            }
            17 | 18 | 24 | 25 => {
                let count = (self.registers[1] >> 16) as usize;
                self.transfer = Some((argument as usize * SECTOR_BYTES, count * SECTOR_BYTES));
                self.interrupts |= if index < 20 { READ_READY } else { WRITE_READY };
            }
            _ => {}
        }
        self.interrupts |= COMMAND_DONE;
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
            self.interrupts |= match (left - 4, write) {
                (0, _) => DATA_DONE,
                (_, None) => READ_READY,
                (_, Some(_)) => WRITE_READY,
            };
        }
        value
    }
}

impl Device for Slot {
    fn read(&mut self, offset: usize) -> u32 {
        match offset {
            0x10..0x20 => self.response[(offset - 0x10) / 4],
            0x20 => self.data(None),
            0x24 => 0,
            0x2c => self.registers[0x2c / 4] | u32::from(self.registers[0x2c / 4] & 1 != 0) << 1,
            0x30 => self.interrupts,
            _ => self.registers[offset / 4],
        }
    }

    fn write(&mut self, offset: usize, value: u32) {
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
            // Resets are over at once.
            0x2c => self.registers[0x2c / 4] = value & !(7 << 24),
            0x30 => self.interrupts &= !value,
            _ => self.registers[offset / 4] = value,
        }
    }
}

type Card = SdCard<super::bus::Block<Slot>, Clock>;

fn card(change: impl FnOnce(&mut Slot)) -> (Result<Card, BlockError>, Rc<RefCell<Slot>>) {
    let bus = Bus::default();
    bus.clock.pass_ns(1_000_000_000);
    let mut slot = Slot {
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
        lost_writes: 0,
    };
    slot.registers[0x2c / 4] = 4 << 8 | 5;
    change(&mut slot);
    let (registers, slot) = bus.add(slot);
    (SdCard::start(registers, bus.clock, HOST_HZ as u32), slot)
}

#[test]
fn a_card_that_takes_its_time_starts() {
    let (card, slot) = card(|_| ());
    assert_eq!(card.expect("it starts").blocks(), SECTORS as u64);
    assert_eq!(slot.borrow().lost_writes, 0, "writes that came too soon");
    assert!(slot.borrow().card_hz() > 20_000_000, "{} Hz", slot.borrow().card_hz());
}

#[test]
fn a_card_that_does_not_start_is_started_anew() {
    assert!(card(|slot| slot.dead_starts = 2).0.is_ok());
    assert_eq!(card(|slot| slot.dead_starts = 9).0.err(), Some(BlockError::Timeout));
}

#[test]
fn sectors_go_to_and_fro() {
    let (card, slot) = card(|_| ());
    let mut card = card.expect("it starts");
    let mut page = [0; 8 * SECTOR_BYTES];
    card.read(16, &mut page).expect("it reads");
    assert_eq!(page, slot.borrow().medium[16 * SECTOR_BYTES..24 * SECTOR_BYTES]);
    page.reverse();
    card.write(40, &page).expect("it writes");
    card.write(7, &page[..SECTOR_BYTES]).expect("it writes one");
    assert_eq!(page, slot.borrow().medium[40 * SECTOR_BYTES..48 * SECTOR_BYTES]);
    assert_eq!(slot.borrow().lost_writes, 0);
}

#[test]
fn a_damaged_transfer_is_tried_again_and_no_error_stays() {
    let (card, slot) = card(|_| ());
    let mut card = card.expect("it starts");
    let mut page = [0; 2 * SECTOR_BYTES];
    slot.borrow_mut().damaged = 2;
    card.read(3, &mut page).expect("the third time it is whole");
    assert_eq!(page, slot.borrow().medium[3 * SECTOR_BYTES..5 * SECTOR_BYTES]);
    slot.borrow_mut().damaged = 3;
    assert_eq!(card.read(3, &mut page), Err(BlockError::Failed));
    slot.borrow_mut().damaged = 0;
    card.read(3, &mut page).expect("the error does not stay");
}
