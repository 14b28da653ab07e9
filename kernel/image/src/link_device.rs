//! The device that carries the link's frames: the emulator's, the bus on the pins, or the one over SPI.
//!
//! Invariant: a board without an emulator has only its pins. Not here: drivers (`board-rpi`, `phy`), the token (`mac`).

use crate::hardware::{EmulatorPage, LinkMaster, LinkPins, LinkSlave};
use crate::{fault, hardware};
use core::sync::atomic::{AtomicU32, Ordering};
use renga_arch_aarch64::crc;
use renga_hal::link::{FRAME_BYTES_MAX, FrameDevice, TransmitFull};
use renga_mac::{MacSetup, TokenTiming};
use renga_phy::linkbench::{Errors, Measured};
use renga_phy::pins::{self, Handshake, PinBus, PinPhy, PullUps, Width, Wiring};
use renga_phy::spi::wiring::SpiChip;
use renga_phy::spi::{self, SpiBus, SpiPhy};
use renga_router::TokenLink;
use renga_wire::of_payload;

/// A listener may hear of a frame so late, ns: system processes are not preempted.
const ARM_NS: u64 = 60_000;
/// The SPI clock that is requested, Hz. No slave has been measured.
const SPI_RATE_HZ: u32 = 4_000_000;
/// The pins are sampled at this interval even without an interrupt, ns.
const POLL_NS: u64 = 1_000_000_000;
/// The token's times are those of boards that poll without a pause; these sample when they are interrupted.
const TOKEN_SLOWED: u64 = 4;

/// Of its first bytes, however many, the processor's checksum is to be that of the tables.
const CRC_SAMPLE: &[u8] = b"123456789 and some more";

static POLLS: AtomicU32 = AtomicU32::new(0);

/// How often the link was served: a count that changes shows that the board works.
pub fn polls() -> u32 {
    POLLS.load(Ordering::Relaxed)
}

/// The device.
pub enum LinkDevice {
    /// The emulator's: whole frames.
    Emulator(EmulatorPage),
    /// The pins, with the token.
    Pins(TokenLink<PinPhy<LinkPins>>),
    /// SPI, with the token. It has never run on a board.
    Spi(TokenLink<SpiPhy<LinkPins, LinkMaster, LinkSlave>>),
}

impl LinkDevice {
    /// The device called `wanted`, or what there is.
    pub fn choose(emulator: Option<EmulatorPage>, wanted: &str, board: u8) -> LinkDevice {
        let agrees = |bytes: &[u8]| crc::crc32c(bytes) == of_payload(bytes);
        assert!(crc::is_there() && (0..=CRC_SAMPLE.len()).all(|bytes| agrees(&CRC_SAMPLE[..bytes])));
        match (emulator, wanted) {
            (Some(device), "" | "emulator") => LinkDevice::Emulator(device),
            (_, "spi") => LinkDevice::Spi(spi(board)),
            (emulator, _) => match width(wanted) {
                Some(width) => LinkDevice::Pins(pins(board, width, emulator.is_some())),
                None => fault::refuse(format_args!("there is no link `{wanted}`")),
            },
        }
    }
}

impl LinkDevice {
    /// As [`FrameDevice::attend`], of a device that is more than registers.
    #[inline(never)]
    fn attend_wires(&mut self, now_ns: u64) {
        match self {
            LinkDevice::Emulator(_) => {}
            LinkDevice::Pins(device) => device.attend(now_ns),
            LinkDevice::Spi(device) => device.attend(now_ns),
        }
    }
}

/// How many data wires the bus on the pins has that is called so.
pub fn width(name: &str) -> Option<Width> {
    match name {
        "" | "pins" => Some(Width::Sixteen),
        "pins4" => Some(Width::Four),
        _ => None,
    }
}

fn pins(board: u8, width: Width, emulated: bool) -> TokenLink<PinPhy<LinkPins>> {
    let wiring = Wiring { width, handshake: Handshake::TwoEdge, pulls: PullUps::Harness };
    let mut timing = pins::PinTiming::by_interrupt(width, ARM_NS);
    let mut gpio = hardware::bus_pins();
    if emulated {
        // All that is stored arrives after the same time and in its order: there is nothing to settle.
        (timing.settle_ns, timing.hold_ns) = (0, 0);
    }
    if hardware::read_spins() > 0 {
        gpio = gpio.with_slow_reads(hardware::read_spins());
    }
    let bus = PinBus::begin(gpio, board, wiring, timing);
    TokenLink::new(setup(board), PinPhy::new(bus, POLL_NS))
}

