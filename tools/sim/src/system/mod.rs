//! A whole system in one host program: every process of a placement file, on imitated devices.
//!
//! Invariant: a board runs exactly the processes of the checked placement. Not here: the programs (`program`), random
//! choices (`seed`).

mod devices;
mod disk;
pub mod image;
mod inspect;
mod machine;
mod mute;
mod named;
mod pages;
mod spread;

pub use devices::{SimLine, StopSwitch};
pub use disk::{Disk, DiskFaults};
pub use inspect::Leftovers;
pub use pages::Pages;
pub use spread::spread;

use crate::cluster::{ClusterSetup, SimCluster, SimSite};
use crate::logged;
use crate::program::SimPrograms;
use inspect::Inspector;
use machine::SimMachine;
use mute::Mute;
use renga_core::Core;
use renga_fs::Medium;
use renga_hal_host::HostMemory;
use renga_hostile::{Attack, start_hostile};
use renga_placement::{Checked, PlacementError};
use renga_router::LinkStats;
use renga_systems::{Directory, Kind, Machine, blob, start_all};
use std::rc::Rc;

/// Where programs begin.
pub const INIT: &str = "/sbin/init";
/// The system file that the seeds run on.
pub const SMALL: &str = include_str!("../../../../sysprocs/systems/small.toml");
/// Page frames for programs of each board: 8 MiB. All slots full of the largest programs of the seeds fit beside a
/// cache that is as dirty as it may be: no program is killed for want of memory at random.
const FRAMES: u32 = 2048;

/// The parts of a system.
#[derive(Clone)]
pub struct SystemSetup {
    /// Bus, faults and seed; the number of boards is the placement's.
    pub cluster: ClusterSetup,
    /// The placement.
    pub placement: Rc<Checked>,
    /// What is on the medium.
    pub disk: Pages,
    /// How slow the medium is.
    pub medium: &'static Medium,
    /// A board that keeps to nothing, and what it does.
    pub hostile: Option<(u8, &'static Attack)>,
    /// Processes of a board that [`SimSystem::mute`] makes silent.
    pub mute: Option<(u8, Kind)>,
}

/// Reads and checks a system file against the processes as they are.
///
/// # Errors
/// The first rule that it breaks.
pub fn placement(text: &str) -> Result<Rc<Checked>, PlacementError> {
    let system = renga_placement::parse(text)?;
    renga_placement::check(&system, &renga_placement::code_kinds()).map(Rc::new)
}

/// The system of [`SMALL`].
///
/// # Panics
/// If that file breaks a rule.
pub fn small() -> Rc<Checked> {
    match placement(SMALL) {
        Ok(checked) => checked,
        Err(error) => panic!("small.toml: {error}"),
    }
}

/// The model of a medium called `name`; `none` answers at once.
///
/// # Panics
/// If there is none.
pub fn medium(name: &str) -> &'static Medium {
    Medium::named(name).unwrap_or_else(|| panic!("there is no medium `{name}`"))
}

/// A running system.
pub struct SimSystem {
    /// Its boards.
    pub cluster: SimCluster,
    /// The other end of the terminal's line.
    pub line: SimLine,
    /// The medium.
    pub disk: Disk,
    setup: SystemSetup,
    programs: SimPrograms,
    switch: &'static StopSwitch,
    mute: Mute,
    directories: Vec<&'static Directory>,
    /// By board.
    stats: Vec<&'static LinkStats>,
    /// Of boards that were reset.
    former: Vec<&'static LinkStats>,
    inspectors: Vec<Inspector>,
}

/// The inspection of a board from outside.
struct StartedBoard {
    directory: &'static Directory,
    stats: Option<&'static LinkStats>,
    inspector: Inspector,
}

