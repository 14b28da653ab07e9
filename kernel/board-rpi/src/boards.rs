//! Facts of the boards, as data: what differs between a Pi 3, a Zero 2 W and a Pi 4 differs here only.
//!
//! Sources: the datasheet, section 1.2; BCM2711 ARM Peripherals, section 1.2; QA7, chapter 4; the device trees of
//! Linux 6.12. Not here: drivers.

use core::ops::Range;

/// How a block of pins chooses its resistors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pulls {
    /// BCM2837: a value, clocked into pins; it cannot be read.
    Clocked,
    /// BCM2711: two bits a pin.
    Direct,
}

/// The interrupt controllers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controllers {
    /// One for all peripherals, behind one for each core: physical addresses.
    Legacy {
        /// The peripherals'.
        peripherals: u64,
        /// The cores'.
        local: u64,
    },
    /// A GIC-400: physical addresses.
    Gic {
        /// The distributor, which routes interrupts to cores.
        distributor: u64,
        /// The processor interface, which interrupts the core.
        processor: u64,
    },
}

/// The card slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardSlot {
    /// Registers of the SD host.
    pub host: u64,
    /// The firmware's number of its clock.
    pub clock: u32,
    /// Whether its pins must be taken from another host, and the radio's from it.
    pub shares_pins: bool,
    /// The firmware's number of the pin that is low for 3.3 V, if the card's supply can be switched.
    pub low_voltage_pin: Option<u32>,
}

/// SPI, with the pins of the slave that the phy knows by chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spi {
    /// SPI0.
    pub master: u64,
    /// The BSC slave.
    pub slave: u64,
    /// Whether the slave has the master's pins for select and clock.
    pub shares_pins: bool,
}

/// What a kind of chip has.
#[derive(Clone, Debug)]
pub struct Chip {
    /// Its name.
    pub name: &'static str,
    /// Part number of its cores (MIDR).
    pub core_part: u16,
    /// Where devices are: whole 2 MiB blocks.
    pub devices: [Range<u64>; 2],
    /// Memory that every board with it leaves to us, should the firmware not say.
    pub memory_least: Range<u64>,
    /// The console: PL011.
    pub pl011: u64,
    /// Auxiliary peripherals, with the mini UART.
    pub auxiliary: u64,
    /// Pins.
    pub gpio: u64,
    /// The SPI master, and the slave.
    pub spi: Spi,
    /// How they are pulled.
    pub pulls: Pulls,
    /// The firmware's mailboxes.
    pub mailbox: u64,
    /// Power management: watchdog and reset.
    pub power: u64,
    /// The source of random numbers, where it is one that we drive.
    pub random: Option<u64>,
    /// The card slot.
    pub card: CardSlot,
    /// The interrupt controllers.
    pub controllers: Controllers,
    /// Where the cluster emulator puts its page of registers.
    pub emulator_link: u64,
}

/// The light that the board itself has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Light {
    /// At a pin of the chip.
    Pin {
        /// Its number.
        pin: u8,
        /// Whether a high level switches it on.
        on_high: bool,
    },
    /// At the firmware's own expander.
    Firmware(u32),
}

/// A kind of board.
#[derive(Clone, Debug)]
pub struct BoardModel {
    /// What people call it.
    pub name: &'static str,
    /// The first word of the device tree's `compatible`.
    pub compatible: &'static str,
    /// Its chip.
    pub chip: &'static Chip,
    /// Its light.
    pub light: Light,
}

