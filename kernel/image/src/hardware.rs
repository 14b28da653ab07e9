//! This board's devices, found and started.
//!
//! Invariant: each device's registers are given out once, here, except those that boot uses before their drivers run,
//! those of the board's end (the pins, the console's line), and the emulator's page, whose parts have registers of
//! their own. Not here: the users of the devices.

use crate::boot_stage::{Mark, mark};
use crate::fault;
use crate::firmware::BoardFirmware;
use crate::once::{OnHome, Once};
use core::cell::RefCell;
use core::ops::Range;
use renga_abi::OsTimes;
use renga_arch_aarch64::boot::ImageLayout;
use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::memory::{FrameMemory, KernelMap};
use renga_arch_aarch64::mmio::Mmio;
use renga_arch_aarch64::physical::LINEAR_BYTES;
use renga_arch_aarch64::timer::GenericTimer;
use renga_board_rpi::arguments::{self, Arguments};
use renga_board_rpi::boards::{self, BoardModel, CARD_CLOCK_HZ, CORE_CLOCK_HZ, Controllers, UART_CLOCK_HZ};
use renga_board_rpi::bus_pins::BusPins;
use renga_board_rpi::emulator_link::EmulatorLink;
use renga_board_rpi::gic::Gic;
use renga_board_rpi::gpio::Pins;
use renga_board_rpi::interrupts::{Interrupts, Legacy};
use renga_board_rpi::mini_uart::MiniUart;
use renga_board_rpi::pl011::Pl011;
use renga_board_rpi::power::Watchdog;
use renga_board_rpi::random;
use renga_board_rpi::sd_card::SdCard;
use renga_board_rpi::spi_master::SpiMaster;
use renga_board_rpi::spi_slave::SpiSlave;
use renga_hal::block::BlockError;
use renga_hal::timer::HardwareTimer;
use renga_systems::blob;

/// Reads of pins take no time in the emulator; on a Pi 3 about as long as so many iterations of an empty loop there.
const EMULATED_READ_SPINS: u32 = 24;
/// Bits a second on the console.
const CONSOLE_RATE_BPS: u32 = 115_200;
/// Boot memory for processes and their buffers, right behind the image: the pair's disk board takes two thirds. All
/// the rest is user programs'.
pub const BOOT_MEMORY_BYTES: usize = 96 << 20;
/// What the kernel maps at once.
const BLOCK_BYTES: u64 = 2 << 20;

/// Longest tables of a system.
const TABLES_BYTES_MAX: u64 = (blob::HEAD_BYTES + blob::BYTES_MAX) as u64;

/// The console's line.
pub type BoardUart = Pl011<Mmio>;
/// The interrupt controllers.
pub type InterruptLines = Interrupts<Mmio>;
/// The emulator's page of registers.
pub type EmulatorPage = EmulatorLink<Mmio>;
/// The pins of the link.
pub type LinkPins = BusPins<Mmio>;
/// SPI of the link.
pub type LinkMaster = SpiMaster<Mmio>;
/// See [`LinkMaster`].
pub type LinkSlave = SpiSlave<Mmio>;
/// The card in the slot.
pub type OwnCardDriver = SdCard<Mmio, GenericTimer>;

static TIMER: Once<GenericTimer> = Once::new();
static BOARD: Once<&'static BoardModel> = Once::new();
static EMULATED: Once<bool> = Once::new();
static WATCHED: Once<bool> = Once::new();
static READ_SPINS: Once<u32> = Once::new();
static UART_CLOCK: Once<u32> = Once::new();
static FIRMWARE: OnHome<RefCell<BoardFirmware>> = OnHome::new();

