//! This board's devices, found and started.
//!
//! Invariant: each device's registers are handed out once, here. Not here: who drives which.

use crate::once::Once;
use renga_arch_aarch64::boot::ImageLayout;
use renga_arch_aarch64::memory::{FrameMemory, KernelMap};
use renga_arch_aarch64::mmio::Mmio;
use renga_arch_aarch64::timer::GenericTimer;
use renga_board_rpi::arguments::{self, Arguments};
use renga_board_rpi::boards::{PI3, UART_CLOCK_HZ};
use renga_board_rpi::bus_pins::BusPins;
use renga_board_rpi::emulator_link::EmulatorLink;
use renga_board_rpi::gpio::Pins;
use renga_board_rpi::interrupts::Interrupts;
use renga_board_rpi::mini_uart::MiniUart;
use renga_board_rpi::pl011::Pl011;
use renga_board_rpi::sd_card::SdCard;
use renga_hal::block::BlockError;
use renga_hal::timer::Timer;

/// Bits a second on the console.
const CONSOLE_RATE_BPS: u32 = 115_200;
/// Boot memory for processes and their buffers, right behind the image: the pair's disk board takes two thirds. All
/// the rest is user programs'.
pub const BOOT_MEMORY_BYTES: usize = 96 << 20;

/// The console's line.
pub type Uart = Pl011<Mmio>;
/// Who interrupts.
pub type InterruptLines = Interrupts<Mmio>;
/// The emulator's page of registers.
pub type EmulatorPage = EmulatorLink<Mmio>;
/// The pins of the link.
pub type LinkPins = BusPins<Mmio>;
/// The card in the slot.
pub type Card = SdCard<Mmio, GenericTimer>;

static TIMER: Once<GenericTimer> = Once::new();

/// What boot found.
pub struct Hardware {
    /// Clock and alarm.
    pub timer: GenericTimer,
    /// Physical start of the boot memory.
    pub boot_memory: u64,
    /// This board's number.
    pub board: u8,
    /// This run's seed for what programs see as random.
    pub seed: u64,
    /// The model of the disk's medium to apply.
    pub medium: Name,
    /// The link's times.
    pub link_timing: Name,
    /// Which device the link is, if told.
    pub link: Name,
    /// When this board is to panic, ns: for seeing what that looks like.
    pub panic_ns: Option<u64>,
}

/// A name among the board's arguments.
#[derive(Clone, Copy)]
pub struct Name {
    bytes: [u8; NAME_BYTES_MAX],
    length: usize,
}

const NAME_BYTES_MAX: usize = 16;

impl Name {
    /// The argument `key`, cut to what fits, or `default`.
    fn argument(arguments: &Arguments<'_>, key: &str, default: &str) -> Name {
        let value = arguments.value(key).unwrap_or(default).as_bytes();
        let length = value.len().min(NAME_BYTES_MAX);
        let mut bytes = [0; NAME_BYTES_MAX];
        bytes[..length].copy_from_slice(&value[..length]);
        Name { bytes, length }
    }
    /// As text; `?` if it is not.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.length]).unwrap_or("?")
    }
}

fn registers(physical: u64) -> Mmio {
    // SAFETY: an address of the board's table of devices, mapped as a device by `start`.
    unsafe { Mmio::at(physical) }
}

/// Time since boot, ns; 0 before the timer is known.
pub fn now_ns() -> u64 {
    TIMER.get().map_or(0, Timer::now_ns)
}

/// Finds out what there is and starts the devices that everybody needs: also who interrupts, the console's line,
/// and the memory for user programs.
///
/// # Safety
/// Once, on the boot core, with the address that the firmware left.
pub unsafe fn start(boot_data: u64) -> (Hardware, InterruptLines, Uart, FrameMemory) {
    // SAFETY: once, by this function's own condition.
    let mut map = unsafe { KernelMap::install() };
    for devices in &PI3.devices {
        // SAFETY: where the datasheet says that only devices are.
        unsafe { map.add_devices(devices.clone()) };
    }
    crate::logger::start(MiniUart::new(registers(PI3.auxiliary)));
    let timer = GenericTimer::new();
    TIMER.set(timer);
    // SAFETY: the firmware's own address; nothing has written there yet.
    let boot_bytes = unsafe { map.boot_data(boot_data, arguments::length) };
    let arguments = Arguments::parse(boot_bytes);
    let board = arguments.number("board").unwrap_or(0) as u8;
    let seed = u64::from(arguments.number("seed").unwrap_or(0));
    let medium = Name::argument(&arguments, "medium", "none");
    let panic_ns = arguments.number("panic_ms").map(|ms| u64::from(ms) * 1_000_000);
    let link_timing = Name::argument(&arguments, "timing", "pi3");
    let link = Name::argument(&arguments, "link", "");
    let found = arguments.memory.clone().unwrap_or(PI3.memory_least.clone());
    let boot_memory = ImageLayout::get().end.next_multiple_of(1 << 21);
    let first = boot_memory + BOOT_MEMORY_BYTES as u64;
    // Whole blocks only: what lies behind the memory may be the firmware's.
    let end = found.end & !((1 << 21) - 1);
    // SAFETY: memory by the firmware's word, behind the image and used for nothing else.
    unsafe { map.add_memory(ImageLayout::get().end..end) };
    // SAFETY: as above; nobody else uses this range.
    let memory = unsafe { FrameMemory::new(first..end) };
    let uart = Pl011::new(registers(PI3.pl011), UART_CLOCK_HZ, CONSOLE_RATE_BPS);
    let interrupts = Interrupts::new(registers(PI3.local), registers(PI3.interrupts));
    (Hardware { timer, boot_memory, board, seed, medium, link_timing, link, panic_ns }, interrupts, uart, memory)
}

/// The emulator's link device, if there is one. Its parts (frames, trace, exit) have registers of
/// their own, so that each user has its own handle.
pub fn emulator_link() -> Option<EmulatorPage> {
    EmulatorLink::probe(registers(PI3.emulator_link))
}

/// The first 32 pins, for the link.
pub fn bus_pins() -> LinkPins {
    BusPins::new(Pins::new(registers(PI3.gpio)), now_ns)
}

/// The card.
///
/// # Errors
/// What the card or its host answered.
pub fn start_card(timer: GenericTimer) -> Result<Card, BlockError> {
    SdCard::start(registers(PI3.sd_host), timer)
}
