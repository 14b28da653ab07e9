//! The two serial lines and the power management: what is computed from a clock, what needs a password, what waits.

use super::bus::{Device, PeripheralBus, Plain};
use crate::mini_uart::MiniUart;
use crate::pl011::Pl011;
use crate::power::Watchdog;

/// An auxiliary block whose mini UART has room for so many bytes.
struct Mini {
    registers: Plain,
    room: u32,
    sent: Vec<u8>,
}

impl Device for Mini {
    fn read(&mut self, offset: usize) -> u32 {
        match offset {
            0x54 => u32::from(self.room > 0) << 5,
            _ => self.registers.read(offset),
        }
    }
    fn write(&mut self, offset: usize, value: u32) {
        if offset == 0x40 {
            assert!(self.room > 0, "a byte for which there was no room");
            self.room -= 1;
            self.sent.push(value as u8);
        }
        self.registers.write(offset, value);
    }
}

#[test]
fn log_uart_waits_for_line_without_blocking() {
    let bus = PeripheralBus::default();
    let (registers, device) = bus.add(Mini { registers: Plain::garbage(0x80), room: 8, sent: Vec::new() });
    let mut uart = MiniUart::new(registers, 400_000_000);
    assert_eq!(device.borrow_mut().registers.read(0x68), 400_000_000 / (8 * 115_200) - 1);
    let begin_ns = bus.clock.peek_ns();
    uart.write(b"twelve bytes");
    assert!(uart.send(), "four bytes are left");
    assert!(bus.clock.peek_ns() - begin_ns < 10_000, "it waited {} ns", bus.clock.peek_ns() - begin_ns);
    assert_eq!(device.borrow_mut().registers.read(0x44), 2, "the line is to interrupt when it has room");
    device.borrow_mut().room = 8;
    assert!(!uart.send());
    assert_eq!(device.borrow().sent, b"twelve bytes");
    assert_eq!(device.borrow_mut().registers.read(0x44), 0);
    uart.write(&[0; 9000]);
    assert_eq!(uart.lost(), 9000 - 8192);
}

#[test]
fn console_uart_divides_actual_clock() {
    for (clock_hz, whole, fraction) in [(48_000_000, 26, 3), (3_000_000, 1, 40), (1_000_000_000, 542, 34)] {
        let (registers, device) = PeripheralBus::default().add(Plain::garbage(0x50));
        let _uart = Pl011::new(registers, clock_hz, 115_200);
        let device = device.borrow();
        assert_eq!((device.0[0x24 / 4], device.0[0x28 / 4]), (whole, fraction), "{clock_hz} Hz");
        assert_eq!(device.0[0x38 / 4], 0, "no interrupts but those asked for");
    }
}

/// Power management: what comes without the password is ignored.
struct PowerRegisters([u32; 10]);

impl Device for PowerRegisters {
    fn read(&mut self, offset: usize) -> u32 {
        self.0[offset / 4]
    }
    fn write(&mut self, offset: usize, value: u32) {
        if value >> 24 == 0x5a {
            self.0[offset / 4] = value & 0x00ff_ffff;
        }
    }
}

#[test]
fn watchdog_write_without_password_is_ignored() {
    let (registers, device) = PeripheralBus::default().add(PowerRegisters([0; 10]));
    let mut watchdog = Watchdog::new(registers);
    device.borrow_mut().0[0x1c / 4] = 0x102;
    watchdog.feed(5);
    assert_eq!((device.borrow().0[0x24 / 4], device.borrow().0[0x1c / 4]), (5 << 16, 0x122));
    watchdog.feed(60);
    assert_eq!(device.borrow().0[0x24 / 4], 0xf_ffff, "as long as it can");
    watchdog.feed(1 << 16);
    assert_eq!(device.borrow().0[0x24 / 4], 0xf_ffff, "also where ticks do not fit in a word");
    watchdog.stop();
    assert_eq!(device.borrow().0[0x1c / 4], 0x102);
    watchdog.halt();
    assert_eq!(device.borrow().0[0x20 / 4], 0x555, "partition 63 means: stay off");
    assert_eq!((device.borrow().0[0x24 / 4], device.borrow().0[0x1c / 4] & 0x30), (10, 0x20));
}

#[test]
fn reset_names_partition_once() {
    let (registers, device) = PeripheralBus::default().add(PowerRegisters([0; 10]));
    let mut watchdog = Watchdog::new(registers);
    // As firmware leaves it: the partition, in every second bit, and what reset the board.
    device.borrow_mut().0[0x20 / 4] = 0x1020;
    assert_eq!(watchdog.take_partition(), 0);
    device.borrow_mut().0[0x20 / 4] = 0x1004;
    assert_eq!((watchdog.take_partition(), device.borrow().0[0x20 / 4]), (2, 0x1000));
    // From now on the board starts as usual, whatever resets it.
    watchdog.feed(5);
    watchdog.reset();
    assert_eq!((watchdog.take_partition(), device.borrow().0[0x20 / 4]), (0, 0x1000));
    watchdog.reset_to(1);
    assert_eq!(device.borrow().0[0x20 / 4], 0x1001);
    watchdog.reset_to(2);
    assert_eq!((device.borrow().0[0x20 / 4], device.borrow().0[0x24 / 4]), (0x1004, 10));
}
