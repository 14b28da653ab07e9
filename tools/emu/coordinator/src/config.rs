//! The parts of a cluster.

use crate::bus::BusConfig;
use crate::faults::FaultConfig;
use crate::firmware::FirmwareLoader;
use crate::liveness::Patience;
use crate::power::PowerOrder;
use crate::wire_fault::EmulatedWireFault;
use crate::wires::PinsConfig;
use renga_emu_device::EmulatedMachine;
use std::path::PathBuf;

/// Boards that a cluster can have: four bits of address, of which one value means all.
pub const BOARDS_MAX: usize = 15;
/// Cores that a board can have.
pub const CORES_MAX: u8 = 4;
/// The slice of a board that is alone, in instructions: with shorter ones the cores' clocks are hardly closer, and it
/// is slower.
const SLICE_ALONE_INSTRUCTIONS: u64 = 40_000;
/// Largest `shift`: 1024 ns per instruction, about the 1 MIPS of 1989.
pub const SHIFT_MAX: u8 = 10;

/// One board.
#[derive(Clone, Debug, Default)]
pub struct BoardConfig {
    /// What it is.
    pub machine: EmulatedMachine,
    /// The raw image, which QEMU loads at 0x80000.
    pub image: PathBuf,
    /// The command line that the image finds in its ATAGs.
    pub append: String,
    /// More of it, at the first start only.
    pub append_once: String,
    /// A raw image of an SD card, which the board writes to; its size is a power of two.
    pub sd_image: Option<PathBuf>,
    /// A file for each write to the card, in order and with its data, in the format of dm-log-writes without its first
    /// sector; it is made again.
    pub card_log: Option<PathBuf>,
    /// The card is busy for so long after each write, ns; without it, QEMU's, which is not.
    pub card_write_ns: Option<u64>,
    /// A file that is loaded beside the image, and named in the ATAGs.
    pub initrd: Option<PathBuf>,
    /// A device tree, instead of ATAGs.
    pub dtb: Option<PathBuf>,
    /// Its cores, at most [`CORES_MAX`]; 0 means one, too.
    pub cores: u8,
    /// What chooses image, device tree, file beside the image and the beginning of the command line at each start, in
    /// place of those above.
    pub firmware: Option<FirmwareLoader>,
}

/// When a run ends by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunLimits {
    /// At this virtual time, ns.
    pub virtual_ns: Option<u64>,
    /// When a board that does not reach the end of a quantum is reported as silent; never because the host is busy.
    pub patience: Patience,
}

/// A cluster.
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// The program `qemu-system-aarch64`.
    pub qemu: PathBuf,
    /// The library that `renga-emu-plugin` builds to.
    pub plugin: PathBuf,
    /// The boards; their numbers are their places here.
    pub boards: Vec<BoardConfig>,
    /// An instruction takes 2^shift ns.
    pub shift: u8,
    /// The link.
    pub bus: BusConfig,
    /// What goes wrong on it.
    pub faults: FaultConfig,
    /// The boards' pins are wired to each other; without it they are QEMU's own, wired to nothing.
    pub pins: Option<PinsConfig>,
    /// Which of those wires are broken.
    pub wire_faults: Vec<EmulatedWireFault>,
    /// Boards have no device of the emulator's: an access to its page ends the run, and the watchdog resets. Such a run
    /// has no replay.
    pub bare: bool,
    /// Longest time that a busy board may be ahead of another, ns; at most, and by default, the least latency of the
    /// link. The result does not depend on it.
    pub quantum_ns: Option<u64>,
    /// The slice of a board's several cores, ns, which bounds their quanta; without it, the link's. The result does
    /// depend on it.
    pub slice_ns: Option<u64>,
    /// What the boards find otherwise than usual on their command lines, for the recording: it fits no other run.
    pub settings: Vec<String>,
    /// Where all randomness comes from.
    pub seed: u64,
    /// Seconds from 1970 to the beginning of virtual time.
    pub epoch_s: u64,
    /// Virtual time is not to be faster than the host's: for a person at the console.
    pub pace: bool,
    /// Frames are reported as events.
    pub frames: bool,
    /// The ELF file of the boards' image: the probes that it names are reported as events. The run is the same without.
    pub probes: Option<PathBuf>,
    /// When to stop.
    pub limits: RunLimits,
    /// What happens to boards, and when.
    pub power: Vec<PowerOrder>,
    /// A board whose QEMU dies by itself is started again after so long, ns; without it, that ends the run.
    pub revive_ns: Option<u64>,
    /// A file to write all input to, with its virtual time.
    pub record: Option<PathBuf>,
    /// A file to take input from.
    pub replay: Option<PathBuf>,
}

impl ClusterConfig {
    /// Boards on the GPIO bus, one instruction a nanosecond, not paced.
    pub fn new(qemu: PathBuf, plugin: PathBuf, boards: Vec<BoardConfig>) -> Self {
        Self {
            qemu,
            plugin,
            boards,
            shift: 0,
            bus: BusConfig::gpio(),
            faults: FaultConfig::default(),
            pins: None,
            wire_faults: Vec::new(),
            bare: false,
            quantum_ns: None,
            slice_ns: None,
            settings: Vec::new(),
            seed: 1,
            epoch_s: 0,
            pace: false,
            frames: false,
            probes: None,
            limits: RunLimits::default(),
            power: Vec::new(),
            revive_ns: None,
            record: None,
            replay: None,
        }
    }

    /// The slice of boards with several cores, ns; without such boards none.
    ///
    /// A quantum is a quarter of the time to the next timer, and a core may get one if it is a quarter of a slice
    /// ahead, so no core is further ahead of another than two thirds of a slice. That is less than the least latency of
    /// the link, so that a board seldom hears late, and one of two busy boards can always continue.
    pub(crate) fn slice(&self) -> Option<u64> {
        self.boards.iter().any(|board| board.cores > 1).then(|| {
            let alone_ns = SLICE_ALONE_INSTRUCTIONS << self.shift;
            let latency_ns = self
                .bus
                .least_latency_ns(self.boards.len())
                .min(self.pins.map_or(u64::MAX, |pins| pins.propagation_ns));
            let linked_ns = if self.boards.len() > 1 { latency_ns * 4 / 3 } else { alone_ns };
            self.slice_ns.unwrap_or(linked_ns.min(alone_ns))
        })
    }
}