/// Starts everything on one board, whose devices are those given.
fn start_board(
    site: &mut SimSite,
    setup: &SystemSetup,
    (programs, mute): (&SimPrograms, &Mute),
    (disk, line, switch): (Disk, SimLine, &'static StopSwitch),
) -> StartedBoard {
    let cores: Vec<&'static Core> = site.cores.each().iter().map(|board| board.core).collect();
    cores.iter().for_each(|core| core.set_log(logged::keep));
    let arena = site.board.arena;
    let tables = blob::read(arena, &setup.placement.to_blob());
    let placed = (tables.unwrap_or_else(|bad| panic!("tables of a checked system: {bad}")), site.number);
    let frames = FRAMES.min(placed.0.boards[usize::from(site.number)].frames_max() as u32);
    let memory: &'static HostMemory = Box::leak(Box::new(HostMemory::new(frames)));
    let (medium, seed, mute) = (setup.medium, setup.cluster.seed, setup.mute.map(|_| mute.clone()));
    let machine = SimMachine { site, memory, disk, medium, line, switch, mute, seed };
    let directory = Directory::make(&cores, arena, placed, |core, priority, id| machine.declare(core, priority, id));
    if let (Some(mute), Some((_, kind))) = (&machine.mute, setup.mute.filter(|(board, _)| *board == site.number)) {
        mute.choose(directory.of_kind(kind));
    }
    let stats = match setup.hostile {
        Some((number, attack)) if number == site.number => start_hostile(&machine, directory, attack),
        _ => start_all(&machine, directory),
    };
    let stats = stats.link_stats;
    if let Some(router) = directory.of_kind(Kind::Router).first() {
        site.serve_link(router);
    }
    let inspector = Inspector::start(directory, site.board);
    site.board.arena.seal();
    let (programs, number) = (programs.clone(), site.number);
    site.play_users(Box::new(move |cores| programs.run_slice(number, cores, memory)));
    StartedBoard { directory, stats, inspector }
}

impl SimSystem {
    /// Boots the system; its first program is that of [`INIT`] in `programs`.
    pub fn boot(setup: &SystemSetup, programs: &SimPrograms) -> SimSystem {
        logged::clear();
        let (line, disk) = (SimLine::default(), Disk::new(setup.disk.clone()));
        let switch: &'static StopSwitch = Box::leak(Box::default());
        let (mut directories, mut stats, mut inspectors) = (Vec::new(), Vec::new(), Vec::new());
        let mute = Mute::default();
        let boards = &setup.placement.boards;
        let mut cores = setup.cluster.cores;
        cores.iter_mut().zip(boards).for_each(|(cores, board)| *cores = board.cores);
        let boards = boards.len() as u8;
        let cluster = SimCluster::new(ClusterSetup { boards, cores, ..setup.cluster }, |site| {
            let started = start_board(site, setup, (programs, &mute), (disk.clone(), line.clone(), switch));
            directories.push(started.directory);
            stats.extend(started.stats);
            inspectors.push(started.inspector);
        });
        let (setup, programs) = (SystemSetup { disk: Pages::default(), ..setup.clone() }, programs.clone());
        let former = Vec::new();
        SimSystem { cluster, line, disk, setup, programs, switch, mute, directories, stats, former, inspectors }
    }

    /// The status with which the system was stopped, if it was.
    pub fn stopped(&self) -> Option<u8> {
        self.switch.status()
    }

    /// Resets board `number`, or gives it power again: it boots, with what is on its medium.
    pub fn reboot(&mut self, number: u8) {
        let (setup, programs, switch) = (&self.setup, (&self.programs, &self.mute), self.switch);
        let devices = (self.disk.clone(), self.line.clone(), switch);
        let mut new = None;
        self.cluster.reboot(number, |site| new = Some(start_board(site, setup, programs, devices.clone())));
        let (Some(started), place) = (new, usize::from(number)) else { unreachable!("a reboot starts the board") };
        if let Some(stats) = started.stats {
            self.former.push(std::mem::replace(&mut self.stats[place], stats));
        }
        (self.directories[place], self.inspectors[place]) = (started.directory, started.inspector);
    }

    /// Runs until the system is stopped, and on until it is at rest; the status. `None`: that did not
    /// come within `limit_ns`.
    pub fn run(&mut self, limit_ns: u64) -> Option<u8> {
        let switch = self.switch;
        self.cluster.run_while(limit_ns, || switch.status().is_none()).then(|| switch.status()).flatten()
    }

    /// The processes that the setup names do nothing from now on; or (`silent` not) those do that a reset board has.
    pub fn mute(&mut self, silent: bool) {
        self.mute.set(silent);
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &[u8]) {
        self.line.press(keys);
        for directory in &self.directories {
            directory.of_kind(Kind::Console).iter().for_each(|console| console.notify());
        }
    }

    /// What the console shows, with bare line ends.
    pub fn screen(&self) -> String {
        String::from_utf8_lossy(&self.line.screen()).replace("\r\n", "\n")
    }

    /// The routers' counters, by board; none in a system of one.
    pub fn link_stats(&self) -> &[&'static LinkStats] {
        &self.stats
    }

    /// Those of boards that were reset, of their former lives.
    pub fn former_stats(&self) -> &[&'static LinkStats] {
        &self.former
    }

    /// What the boards of this thread's latest system logged.
    pub fn log() -> Vec<String> {
        logged::lines()
    }
}

impl Drop for SimSystem {
    /// Boards are never taken apart; the medium, the largest part of them, is.
    fn drop(&mut self) {
        self.disk.clear();
    }
}
