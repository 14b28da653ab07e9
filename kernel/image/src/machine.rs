//! This board as its processes see it: each device is handed to the one process that owns it.
//!
//! Not here: what else the processes are given (`sysprocs/systems`), finding the devices (`hardware.rs`).

use crate::hardware::{self, BoardUart, EmulatorPage, Hardware, Name};
use crate::link_device::LinkDevice;
use crate::own_card::{self, DiskCard};
use crate::programs::Programs;
use crate::{directory, fault};
use core::cell::Cell;
use core::future::Future;
use renga_abi::OsTimes;
use renga_arch_aarch64::memory::FrameMemory;
use renga_arch_aarch64::timer::GenericTimer;
use renga_arch_aarch64::user_mode::UserMode;
use renga_core::{Arena, Core, Me, Process};
use renga_fs::Medium;
use renga_hal::power::Power;
use renga_hal::start_card::StartCard;
use renga_process::Processor;
use renga_router::LinkTiming;
use renga_rt::user::{FpState, UserContext};
use renga_rt::{Never, ProcId};
use renga_systems::tables::Board;
use renga_systems::{Devices, Kind, Machine};

/// The first program.
const INIT: &str = "/sbin/init";
/// The first program on a board that tries a kernel: it arranges for the kernel to be kept, and continues as the other.
const INIT_OF_TRIAL: &str = "/usr/bin/renga-update";

/// This board.
pub struct PiMachine {
    cores: &'static [&'static Core],
    arena: &'static Arena,
    /// Memory of programs.
    pub memory: &'static FrameMemory,
    /// By core: the way into the programs whose home that is.
    pub programs: &'static [Programs],
    board: u8,
    timer: GenericTimer,
    uart: Cell<Option<BoardUart>>,
    emulator: Cell<Option<EmulatorPage>>,
    starts: u32,
    epoch_ns: u64,
    seed: u64,
    medium: Name,
    link: Name,
    link_timing: Name,
    times: OsTimes,
}

impl PiMachine {
    /// The board with what boot found, and with room for the programs of `board`.
    pub fn new(
        cores: &'static [&'static Core],
        arena: &'static Arena,
        (uart, memory): (BoardUart, FrameMemory),
        hardware: &Hardware,
        board: &Board<'_>,
    ) -> PiMachine {
        let programs = |core: usize| {
            let slots = board.slots_of(core as u8);
            Programs::new(UserMode::new(slots.start, arena.put_slice(slots.len(), |_| FpState::ZERO)))
        };
        let emulator = hardware::emulator_link();
        // A board whose card does not count draws a random incarnation.
        let counted = hardware.starts.unwrap_or((hardware.seed >> 32) as u32 | 1);
        let starts = emulator.as_ref().map_or(counted, EmulatorPage::starts);
        PiMachine {
            cores,
            arena,
            memory: arena.put(|| memory),
            programs: arena.put_slice(cores.len(), programs),
            board: hardware.board,
            timer: hardware.timer,
            uart: Cell::new(Some(uart)),
            starts,
            epoch_ns: emulator.as_ref().map_or(u64::from(hardware.epoch_s) * 1_000_000_000, EmulatorPage::epoch_ns),
            // What programs see as random is new at each start.
            seed: hardware.seed + (u64::from(starts.saturating_sub(1)) << 32),
            emulator: Cell::new(emulator),
            medium: hardware.medium,
            link: hardware.link,
            link_timing: hardware.link_timing,
            times: hardware.times,
        }
    }
}

impl Devices for PiMachine {
    type Memory = FrameMemory;
    type Uart = BoardUart;
    type Block = DiskCard;
    type Link = LinkDevice;
    const CACHED_FILES: usize = 4096;
}

impl Machine for PiMachine {
    fn declare(&self, core: u8, priority: u8, id: ProcId) -> &'static Process {
        let process: &'static Process = self.arena.put(|| Process::new(self.cores[usize::from(core)], priority, id));
        if self.cores.len() > 1 {
            process.enable_remote_calls(self.arena);
        }
        process
    }
    fn start<F: Future<Output = Never> + 'static>(&self, process: &'static Process, make: impl FnOnce(Me) -> F) {
        // SAFETY: `Process::start` refuses a second time, so this is the process's only `Me`; boot gives it to that
        // process's future only.
        let me = unsafe { Me::new(process) };
        let future = make(me);
        process.start(self.arena.put(|| future));
    }
    fn memory(&self) -> &'static FrameMemory {
        self.memory
    }
    fn uart(&self) -> &'static mut BoardUart {
        match self.uart.take() {
            Some(uart) => self.arena.put(|| uart),
            None => fault::refuse(format_args!("there is one console's line")),
        }
    }
    fn block(&self) -> &'static mut DiskCard {
        let card = match DiskCard::start(self.timer, directory::is_on_home(Kind::Disk)) {
            Ok(card) => self.arena.put(|| card),
            Err(error) => fault::refuse(format_args!("the card does not start: {error:?}")),
        };
        if let Err(why) = renga_fs::recognise(card) {
            fault::refuse(format_args!("the card cannot be used: {}", why.text()));
        }
        card
    }
    fn start_card(&self) -> &'static dyn StartCard {
        own_card::for_programs()
    }
    fn medium(&self) -> &'static Medium {
        let name = self.medium.as_str();
        Medium::named(name).unwrap_or_else(|| fault::refuse(format_args!("there is no medium `{name}`")))
    }
    fn link(&self) -> &'static mut LinkDevice {
        self.arena.put(|| LinkDevice::choose(self.emulator.take(), self.link.as_str(), self.board))
    }
    fn link_timing(&self) -> LinkTiming {
        let name = self.link_timing.as_str();
        LinkTiming::named(name).unwrap_or_else(|| fault::refuse(format_args!("there are no link times `{name}`")))
    }
    fn times(&self) -> OsTimes {
        self.times
    }
    fn power(&self) -> &'static dyn Power {
        &WholeBoard
    }
    fn processor(&self, core: u8) -> &'static dyn Processor {
        &self.programs[usize::from(core)]
    }
    fn starts(&self) -> u8 {
        self.starts as u8
    }
    fn epoch_ns(&self) -> u64 {
        self.epoch_ns
    }
    fn seed(&self) -> u64 {
        self.seed
    }
    fn init(&self) -> &'static str {
        match own_card::trial_ends_ns() {
            _ if cfg!(feature = "bench") => "",
            None => INIT,
            Some(_) => INIT_OF_TRIAL,
        }
    }
}

/// Stops the board, and with it an emulated run.
struct WholeBoard;

impl Power for WholeBoard {
    fn stop(&self, status: u8) {
        if own_card::trial_ends_ns().is_some() {
            fault::give_up(format_args!(
                "the first program of a kernel that is being tried ended: back to the usual one"
            ));
        }
        fault::end(u32::from(status));
    }
}

impl Processor for Programs {
    fn flush(&self, context: &mut UserContext) {
        Programs::flush(self, context);
    }
}