/// What boot found.
pub struct Hardware {
    /// Clock and alarm.
    pub timer: GenericTimer,
    /// Physical start of the boot memory.
    pub boot_memory: u64,
    /// The system's tables, which lie where others will write: to be read first.
    pub tables: &'static [u8],
    /// This board's number.
    pub board: u8,
    /// This run's seed for what programs see as random.
    pub seed: u64,
    /// From 1970 to about now, s: what is known of it; 0 if nothing is.
    pub epoch_s: u32,
    /// How often it was started, this time included, if its card counts.
    pub starts: Option<u32>,
    /// The partition that the last reset named, or 0.
    pub named_partition: u8,
    /// Its name, if its card says one.
    pub board_name: Name,
    /// The model of the disk's medium to apply.
    pub medium: Name,
    /// The link's times.
    pub link_timing: Name,
    /// The times of the operating system.
    pub times: OsTimes,
    /// The link's device, if given.
    pub link: Name,
    /// What it is to run in place of the system.
    pub program: Name,
    /// Rounds until the test ends, if given.
    pub rounds: Option<u32>,
    /// How long it measures each thing, if given.
    pub span_ms: Option<u32>,
    /// How many cores it is to start, if more than have processes.
    pub cores: u32,
    /// When this board is to panic, ns, if given: a test of the panic's report.
    pub panic_ns: Option<u64>,
    /// Whether this board is to attack the others.
    #[cfg(feature = "hostile")]
    pub hostile: bool,
}

/// A name among the board's arguments.
#[derive(Clone, Copy)]
pub struct Name {
    bytes: [u8; NAME_BYTES_MAX],
    length: usize,
}

const NAME_BYTES_MAX: usize = renga_boot_card::NAME_BYTES_MAX;

