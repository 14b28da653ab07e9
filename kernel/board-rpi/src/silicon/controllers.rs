//! The interrupt controllers with everything on at entry, and the source of random numbers.

use super::bus::{Device, PeripheralBus, Plain};
use crate::gic::Gic;
use crate::interrupts::{Interrupts, Legacy};
use crate::random;
use renga_hal::irq::{IrqSource, Pending};

/// Enable and disable registers over words of lines, of which all are pending; also the core's own controller, of
/// which timer and peripherals are.
struct LineRegisters {
    enabled: [u32; 3],
    /// Of the peripherals' controller: which is a fast one. Of the cores': to which core they go.
    fiq_or_core: u32,
    timers: [u32; 2],
}

impl Device for LineRegisters {
    fn read(&mut self, offset: usize) -> u32 {
        match offset {
            0x04 => self.enabled[0],
            0x08 => self.enabled[1],
            0x60 => 1 << 8 | 1 << 3,
            0x64 => 1 << 8,
            0x40 | 0x44 => self.timers[(offset - 0x40) / 4],
            _ => 0,
        }
    }
    fn write(&mut self, offset: usize, value: u32) {
        match offset {
            0x0c => self.fiq_or_core = value,
            0x40 | 0x44 => self.timers[(offset - 0x40) / 4] = value,
            0x10 | 0x14 | 0x18 => self.enabled[(offset - 0x10) / 4] |= value,
            0x1c | 0x20 | 0x24 => self.enabled[(offset - 0x1c) / 4] &= !value,
            _ => {}
        }
    }
}

#[test]
fn interrupts_pi3_raises_enabled_sources_only() {
    let bus = PeripheralBus::default();
    let (peripherals, lines) = bus.add(LineRegisters { enabled: [u32::MAX; 3], fiq_or_core: 0xff, timers: [0; 2] });
    let (local, cores) = bus.add(LineRegisters { enabled: [0; 3], fiq_or_core: 0, timers: [0; 2] });
    let mut interrupts = Interrupts::Legacy(Legacy::new(local, peripherals));
    assert_eq!((lines.borrow().enabled, lines.borrow().fiq_or_core), ([0; 3], 0));
    assert_eq!(interrupts.pending(), Pending { timer: true, ..Pending::default() });
    interrupts.enable(IrqSource::Uart);
    interrupts.enable(IrqSource::Log);
    assert_eq!(interrupts.pending(), Pending { timer: true, uart: true, log: true, link: false });
    interrupts.disable(IrqSource::Log);
    interrupts.enable(IrqSource::Link);
    assert_eq!(interrupts.pending(), Pending { timer: true, uart: true, log: false, link: true });
    // From now on core 1 hears them, and its own timer, which is not pending.
    interrupts.come_to(1);
    interrupts.enable(IrqSource::Timer);
    assert_eq!((cores.borrow().fiq_or_core, cores.borrow().timers), (1, [0, 1 << 3]));
    assert_eq!(interrupts.pending(), Pending { timer: false, uart: true, log: false, link: true });
}

#[test]
fn interrupts_pi4_raises_enabled_sources_only() {
    let bus = PeripheralBus::default();
    let (distributor, device) = bus.add(Plain::garbage(0x1000));
    let (processor, core) = bus.add(Plain::garbage(0x20));
    let mut interrupts = Interrupts::Gic(Gic::new(distributor, processor));
    assert_eq!((core.borrow().0[0], core.borrow().0[1]), (1, 0xff));
    // All lines ask.
    device.borrow_mut().0[0x200 / 4..0x220 / 4].fill(u32::MAX);
    assert_eq!(interrupts.pending(), Pending::default());
    interrupts.enable(IrqSource::Timer);
    assert_eq!(device.borrow().0[0x100 / 4], 1 << 27, "the virtual timer is number 27");
    interrupts.enable(IrqSource::Uart);
    assert_eq!(device.borrow().0[0x110 / 4], 1 << 25, "the PL011 is number 153");
    assert_eq!(interrupts.pending(), Pending { timer: true, uart: true, ..Pending::default() });
    device.borrow_mut().0[0x210 / 4] = 0;
    assert_eq!(interrupts.pending(), Pending { timer: true, ..Pending::default() });
    assert_eq!(device.borrow().0[0x800 / 4 + 153 / 4], 0x0101_0101, "to core 0");
    interrupts.come_to(2);
    let targets = &device.borrow().0[0x800 / 4..0x900 / 4];
    assert!(targets[8..].iter().all(|&target| target == 0x0404_0404), "to core 2");
    let entry = Plain::garbage(0x1000);
    assert_eq!(targets[..8], entry.0[0x800 / 4..0x820 / 4], "a core's own numbers go to that core");
}

/// A source that needs some polls until it is warm.
struct Source64 {
    cold: u32,
    on: bool,
    word: u32,
}

impl Device for Source64 {
    fn read(&mut self, offset: usize) -> u32 {
        match offset {
            0x04 => {
                self.cold = self.cold.saturating_sub(u32::from(self.on));
                u32::from(self.cold == 0) << 24 | 0x4_0000
            }
            _ => {
                self.word = self.word.wrapping_mul(0x9e37_79b9) ^ 0x55;
                self.word
            }
        }
    }
    fn write(&mut self, offset: usize, value: u32) {
        self.on |= offset == 0 && value & 1 != 0;
    }
}

#[test]
fn random_source_waits_and_dead_source_gives_none() {
    let number = |cold| random::number(PeripheralBus::default().add(Source64 { cold, on: false, word: 7 }).0);
    assert!(number(500).is_some());
    assert_eq!(number(u32::MAX), None);
    assert_eq!(
        random::number(PeripheralBus::default().add(Plain(vec![u32::MAX; 4])).0),
        None,
        "a register that is stuck"
    );
}
