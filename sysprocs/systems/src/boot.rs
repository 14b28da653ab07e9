//! Boot: every process of a board gets the parameters that its types and the list of kinds name, and starts.
//!
//! Invariant: every process of the placement is started exactly once (counted). Not here: the kinds (`kinds.rs`), the
//! link's plan (`link.rs`).

use crate::directory::Directory;
use crate::kinds::{Kind, each_kind};
use crate::link::{LinkParts, Reach};
use crate::machine::Machine;
use crate::outline::Outline;
use crate::valid::CORES_MAX;
use core::cell::Cell;
use core::sync::atomic::AtomicU32;
use renga_core::Process;
use renga_fs::{CommitDue, FreeLookupWorkers, Referrers};
use renga_hal::memory::{SPACES_MAX, UserMemory};
use renga_memory::{FrameCounts, SpaceTables, TABLES_PER_SLOT};
use renga_pages::CacheMemory;
use renga_process::{
    DESCRIPTORS_MAX, DescriptorSlot, PATHS_BYTES, ProcessRow, Processor, ProgramState, QueuedSignal, RECORDS_MAX,
    SlotUse, ThreadGroups, UserFacts,
};
use renga_procfs::Plan;
use renga_proto::pipe::PIPE_BYTES;
use renga_proto::procs::QUEUED_MAX;
use renga_proto::sessions::Sessions;
use renga_proto::socket_table::{Errand, FLIGHTS};
use renga_router::{LinkStats, SessionEnds};
use renga_rt::given::{Begin, Servers};
use renga_rt::proc_info::ProcInfo;
use renga_rt::user::UserContext;
use renga_rt::{BOARDS_MAX, Notifier, PAGE_BYTES, WaitCanceller, Wakes, Watch, WatchFilters};

// A process with a table of areas makes the space.
const _: () = assert!(
    Kind::User.facts().count_max as usize * TABLES_PER_SLOT <= SPACES_MAX as usize,
    "a board has room for the spaces of all of its programs"
);

/// What boot leaves for an observer of the board.
pub struct Started {
    /// What its router counts; none in a system of one board.
    pub link_stats: Option<&'static LinkStats>,
    /// The ends of its sessions, likewise.
    pub ends: Option<&'static SessionEnds>,
}

/// Starts every process of the board that `directory` is of.
///
/// # Panics
/// If the placement contradicts the code, which its check excludes, or boot memory does not suffice.
pub fn start_all<M: Machine>(machine: &M, directory: &'static Directory) -> Started {
    start(machine, directory, |_| true, Reach::Called)
}

/// As [`start_all`], of the kinds that `wanted` says: for boards that are to be another thing than what the placement
/// says of them. Their router sends calls to every process of the others.
///
/// # Panics
/// As [`start_all`].
pub fn start_those<M: Machine>(machine: &M, directory: &'static Directory, wanted: impl Fn(Kind) -> bool) -> Started {
    start(machine, directory, wanted, Reach::All)
}

fn start<M: Machine>(
    machine: &M,
    directory: &'static Directory,
    wanted: impl Fn(Kind) -> bool,
    reach: Reach,
) -> Started {
    let arena = directory.arena();
    let notifier = |kind| directory.of_kind(kind).first().copied().map(Notifier::new);
    let watch = arena.put(|| Watch::new(notifier(Kind::Router)));
    let sessions = arena.put(Sessions::new);
    let referrers = arena.put_slice(directory.of_kind(Kind::Inode).len(), |_| Cell::new(0));
    let parents = arena.put_slice(directory.of_kind(Kind::Inode).len(), |_| AtomicU32::new(0));
    let slots = directory.of_kind(Kind::User).len();
    let boot = Boot {
        machine,
        directory,
        wanted: &wanted,
        watch,
        sessions,
        free_lookup_workers: arena.put(|| FreeLookupWorkers::new(notifier(Kind::PathLookup))),
        wakes: arena.put(|| Wakes::new(notifier(Kind::Waker))),
        due: arena.put(|| CommitDue::new(notifier(Kind::CommitTimer), &machine.times())),
        referrers: arena.put(|| Referrers::new(referrers)),
        watched: arena.put(|| WatchFilters::new(parents)),
        infos: arena.put_slice(slots, |_| ProcInfo::default()),
        tables: SpaceTables::new(arena, slots),
        groups: core::array::from_fn(|core| {
            let any = directory.of_kind(Kind::User).iter().any(|user| usize::from(user.core().number()) == core);
            ThreadGroups::new(arena, if any { slots } else { 0 })
        }),
        counts: FrameCounts::new(arena, machine.memory().frames() as usize),
        link: LinkParts::new(directory, reach, (watch, sessions), machine.link_timing(), machine.starts()),
    };
    let (started, placed) = (start_each(&boot), directory.own().len());
    assert!(started == placed, "{started} processes of {placed} started");
    let (link_stats, ends) = boot.link.map(|link| (link.stats, link.ends)).unzip();
    Started { link_stats, ends }
}

