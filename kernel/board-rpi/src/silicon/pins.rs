//! The pins: pulls that are clocked in and cannot be read, events that firmware left on.

use super::bus::{Device, PeripheralBus, Plain};
use crate::boards::Pulls;
use crate::gpio::{PINS, Pins};
use renga_hal::gpio::{Function, Pull};
use renga_hal::registers::Registers;

/// Time that a pull's value, and its clock, must stand, in accesses: 150 cycles at the slowest clock.
const SETTLE_ACCESSES: u32 = 100;

/// The block of a BCM2837.
struct Silicon {
    functions: [u32; 6],
    /// Status, rising, falling, high, low, and the asynchronous two, for pins 0 to 31 and the others.
    detect: [u32; 20],
    pull_value: u32,
    since_value: u32,
    clocks: [u32; 2],
    since_clock: u32,
    pulls: [u8; PINS as usize],
}

impl Silicon {
    /// As firmware may leave it.
    fn after_firmware() -> Silicon {
        Silicon {
            functions: [0x2492_4924; 6],
            detect: [0x8001_8001; 20],
            pull_value: 2,
            since_value: 0,
            clocks: [0; 2],
            since_clock: 0,
            pulls: [3; PINS as usize],
        }
    }
    fn function(&self, pin: usize) -> u32 {
        self.functions[pin / 10] >> (pin % 10 * 3) & 7
    }
    /// Whether any pin can interrupt.
    fn may_interrupt(&self) -> bool {
        self.detect[..2].iter().any(|&word| word != 0) || self.detect[3..].iter().any(|&word| word != 0)
    }
}

impl Device for Silicon {
    fn read(&mut self, offset: usize) -> u32 {
        self.since_value += 1;
        self.since_clock += 1;
        match offset {
            0x00..0x18 => self.functions[offset / 4],
            0x34 | 0x38 => 0,
            0x40..0x90 => self.detect[(offset - 0x40) / 4],
            // The pulls' registers are write-only, the others reserved.
            _ => 0x6770_696f,
        }
    }

    fn write(&mut self, offset: usize, value: u32) {
        match offset {
            0x00..0x18 => self.functions[offset / 4] = value,
            0x1c..0x34 => {}
            0x40 | 0x44 => self.detect[(offset - 0x40) / 4] &= !value,
            0x48..0x90 => self.detect[(offset - 0x40) / 4] = value,
            0x94 => {
                if self.clocks != [0; 2] && self.since_clock >= SETTLE_ACCESSES {
                    self.latch();
                }
                (self.pull_value, self.since_value) = (value, 0);
            }
            0x98 | 0x9c => {
                let clocked = self.clocks[(offset - 0x98) / 4];
                if value == 0 && clocked != 0 {
                    self.clocks = [0; 2];
                    return;
                }
                assert!(self.since_value >= SETTLE_ACCESSES, "the value of a pull was clocked before it settled");
                self.clocks[(offset - 0x98) / 4] = value;
                self.since_clock = 0;
            }
            _ => panic!("a write to the reserved register {offset:#x}"),
        }
    }
}

impl Silicon {
    fn latch(&mut self) {
        for pin in 0..PINS as usize {
            if self.clocks[pin / 32] >> (pin % 32) & 1 != 0 {
                self.pulls[pin] = self.pull_value as u8;
            }
        }
    }
}

fn pins() -> (Pins<super::bus::BusDevice<Silicon>>, std::rc::Rc<std::cell::RefCell<Silicon>>) {
    let (registers, silicon) = PeripheralBus::default().add(Silicon::after_firmware());
    (Pins::new(registers, Pulls::Clocked), silicon)
}

#[test]
fn gpio_boot_disables_all_pin_interrupts() {
    let (_pins, silicon) = pins();
    assert!(!silicon.borrow().may_interrupt(), "{:x?}", silicon.borrow().detect);
}

#[test]
fn gpio_pull_reaches_its_pin_only() {
    let (mut pins, silicon) = pins();
    pins.set_pull(4, Pull::Up);
    pins.set_pull(40, Pull::Down);
    pins.set_pull(5, Pull::Off);
    let pulls = silicon.borrow().pulls;
    assert_eq!((pulls[4], pulls[40], pulls[5]), (2, 1, 0));
    assert!(pulls.iter().enumerate().all(|(pin, &pull)| [4, 40, 5].contains(&pin) || pull == 3));
    assert_eq!(silicon.borrow().clocks, [0; 2]);
}

#[test]
fn gpio_card_takes_pins_from_radio() {
    let (mut pins, silicon) = pins();
    pins.route_card();
    let silicon = silicon.borrow();
    assert!((48..54).all(|pin| silicon.function(pin) == 7), "alternative 3");
    assert!((34..40).all(|pin| silicon.function(pin) == 0), "inputs");
    assert_eq!((silicon.pulls[48], silicon.pulls[49], silicon.pulls[53]), (0, 2, 2));
}

#[test]
fn gpio_console_takes_its_pins() {
    let (mut pins, silicon) = pins();
    pins.set_function(14, Function::Input);
    pins.route_console();
    assert_eq!((silicon.borrow().function(14), silicon.borrow().function(15)), (4, 4));
    assert_eq!(silicon.borrow().pulls[15], 2);
}

#[test]
fn gpio_fault_releases_link_and_keeps_console() {
    let (mut pins, silicon) = pins();
    for pin in (2..14).chain(16..28) {
        pins.set_function(pin, Function::Output);
    }
    pins.release_link();
    let silicon = silicon.borrow();
    assert!((2..14).chain(16..28).all(|pin| silicon.function(pin) == 0));
    assert_eq!((silicon.function(14), silicon.function(15)), (4, 4));
}

#[test]
fn gpio_bcm2711_pulls_use_own_registers_and_codes() {
    let (registers, device) = PeripheralBus::default().add(Plain(vec![0; 0x100 / 4]));
    let mut pins = Pins::new(registers, Pulls::Direct);
    for (pin, pull) in [(4, Pull::Up), (5, Pull::Down), (27, Pull::Up), (27, Pull::Off), (53, Pull::Down)] {
        pins.set_pull(pin, pull);
    }
    let words = &device.borrow().0[0xe4 / 4..0xf4 / 4];
    assert_eq!(words, [1 << 8 | 2 << 10, 0, 0, 2 << 10]);
    pins.fence();
}

#[test]
fn gpio_pull_settling_is_observed() {
    let (mut registers, _) = PeripheralBus::default().add(Silicon::after_firmware());
    registers.write(0x94, 2);
    let soon = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| registers.write(0x98, 1)));
    assert!(soon.is_err(), "a clock at once");
}
