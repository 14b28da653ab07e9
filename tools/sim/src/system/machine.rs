//! A board of the simulator as its processes see it: imitated devices, and the host program's harness.
//!
//! Invariant: each device is taken once. Not here: what the processes are given (`sysprocs/systems`).

use super::INIT;
use super::devices::{SimLine, StopSwitch};
use super::disk::Disk;
use super::mute::Mute;
use crate::cluster::SimSite;
use renga_core::{Me, Process};
use renga_fs::Medium;
use renga_hal::power::Power;
use renga_hal_host::HostMemory;
use renga_phy::loopback::Loopback;
use renga_process::{IntegerProcessor, Processor};
use renga_router::{LinkTiming, TokenLink};
use renga_rt::host::HostBoard;
use renga_rt::{Never, ProcId};
use renga_systems::{Devices, Machine};
use std::future::Future;

/// The calendar time at boot, ns since 1970.
const EPOCH_NS: u64 = 1_700_000_000_000_000_000;

/// One board of the simulator.
pub struct SimMachine<'s> {
    pub site: &'s SimSite,
    pub memory: &'static HostMemory,
    pub disk: Disk,
    pub medium: &'static Medium,
    pub line: SimLine,
    pub switch: &'static StopSwitch,
    pub mute: Option<Mute>,
    pub seed: u64,
}

impl SimMachine<'_> {
    fn board(&self) -> HostBoard {
        self.site.board
    }
}

impl Devices for SimMachine<'_> {
    type Memory = HostMemory;
    type Uart = SimLine;
    type Block = Disk;
    type Link = TokenLink<Loopback>;
    const CACHED_FILES: usize = 16;
}

impl Machine for SimMachine<'_> {
    fn declare(&self, core: u8, priority: u8, id: ProcId) -> &'static Process {
        let process = self.site.cores.each()[usize::from(core)].declare(priority);
        assert!(process.id() == id, "the placement's indices have no gaps");
        process
    }
    fn start<F: Future<Output = Never> + 'static>(&self, process: &'static Process, make: impl FnOnce(Me) -> F) {
        match self.mute.as_ref().filter(|mute| mute.is_chosen(process)) {
            Some(mute) => self.board().start(process, |me| mute.hear(make(me))),
            None => self.board().start(process, make),
        }
    }
    fn memory(&self) -> &'static HostMemory {
        self.memory
    }
    fn uart(&self) -> &'static mut SimLine {
        self.board().arena.put(|| self.line.clone())
    }
    fn block(&self) -> &'static mut Disk {
        self.board().arena.put(|| self.disk.clone())
    }
    fn medium(&self) -> &'static Medium {
        self.medium
    }
    fn link(&self) -> &'static mut TokenLink<Loopback> {
        self.board().arena.put(|| self.site.device())
    }
    fn link_timing(&self) -> LinkTiming {
        LinkTiming::PI3
    }
    fn power(&self) -> &'static dyn Power {
        self.switch
    }
    fn processor(&self, _: u8) -> &'static dyn Processor {
        &IntegerProcessor
    }
    fn starts(&self) -> u8 {
        self.site.boots
    }
    fn epoch_ns(&self) -> u64 {
        EPOCH_NS
    }
    fn seed(&self) -> u64 {
        self.seed
    }
    fn init(&self) -> &'static str {
        INIT
    }
}