macro_rules! start_each { (|$at:ident, $M:ident| $(
    $Kind:ident $name:literal $what:literal, $place:ident $count_max:literal: $function:path [$($special:expr),*];
)+) => {
    /// Starts every process of the board; how many.
    #[allow(clippy::unused_unit, reason = "the tuple of those that take nothing special")]
    fn start_each<$M: Machine>(boot: &Boot<'_, $M>) -> usize {
        0 $(+ boot.start_kind(Kind::$Kind, $function, |$at: At<'_, $M>| {
            let _ = $at; // some take nothing special
            ($($special,)*)
        }))+
    }
} }
each_kind!(start_each);

const LOCKS: usize = 1024;

const EVENT_FILES: usize = 256;
/// Flights of all boards: each may be one that a board's sockets drop.
const FLIGHTS_EVERYWHERE: usize = BOARDS_MAX * FLIGHTS;
const WATCHES: usize = 1024;
/// Notices of changed files, and watches of inodes, of the board that has the inodes.
const NOTICES: usize = 512;
const INODE_WATCHES: usize = 1024;

/// `count`, on a board that has any inodes.
const fn beside_inodes(inodes: usize, count: usize) -> usize {
    if inodes > 0 { count } else { 0 }
}

/// Entries of a board's name cache: names and inodes.
const CACHED_NAMES: usize = 8192;
const CACHED_INODES: usize = 4096;

/// References to inodes that a board keeps, of so many active ones: all boards together leave most of those to others.
const fn cached_references(inodes: usize) -> usize {
    inodes / 16
}

/// Timers of a board with so many user slots: of each the three that every program has, and some more.
const fn timers(slots: usize) -> usize {
    8 * slots
}

pub(crate) struct Boot<'m, M> {
    machine: &'m M,
    directory: &'static Directory,
    wanted: &'m dyn Fn(Kind) -> bool,
    /// Boards of which something is awaited here.
    watch: &'static Watch,
    /// Which session with each board it is.
    sessions: &'static Sessions,
    /// Path lookup workers that have nothing to do.
    free_lookup_workers: &'static FreeLookupWorkers,
    /// Programs to wake.
    wakes: &'static Wakes,
    /// When `commit_timer` has something to do.
    due: &'static CommitDue,
    /// Which boards refer to which inode.
    referrers: &'static Referrers,
    /// What programs watch.
    watched: &'static WatchFilters,
    /// What the user slots show of their programs.
    infos: &'static [ProcInfo],
    tables: &'static SpaceTables,
    /// The programs with threads, by the core of their slots.
    groups: [&'static ThreadGroups; CORES_MAX as usize],
    /// How many references each page frame has.
    counts: &'static FrameCounts,
    link: Option<LinkParts>,
}

impl<M: Machine> Boot<'_, M> {
    /// Starts every process of `kind` that is placed here; how many. By itself, since a future is on the stack until
    /// it is in its place: those of all kinds together do not fit into one frame.
    #[inline(never)]
    pub(crate) fn start_kind<Typed, Special>(
        &self,
        kind: Kind,
        function: impl Begin<Typed, Special>,
        special: impl Fn(At<'_, M>) -> Special,
    ) -> usize {
        let processes = self.directory.of_kind(kind);
        let wanted = if (self.wanted)(kind) { processes } else { &[] };
        for (number, process) in (0..).zip(wanted) {
            let core = process.core().number();
            let special = special(At { boot: self, number, core });
            self.machine.start(process, |me| function.begin(me, self.directory.on(core), special));
        }
        processes.len()
    }
}

