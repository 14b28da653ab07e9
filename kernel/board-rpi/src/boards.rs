//! Facts of the boards, as data.
//!
//! Sources: the datasheet, section 1.2; BCM2711 ARM Peripherals, section 1.2; QA7, chapter 4.

use core::ops::Range;

/// Physical addresses of a kind of board.
#[derive(Clone, Debug)]
pub struct Board {
    /// What people call it.
    pub name: &'static str,
    /// Where devices are: whole 2 MiB blocks.
    pub devices: [Range<u64>; 2],
    /// Memory that every board of the kind leaves to us, should the firmware not say.
    pub memory_least: Range<u64>,
    /// The console: PL011.
    pub pl011: u64,
    /// Auxiliary peripherals, with the mini UART.
    pub auxiliary: u64,
    /// Pins.
    pub gpio: u64,
    /// SD host of the card slot.
    pub sd_host: u64,
    /// Interrupt controller of the peripherals.
    pub interrupts: u64,
    /// Core-local interrupts and timers.
    pub local: u64,
    /// Where the cluster emulator puts its link device.
    pub emulator_link: u64,
}

/// Raspberry Pi 3 B, 3 B+ and Zero 2 W: BCM2837.
pub const PI3: Board = Board {
    name: "Raspberry Pi 3",
    devices: [0x3f00_0000..0x4000_0000, 0x4000_0000..0x4020_0000],
    memory_least: 0..0x1c00_0000,
    pl011: 0x3f20_1000,
    auxiliary: 0x3f21_5000,
    gpio: 0x3f20_0000,
    sd_host: 0x3f30_0000,
    interrupts: 0x3f00_b200,
    local: 0x4000_0000,
    emulator_link: 0x3fb0_0000,
};

/// What a Pi 4 (BCM2711) does differently. There is no driver for its interrupt controller yet, and its
/// devices lie beyond the kernel's linear map.
pub mod pi4 {
    /// PL011.
    pub const PL011: u64 = 0xfe20_1000;
    /// Pins; pulls are set by registers 0xe4 to 0xf0, two bits a pin, 1 up and 2 down.
    pub const GPIO: u64 = 0xfe20_0000;
    /// EMMC2, the SD host of the card slot. Its clock must never be switched off.
    pub const EMMC2: u64 = 0xfe34_0000;
    /// GIC-400, distributor.
    pub const GIC_DISTRIBUTOR: u64 = 0xff84_1000;
    /// GIC-400, processor interface.
    pub const GIC_PROCESSOR: u64 = 0xff84_2000;
}

/// The rate to which `init_uart_clock` of `config.txt` sets the PL011's clock, in Hz.
pub const UART_CLOCK_HZ: u32 = 48_000_000;
