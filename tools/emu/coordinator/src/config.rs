//! What a cluster is made of.

use crate::bus::BusConfig;
use crate::faults::FaultConfig;
use crate::liveness::Patience;
use crate::power::PowerOrder;
use crate::wires::PinsConfig;
use std::path::PathBuf;

/// Boards that a cluster can have: four bits of address, of which one value means all.
pub const BOARDS_MAX: usize = 15;
/// Largest `shift`: 1024 ns per instruction, about the 1 MIPS of 1989.
pub const SHIFT_MAX: u8 = 10;

/// One board.
#[derive(Clone, Debug, Default)]
pub struct BoardConfig {
    /// The raw image, which QEMU loads at 0x80000.
    pub image: PathBuf,
    /// The command line that the image finds in its ATAGs.
    pub append: String,
    /// More of it, at the first start only.
    pub append_once: String,
    /// A raw image of an SD card, which the board writes to; its size is a power of two.
    pub sd_image: Option<PathBuf>,
    /// A file that is loaded beside the image, and named in the ATAGs.
    pub initrd: Option<PathBuf>,
    /// A device tree, instead of ATAGs.
    pub dtb: Option<PathBuf>,
}

/// When a run ends by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
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
    /// Longest time that a busy board may be ahead of another, ns; at most, and by default, the least latency of the
    /// link. The result does not depend on it.
    pub quantum_ns: Option<u64>,
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
    pub limits: Limits,
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
            quantum_ns: None,
            seed: 1,
            epoch_s: 0,
            pace: false,
            frames: false,
            probes: None,
            limits: Limits::default(),
            power: Vec::new(),
            revive_ns: None,
            record: None,
            replay: None,
        }
    }
}