/// One process, while it is started: what a line of the list of kinds may name.
pub(crate) struct At<'b, M> {
    boot: &'b Boot<'b, M>,
    number: u16,
    core: u8,
}

impl<M> Clone for At<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M> Copy for At<'_, M> {}

impl<'b, M: Machine> At<'b, M> {
    /// The board.
    pub fn machine(self) -> &'b M {
        self.boot.machine
    }
    /// Which of its kind it is.
    pub fn number(self) -> u16 {
        self.number
    }
    /// Boot memory, with what `make` returns.
    pub fn put<T: 'static>(self, make: impl FnOnce() -> T) -> &'static mut T {
        self.boot.directory.arena().put(make)
    }
    /// Boot memory for `count` things, each of which `make` returns.
    pub fn each<T: 'static>(self, count: usize, make: impl Fn() -> T) -> &'static mut [T] {
        self.boot.directory.arena().put_slice(count, |_| make())
    }
    /// How many of `kind` this board has.
    pub fn count(self, kind: Kind) -> usize {
        self.boot.directory.of_kind(kind).len()
    }
    /// How many of `kind` all boards have.
    pub fn count_everywhere(self, kind: Kind) -> usize {
        self.boot.directory.count(kind)
    }
    /// The right to wake the first process of `kind` here.
    pub fn notifier(self, kind: Kind) -> Option<Notifier> {
        let to = |&process: &&'static Process| match process.core().number() == self.core {
            true => Notifier::new(process),
            false => Notifier::elsewhere(process.shared()),
        };
        self.boot.directory.of_kind(kind).first().map(to)
    }
    /// The right to interrupt each process of `kind` here.
    pub fn wait_cancellers(self, kind: Kind) -> &'static [WaitCanceller] {
        let processes = self.boot.directory.of_kind(kind);
        let to = |process: &'static Process| match process.core().number() == self.core {
            true => WaitCanceller::new(process),
            false => WaitCanceller::elsewhere(process.shared()),
        };
        self.boot.directory.arena().put_slice(processes.len(), |number| to(processes[number]))
    }
    /// The owner of the floating-point state of the programs of this process's core.
    pub fn processor(self) -> &'static dyn Processor {
        self.boot.machine.processor(self.core)
    }
    /// Boot memory for the index of the page cache.
    pub fn page_index(self) -> &'static mut CacheMemory {
        CacheMemory::new(self.boot.directory.arena(), self.frames(), M::CACHED_FILES)
    }
    /// Page frames of user programs.
    pub fn frames(self) -> usize {
        self.boot.machine.memory().frames() as usize
    }
    /// The board of the file system.
    pub fn file_board(self) -> u8 {
        self.boot.directory.file_board()
    }
    /// The boards that may not keep pages of files, a bit each.
    pub fn without_leases(self) -> u8 {
        self.boot.directory.without_leases()
    }
    /// What the link's processes share.
    pub fn link(self) -> &'b LinkParts {
        match &self.boot.link {
            Some(link) => link,
            None => panic!("a process of the link on a board without a router"),
        }
    }
    /// The system as placed.
    pub fn plan(self) -> &'static dyn Plan {
        let permits = self.boot.link.as_ref().map(|link| link.permits);
        let directory = self.boot.directory;
        self.put(|| Outline { directory, permits })
    }
    /// The facts of a user process: the first one of the file system's board begins as init.
    pub fn user_facts(self) -> &'static UserFacts {
        let Boot { machine, directory, tables, counts, sessions, groups, watched, .. } = *self.boot;
        let first = self.number == 0 && directory.board() == directory.file_board();
        let boot_program = if first { machine.init() } else { "" };
        let info = &self.boot.infos[usize::from(self.number)];
        let (slot, seed, slice_ns) = (self.number, machine.seed(), machine.times().slice_ns);
        let groups = groups[usize::from(self.core)];
        let notifier = Notifier::new(directory.of_kind(Kind::User)[usize::from(slot)]);
        self.put(|| UserFacts {
            slot,
            boot_program,
            seed,
            slice_ns,
            info,
            tables,
            counts,
            sessions,
            groups,
            notifier,
            watched,
        })
    }
}
