//! The mailboxes of a BCM2837's cores, with garbage in them at entry, all of which interrupts; and the interrupts of
//! software of a GIC-400, of which each core sees its own.

use super::bus::{BusDevice, Device, PeripheralBus, Plain};
use crate::core_ipi::CoreIpi;
use crate::gic;
use renga_hal::registers::Registers;
use std::cell::RefCell;
use std::rc::Rc;

const CORES: usize = 4;
const MAILBOXES: usize = 4;

struct Mailboxes {
    content: [[u32; MAILBOXES]; CORES],
    control: [u32; CORES],
}

impl Mailboxes {
    /// Whether the first mailbox of each core interrupts it.
    fn interrupted(&self) -> [bool; CORES] {
        core::array::from_fn(|core| self.control[core] & 1 != 0 && self.content[core][0] != 0)
    }
    fn of(offset: usize) -> (usize, usize) {
        (offset % 0x40 / 0x10, offset % 0x10 / 4)
    }
}

impl Device for Mailboxes {
    fn read(&mut self, offset: usize) -> u32 {
        let (core, mailbox) = Mailboxes::of(offset);
        if (0xc0..0x100).contains(&offset) { self.content[core][mailbox] } else { 0 }
    }
    fn write(&mut self, offset: usize, value: u32) {
        let (core, mailbox) = Mailboxes::of(offset);
        match offset {
            0x50..0x60 => self.control[(offset - 0x50) / 4] = value,
            0x80..0xc0 => self.content[core][mailbox] |= value,
            0xc0..0x100 => self.content[core][mailbox] &= !value,
            _ => panic!("not a mailbox: {offset:#x}"),
        }
    }
}

/// Accesses another peripheral, as a driver does before and after.
fn elsewhere(bus: &PeripheralBus) -> BusDevice<Plain> {
    let (other, _) = bus.add(Plain::garbage(4));
    other.read(0);
    other
}

fn mailboxes(bus: &PeripheralBus) -> (impl Fn(u8) -> CoreIpi<BusDevice<Mailboxes>>, Rc<RefCell<Mailboxes>>) {
    let (first, device) = bus.add(Mailboxes { content: [[0xffff_0000; MAILBOXES]; CORES], control: [0; CORES] });
    (move |core| CoreIpi::mailbox(first.clone(), core), device)
}

#[test]
fn ipi_pi3_interrupts_core_until_acknowledged() {
    let bus = PeripheralBus::default();
    let (ipi, device) = mailboxes(&bus);
    let mut ipis = [0, 1, 2, 3].map(ipi);
    ipis[1..].iter_mut().for_each(CoreIpi::enable);
    assert_eq!(device.borrow().interrupted(), [false; CORES], "what was there at entry is forgotten");
    ipis[2].send();
    ipis[2].send();
    assert_eq!(device.borrow().interrupted(), [false, false, true, false]);
    assert!(ipis[2].is_pending() && !ipis[1].is_pending() && !ipis[3].is_pending());
    ipis[2].acknowledge();
    assert_eq!(device.borrow().interrupted(), [false; CORES]);
    ipis[3].send();
    ipis[1].send();
    assert_eq!(device.borrow().interrupted(), [false, true, false, true]);
}

#[test]
fn ipi_every_access_is_between_barriers() {
    let bus = PeripheralBus::default();
    let (ipi, _) = mailboxes(&bus);
    let mut ipi = ipi(1);
    let other = elsewhere(&bus);
    for step in [CoreIpi::enable, CoreIpi::send, CoreIpi::acknowledge, |ipi: &mut CoreIpi<_>| {
        ipi.is_pending();
    }] {
        other.read(0);
        step(&mut ipi);
        other.read(0);
    }
}

/// A GIC-400, as far as cores interrupt each other; each has something pending at entry.
struct Software {
    /// The core that accesses it.
    core: usize,
    enabled: [u32; CORES],
    /// By core and number, the senders whose IPI is pending: a bit each.
    pending: [[u8; 16]; CORES],
}

impl Software {
    fn interrupted(&self) -> [bool; CORES] {
        core::array::from_fn(|core| (0..16).any(|at| self.enabled[core] >> at & 1 != 0 && self.pending[core][at] != 0))
    }
    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.pending[self.core][at..at + 4].try_into().unwrap())
    }
}

impl Device for Software {
    fn read(&mut self, offset: usize) -> u32 {
        match offset {
            0x100 => self.enabled[self.core],
            0xf10..0xf20 => self.word(offset - 0xf10),
            0xf20..0xf30 => self.word(offset - 0xf20),
            _ => 0,
        }
    }
    fn write(&mut self, offset: usize, value: u32) {
        match offset {
            0x100 => self.enabled[self.core] |= value,
            0x180 => self.enabled[self.core] &= !value,
            0xf00 => {
                assert_eq!(value >> 24, 0, "to those that are named");
                let (by, number) = (self.core, value as usize & 0xf);
                let pending = (0..CORES).filter(|core| value >> (16 + core) & 1 != 0);
                pending.for_each(|core| self.pending[core][number] |= 1 << by);
            }
            0xf10..0xf20 => {
                let bytes = value.to_le_bytes().into_iter().enumerate();
                bytes.for_each(|(at, cleared)| self.pending[self.core][offset - 0xf10 + at] &= !cleared);
            }
            _ => {}
        }
    }
}

#[test]
fn ipi_pi4_interrupts_core_until_acknowledged() {
    let bus = PeripheralBus::default();
    let software = || Software { core: 0, enabled: [u32::MAX; CORES], pending: [[0xf; 16]; CORES] };
    let (mut distributor, device) = bus.add(software());
    let (mut processor, _) = bus.add(software());
    let mut ipis = [0, 1, 2, 3].map(|core| CoreIpi::software(distributor.clone(), core));
    for (core, ipi) in ipis.iter_mut().enumerate() {
        device.borrow_mut().core = core;
        gic::join(&mut distributor, &mut processor);
        ipi.enable();
        gic::enable_timer(&mut distributor);
    }
    assert_eq!(device.borrow().enabled, [1 | 1 << 27; CORES], "the ipi and the timer");
    assert_eq!(device.borrow().interrupted(), [false; CORES], "what was there at entry is forgotten");
    ipis[2].send();
    device.borrow_mut().core = 1;
    ipis[2].send();
    ipis[0].send();
    assert_eq!(device.borrow().interrupted(), [true, false, true, false]);
    assert!(!ipis[1].is_pending());
    device.borrow_mut().core = 2;
    assert!(ipis[2].is_pending());
    ipis[2].acknowledge();
    assert!(!ipis[2].is_pending());
    assert_eq!(
        device.borrow().interrupted(),
        [true, false, false, false],
        "only this core's two IPIs are acknowledged"
    );
}