/// Raspberry Pi 3 and Zero 2 W.
pub const BCM2837: Chip = Chip {
    name: "BCM2837",
    core_part: 0xd03,
    devices: [0x3f00_0000..0x4000_0000, 0x4000_0000..0x4020_0000],
    memory_least: 0..0x1c00_0000,
    pl011: 0x3f20_1000,
    auxiliary: 0x3f21_5000,
    gpio: 0x3f20_0000,
    spi: Spi { master: 0x3f20_4000, slave: 0x3f21_4000, shares_pins: false },
    pulls: Pulls::Clocked,
    mailbox: 0x3f00_b880,
    power: 0x3f10_0000,
    random: Some(0x3f10_4000),
    card: CardSlot { host: 0x3f30_0000, clock: 1, shares_pins: true, low_voltage_pin: None },
    controllers: Controllers::Legacy { peripherals: 0x3f00_b200, local: 0x4000_0000 },
    emulator_link: 0x3fb0_0000,
};

/// Raspberry Pi 4. The clock of its card's host must never be switched off.
pub const BCM2711: Chip = Chip {
    name: "BCM2711",
    core_part: 0xd08,
    devices: [0xfe00_0000..0xff00_0000, 0xff80_0000..0xffa0_0000],
    memory_least: 0..0x3000_0000,
    pl011: 0xfe20_1000,
    auxiliary: 0xfe21_5000,
    gpio: 0xfe20_0000,
    spi: Spi { master: 0xfe20_4000, slave: 0xfe21_4000, shares_pins: true },
    pulls: Pulls::Direct,
    mailbox: 0xfe00_b880,
    power: 0xfe10_0000,
    random: None,
    card: CardSlot { host: 0xfe34_0000, clock: 12, shares_pins: false, low_voltage_pin: Some(132) },
    controllers: Controllers::Gic { distributor: 0xff84_1000, processor: 0xff84_2000 },
    emulator_link: 0xfeb0_0000,
};

/// All that this kernel knows. The first with a chip stands for a board that does not say what it is.
pub const BOARDS: [BoardModel; 5] = [
    BoardModel {
        name: "Raspberry Pi 3 B",
        compatible: "raspberrypi,3-model-b",
        chip: &BCM2837,
        light: Light::Firmware(130),
    },
    BoardModel {
        name: "Raspberry Pi 3 B+",
        compatible: "raspberrypi,3-model-b-plus",
        chip: &BCM2837,
        light: Light::Pin { pin: 29, on_high: true },
    },
    BoardModel {
        name: "Raspberry Pi 3 A+",
        compatible: "raspberrypi,3-model-a-plus",
        chip: &BCM2837,
        light: Light::Pin { pin: 29, on_high: true },
    },
    BoardModel {
        name: "Raspberry Pi Zero 2 W",
        compatible: "raspberrypi,model-zero-2-w",
        chip: &BCM2837,
        light: Light::Pin { pin: 29, on_high: false },
    },
    BoardModel {
        name: "Raspberry Pi 4 B",
        compatible: "raspberrypi,4-model-b",
        chip: &BCM2711,
        light: Light::Pin { pin: 42, on_high: true },
    },
];

/// The board whose device tree says `compatible`; without one, the first whose cores have this part number.
pub fn recognise(compatible: Option<&str>, core_part: u16) -> Option<&'static BoardModel> {
    const KNOWN: &[BoardModel] = &BOARDS;
    let by_name = KNOWN.iter().find(|board| Some(board.compatible) == compatible);
    by_name.or_else(|| KNOWN.iter().find(|board| board.chip.core_part == core_part))
}

/// Rate that the driver requests for the PL011's clock, and assumes when the firmware does not answer, Hz.
pub const UART_CLOCK_HZ: u32 = 48_000_000;
/// What the card's host is clocked with when the firmware does not answer, Hz: the fastest that it runs, so that the
/// card's clock is then too slow rather than too fast.
pub const CARD_CLOCK_HZ: u32 = 250_000_000;
/// What the mini UART is clocked with when the firmware does not answer, Hz.
pub const CORE_CLOCK_HZ: u32 = 250_000_000;

/// The firmware's numbers of clocks.
pub mod clock {
    /// The PL011's.
    pub const UART: u32 = 2;
    /// The cores'.
    pub const ARM: u32 = 3;
    /// The mini UART's.
    pub const CORE: u32 = 4;
}