/// Whose slave's pins are this board's.
pub fn chip() -> SpiChip {
    if hardware::board().chip.spi.shares_pins { SpiChip::Bcm2711 } else { SpiChip::Bcm2837 }
}

fn spi(board: u8) -> TokenLink<SpiPhy<LinkPins, LinkMaster, LinkSlave>> {
    let (master, slave) = hardware::spi(SPI_RATE_HZ);
    let timing = spi::timing(u64::from(SPI_RATE_HZ), ARM_NS);
    let bus = SpiBus::begin(hardware::bus_pins(), master, slave, chip(), board, PullUps::Harness, timing);
    TokenLink::new(setup(board), SpiPhy::new(bus, POLL_NS))
}

/// If the person who wrote the cards gave two boards one number, the serial numbers from their firmware distinguish
/// them. Without serial numbers, as in QEMU, nothing does.
fn setup(board: u8) -> MacSetup {
    let known = hardware::with_firmware(|firmware| firmware.serial()).filter(|serial| *serial != 0);
    MacSetup { board, serial: known.unwrap_or(u64::from(board)), timing: TokenTiming::PI3.slowed(TOKEN_SLOWED) }
}

impl Measured for LinkDevice {
    fn now_ns(&mut self) -> u64 {
        hardware::now_ns()
    }

    fn errors(&mut self) -> Errors {
        match self {
            LinkDevice::Emulator(_) => Errors::default(),
            LinkDevice::Pins(device) => device.errors(),
            LinkDevice::Spi(device) => device.errors(),
        }
    }
}

impl FrameDevice for LinkDevice {
    #[inline(always)]
    fn crc32c(bytes: &[u8]) -> Option<u32> {
        Some(crc::crc32c(bytes))
    }

    fn board(&self) -> u8 {
        match self {
            LinkDevice::Emulator(device) => device.board(),
            LinkDevice::Pins(device) => device.board(),
            LinkDevice::Spi(device) => device.board(),
        }
    }

    fn receive(&mut self, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize> {
        match self {
            LinkDevice::Emulator(device) => device.receive(out),
            LinkDevice::Pins(device) => device.receive(out),
            LinkDevice::Spi(device) => device.receive(out),
        }
    }

    fn has_room(&self) -> bool {
        match self {
            LinkDevice::Emulator(device) => device.has_room(),
            LinkDevice::Pins(device) => device.has_room(),
            LinkDevice::Spi(device) => device.has_room(),
        }
    }

    fn send(&mut self, destination: u8, frame: &[u8]) -> Result<(), TransmitFull> {
        match self {
            LinkDevice::Emulator(device) => device.send(destination, frame),
            LinkDevice::Pins(device) => device.send(destination, frame),
            LinkDevice::Spi(device) => device.send(destination, frame),
        }
    }

    fn enable_receive_interrupt(&mut self, on: bool) {
        match self {
            LinkDevice::Emulator(device) => device.enable_receive_interrupt(on),
            LinkDevice::Pins(device) => device.enable_receive_interrupt(on),
            LinkDevice::Spi(device) => device.enable_receive_interrupt(on),
        }
    }

    fn enable_transmit_interrupt(&mut self, on: bool) {
        match self {
            LinkDevice::Emulator(device) => device.enable_transmit_interrupt(on),
            LinkDevice::Pins(device) => device.enable_transmit_interrupt(on),
            LinkDevice::Spi(device) => device.enable_transmit_interrupt(on),
        }
    }

    #[inline(always)]
    fn attend(&mut self, now_ns: u64) {
        POLLS.store(polls().wrapping_add(1), Ordering::Relaxed);
        match self {
            LinkDevice::Emulator(device) => device.attend(now_ns),
            wires => wires.attend_wires(now_ns),
        }
    }

    #[inline(always)]
    fn deadline_ns(&self) -> Option<u64> {
        match self {
            LinkDevice::Emulator(device) => device.deadline_ns(),
            LinkDevice::Pins(device) => device.deadline_ns(),
            LinkDevice::Spi(device) => device.deadline_ns(),
        }
    }

    fn take_overrun(&mut self) -> bool {
        match self {
            LinkDevice::Emulator(device) => device.take_overrun(),
            LinkDevice::Pins(device) => device.take_overrun(),
            LinkDevice::Spi(device) => device.take_overrun(),
        }
    }
}