impl Name {
    /// The argument `key`, cut to what fits, or `default`.
    fn argument(arguments: &Arguments<'_>, key: &str, default: &str) -> Name {
        Name::of(arguments.value(key).unwrap_or(default))
    }
    /// As much of `text` as fits.
    pub fn of(text: &str) -> Name {
        let value = text.as_bytes();
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

/// The registers at a physical address of the board's table.
pub(crate) fn registers(physical: u64) -> Mmio {
    // SAFETY: an address of the board's table of devices, mapped as a device by `start`.
    unsafe { Mmio::at(physical) }
}

/// Time since boot, ns; 0 before the timer is known.
pub fn now_ns() -> u64 {
    TIMER.get().map_or(0, HardwareTimer::now_ns)
}

/// What the board is, once boot knows; a kernel that does not cannot even say so.
pub fn board() -> &'static BoardModel {
    match BOARD.get() {
        Some(board) => board,
        None => unreachable!("asked before `start`"),
    }
}

/// The rate of the console's clock, Hz.
pub fn uart_clock_hz() -> u32 {
    UART_CLOCK.get().copied().unwrap_or(UART_CLOCK_HZ)
}

/// Detects the hardware and starts the devices that every program of the image needs: the interrupt controllers, the
/// console's line, and the memory for user programs.
///
/// # Safety
/// Once, on the boot core, with the address that the firmware left.
pub unsafe fn start(boot_data: u64) -> (Hardware, InterruptLines, BoardUart, FrameMemory) {
    // SAFETY: once, by this function's own condition.
    let mut map = unsafe { KernelMap::install() };
    let timer = GenericTimer::new();
    TIMER.set(timer);
    // SAFETY: the firmware's own address; nothing has written there yet.
    let boot_bytes = unsafe { map.boot_data(boot_data, arguments::length) };
    let arguments = Arguments::parse(boot_bytes);
    let Some(board) = boards::recognise(arguments.compatible, ThisCore.part()) else { crate::fault::stand_still() };
    for devices in &board.chip.devices {
        // SAFETY: where the datasheet says that only devices are.
        unsafe { map.add_devices(devices.clone()) };
    }
    BOARD.set(board);
    EMULATED.set(arguments.has("emulator"));
    READ_SPINS.set(arguments.number("read_spins").unwrap_or(if emulated() { EMULATED_READ_SPINS } else { 0 }));
    WATCHED.set(!arguments.has("emulator") && !arguments.has("nowatchdog"));
    let mut firmware = BoardFirmware::start(timer);
    let uart = start_lines(&mut firmware);
    mark(Mark::Lines);
    let memory = add_memory(&mut map, &arguments);
    let hardware = Hardware {
        timer,
        boot_memory: boot_memory(),
        tables: load_tables(&mut map, &arguments),
        board: arguments.number("board").unwrap_or(0) as u8,
        seed: u64::from(arguments.number("seed").unwrap_or(0)) ^ entropy(),
        epoch_s: arguments.number("epoch").unwrap_or(0),
        starts: None,
        named_partition: if emulated() { 0 } else { watchdog().take_partition() },
        board_name: Name::of(""),
        medium: Name::argument(&arguments, "medium", "none"),
        link_timing: Name::argument(&arguments, "timing", "pi3"),
        times: os_times(&arguments),
        link: Name::argument(&arguments, "link", ""),
        program: Name::argument(&arguments, "program", ""),
        rounds: arguments.number("rounds"),
        span_ms: arguments.number("span_ms"),
        cores: arguments.number("cores").unwrap_or(1),
        panic_ns: arguments.number("panic_ms").map(|ms| u64::from(ms) * 1_000_000),
        #[cfg(feature = "hostile")]
        hostile: arguments.has("hostile"),
    };
    mark(Mark::Memory);
    firmware.report();
    FIRMWARE.set(RefCell::new(firmware));
    (hardware, interrupts(), uart, memory)
}

/// The times that the command line says, or the usual ones.
fn os_times(arguments: &Arguments<'_>) -> OsTimes {
    arguments.value("os").map_or(OsTimes::DEFAULT, |text| {
        OsTimes::parse(text).unwrap_or_else(|| fault::refuse(format_args!("`os={text}` are no times of a system")))
    })
}

/// The two serial lines: pins, clocks, registers.
fn start_lines(firmware: &mut BoardFirmware) -> BoardUart {
    let chip = board().chip;
    Pins::new(registers(chip.gpio), chip.pulls).route_console();
    crate::logger::start(MiniUart::new(registers(chip.auxiliary), firmware.core_clock_hz()));
    let clock_hz = firmware.set_uart_clock();
    UART_CLOCK.set(clock_hz);
    Pl011::new(registers(chip.pl011), clock_hz, CONSOLE_RATE_BPS)
}

/// The system's tables, where the firmware put them: behind the image and boot memory.
fn load_tables(map: &mut KernelMap, arguments: &Arguments<'_>) -> &'static [u8] {
    match arguments.loaded.clone() {
        Some(loaded) if loaded.start >= boot_memory() + BOOT_MEMORY_BYTES as u64 && fits(&loaded) => {
            // SAFETY: loaded there by the firmware's word, and read before any frame of user memory is written.
            unsafe { map.loaded(loaded) }
        }
        Some(loaded) => {
            fault::refuse(format_args!("the system's tables are too long or at a wrong place: {loaded:#x?}"))
        }
        None => fault::refuse(format_args!("no tables of a system were loaded (initramfs in config.txt, or -initrd)")),
    }
}

fn fits(loaded: &Range<u64>) -> bool {
    loaded.end <= LINEAR_BYTES && loaded.end.saturating_sub(loaded.start) <= TABLES_BYTES_MAX
}

fn boot_memory() -> u64 {
    ImageLayout::get().end.next_multiple_of(BLOCK_BYTES)
}

fn add_memory(map: &mut KernelMap, arguments: &Arguments<'_>) -> FrameMemory {
    let found = arguments.memory.clone().unwrap_or(board().chip.memory_least.clone());
    let first = boot_memory() + BOOT_MEMORY_BYTES as u64;
    // Whole blocks only: what lies behind the memory may be the firmware's.
    let end = found.end.min(LINEAR_BYTES) & !(BLOCK_BYTES - 1);
    // SAFETY: memory by the firmware's word, behind the image and used for nothing else.
    unsafe { map.add_memory(ImageLayout::get().end..end) };
    // SAFETY: as above; this range has no other user.
    unsafe { FrameMemory::new(first..end) }
}

fn interrupts() -> InterruptLines {
    match board().chip.controllers {
        Controllers::Legacy { peripherals, local } => {
            Interrupts::Legacy(Legacy::new(registers(local), registers(peripherals)))
        }
        Controllers::Gic { distributor, processor } => {
            Interrupts::Gic(Gic::new(registers(distributor), registers(processor)))
        }
    }
}

/// What makes this start differ from every other: none in the emulator, whose runs repeat.
fn entropy() -> u64 {
    if emulated() {
        return 0;
    }
    let number = board().chip.random.and_then(|base| random::number(registers(base)));
    // A chip whose source we do not drive: how long the firmware took is all that differs.
    number.unwrap_or_else(|| ThisCore.cycles().wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Iterations of an empty loop that make a read of pins as slow as on a board: 0 on a board.
pub fn read_spins() -> u32 {
    READ_SPINS.get().copied().unwrap_or(0)
}

/// Whether the watchdog is in use on this board.
pub fn watched() -> bool {
    WATCHED.get().copied().unwrap_or(false)
}

/// Whether the cluster emulator announced itself; otherwise its page is not touched.
pub fn emulated() -> bool {
    EMULATED.get().copied().unwrap_or(false)
}

/// The emulator's link device, if there is one. Its parts (frames, exit) have registers of
/// their own, so that each user has its own handle.
pub fn emulator_link() -> Option<EmulatorPage> {
    if !emulated() {
        return None;
    }
    EmulatorLink::probe(registers(board().chip.emulator_link))
}

/// The first 32 pins, for the link.
pub fn bus_pins() -> LinkPins {
    BusPins::new(Pins::new(registers(board().chip.gpio), board().chip.pulls), now_ns)
}

/// SPI of the link: master of at most `rate_hz`, and slave.
pub fn spi(rate_hz: u32) -> (LinkMaster, LinkSlave) {
    let spi = board().chip.spi;
    let core_hz = FIRMWARE.get().map_or(CORE_CLOCK_HZ, |firmware| firmware.borrow_mut().core_clock_hz());
    let master = SpiMaster::new(registers(spi.master), core_hz, rate_hz);
    (master, SpiSlave::new(registers(spi.slave)))
}

/// The watchdog, which also resets and halts.
pub fn watchdog() -> Watchdog<Mmio> {
    Watchdog::new(registers(board().chip.power))
}

/// The pins, for the end of the board.
pub fn all_pins() -> Pins<Mmio> {
    Pins::new(registers(board().chip.gpio), board().chip.pulls)
}

/// The console's line, taken from its owner, for last words.
pub fn last_line() -> BoardUart {
    Pl011::new(registers(board().chip.pl011), uart_clock_hz(), CONSOLE_RATE_BPS)
}

/// Uses the firmware, unless it is in use.
pub fn with_firmware<T>(ask: impl FnOnce(&mut BoardFirmware) -> T) -> Option<T> {
    FIRMWARE.get().and_then(|firmware| Some(ask(&mut *firmware.try_borrow_mut().ok()?)))
}

/// The card.
///
/// # Errors
/// What the card or its host answered.
pub fn start_card(timer: GenericTimer) -> Result<OwnCardDriver, BlockError> {
    let slot = board().chip.card;
    if slot.shares_pins {
        all_pins().route_card();
    }
    let clock_hz = with_firmware(|firmware| firmware.prepare_card(&slot)).unwrap_or(CARD_CLOCK_HZ);
    let card = SdCard::start(registers(slot.host), timer, clock_hz);
    mark(Mark::Card);
    card
}
