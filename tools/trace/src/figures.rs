//! What a trace has added up to at an instant, as plain figures; and what was added between two instants.
//!
//! Invariant: figures only grow, so that the difference of two is what happened between them. Not here: how they come
//! about (`meter`), what a summary prints (`summary`).

use crate::header::CORES_MAX;
use renga_abi::ProcId;
use std::collections::{BTreeMap, HashMap};

/// A kind of process on a board, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessPlace {
    /// The board.
    pub board: u8,
    /// The kind: a place in [`crate::TraceHeader::kinds`]; none of a process that the header does not name.
    pub kind: Option<usize>,
}

/// Caller, server and entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arrow {
    /// The callers.
    pub from: ProcessPlace,
    /// The servers.
    pub to: ProcessPlace,
    /// The entry.
    pub op: u8,
}

impl Arrow {
    /// Whether it goes to another board.
    pub fn is_remote(&self) -> bool {
        self.from.board != self.to.board
    }
}

/// What the calls of an edge add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeSum {
    /// How many.
    pub calls: u64,
    /// Of these, how many were answered.
    pub answered: u64,
    /// From call to answer, ns.
    pub total_ns: u64,
    /// From call to accept, ns.
    pub waiting_ns: u64,
}

impl EdgeSum {
    /// Adds others.
    pub fn add(&mut self, other: EdgeSum) {
        self.calls += other.calls;
        self.answered += other.answered;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.waiting_ns = self.waiting_ns.saturating_add(other.waiting_ns);
    }

    fn since(self, before: EdgeSum) -> EdgeSum {
        EdgeSum {
            calls: self.calls.saturating_sub(before.calls),
            answered: self.answered.saturating_sub(before.answered),
            total_ns: self.total_ns.saturating_sub(before.total_ns),
            waiting_ns: self.waiting_ns.saturating_sub(before.waiting_ns),
        }
    }
}

/// Figures of one thing, each the difference of two by subtraction.
macro_rules! growing { ($($(#[$doc:meta])* $Name:ident { $($(#[$about:meta])* $field:ident),* $(,)? })*) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct $Name { $($(#[$about])* pub $field: u64),* }

    impl $Name {
        fn since(self, before: $Name) -> $Name {
            $Name { $($field: self.$field.saturating_sub(before.$field)),* }
        }
    }
)* } }
growing! {
    /// What a core of a board did, or all of them together, ns.
    CoreTime {
        /// User programs ran.
        programs_ns,
        /// System processes and the kernel ran.
        system_ns,
        /// It waited for an interrupt.
        idle_ns,
    }
    /// Frames that took the wire.
    Frames {
        /// How many.
        frames,
        /// Their bytes.
        bytes,
        /// Their time on the wire, ns.
        wire_ns,
        /// Their waits for the token, ns.
        token_wait_ns,
    }
    /// What a disk did.
    DiskWork {
        /// Transfers that were begun.
        requests,
        /// Pages of 4 KiB that these read.
        pages_read,
        /// Pages of 4 KiB that these write.
        pages_written,
        /// A transfer was under way, ns.
        busy_ns,
    }
    /// What a process did and had done.
    Work {
        /// It had the core, ns; programs' own time is not in it.
        core_ns,
        /// Calls that it served; of a call from another board, the one that its proxy makes.
        served,
        /// These took from accept to answer, ns.
        served_ns,
        /// These had waited for their accept, ns.
        waited_ns,
    }
    /// What was spent for a program, ns.
    Spent {
        /// It ran itself.
        itself_ns,
        /// The system ran on its behalf, on all boards.
        on_behalf_ns,
    }
}

impl CoreTime {
    fn and(self, other: CoreTime) -> CoreTime {
        CoreTime {
            programs_ns: self.programs_ns + other.programs_ns,
            system_ns: self.system_ns + other.system_ns,
            idle_ns: self.idle_ns + other.idle_ns,
        }
    }
}

/// What happened on a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardFigures {
    /// Its cores; of those that it does not have, nothing.
    pub cores: [CoreTime; CORES_MAX as usize],
    /// Frames that it sent.
    pub sent: Frames,
    /// Its disk.
    pub disk: DiskWork,
    /// Calls of its processes to processes of the board.
    pub calls_local: u64,
    /// Calls of its processes to other boards.
    pub calls_remote: u64,
}

impl BoardFigures {
    /// What all its cores did together.
    pub fn all_cores(&self) -> CoreTime {
        self.cores.iter().fold(CoreTime::default(), |all, core| all.and(*core))
    }

    fn since(self, before: BoardFigures) -> BoardFigures {
        BoardFigures {
            cores: std::array::from_fn(|core| self.cores[core].since(before.cores[core])),
            sent: self.sent.since(before.sent),
            disk: self.disk.since(before.disk),
            calls_local: self.calls_local.saturating_sub(before.calls_local),
            calls_remote: self.calls_remote.saturating_sub(before.calls_remote),
        }
    }
}

/// A program, from the time when its slot took it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TracedProgram {
    /// Its process; none for an account without a known process.
    pub process: Option<ProcId>,
    /// 0: unknown.
    pub pid: u32,
    /// As Linux's `comm`.
    pub name: String,
    /// When it began, ns.
    pub begin_ns: u64,
    /// When it ended, ns.
    pub end_ns: Option<u64>,
    /// Time spent for it.
    pub spent: Spent,
}

/// What has added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFigures {
    /// From when on, ns.
    pub begin_ns: u64,
    /// Until when, ns.
    pub time_ns: u64,
    /// Events.
    pub events: u64,
    /// By board.
    pub boards: Vec<BoardFigures>,
    /// By edge.
    pub edges: HashMap<Arrow, EdgeSum>,
    /// By process.
    pub work: HashMap<ProcId, Work>,
    /// Programs in the order in which they were seen.
    pub programs: BTreeMap<u64, TracedProgram>,
    /// What the system did for itself, ns.
    pub system_ns: u64,
    /// Cores of at least two boards were not idle, ns.
    pub overlap_ns: u64,
    /// The disk worked while a core was not idle, ns.
    pub disk_overlap_ns: u64,
}

impl TraceFigures {
    /// From the first instant to the last, ns.
    pub fn span_ns(&self) -> u64 {
        self.time_ns.saturating_sub(self.begin_ns)
    }

    /// What was added since `before`; of programs, those that were alive meanwhile.
    pub fn since(&self, before: &TraceFigures) -> TraceFigures {
        let boards = self.boards.iter().enumerate().map(|(number, board)| {
            let before = before.boards.get(number).copied().unwrap_or_default();
            board.since(before)
        });
        let programs = self.programs.iter().filter_map(|(serial, program)| {
            let spent = before.programs.get(serial).map_or(Spent::default(), |before| before.spent);
            let alive = program.end_ns.is_none_or(|end_ns| end_ns >= before.time_ns);
            alive.then(|| (*serial, TracedProgram { spent: program.spent.since(spent), ..program.clone() }))
        });
        TraceFigures {
            begin_ns: before.time_ns,
            time_ns: self.time_ns,
            events: self.events.saturating_sub(before.events),
            boards: boards.collect(),
            edges: difference(&self.edges, &before.edges, EdgeSum::since),
            work: difference(&self.work, &before.work, Work::since),
            programs: programs.collect(),
            system_ns: self.system_ns.saturating_sub(before.system_ns),
            overlap_ns: self.overlap_ns.saturating_sub(before.overlap_ns),
            disk_overlap_ns: self.disk_overlap_ns.saturating_sub(before.disk_overlap_ns),
        }
    }
}

/// What each has more than before; without those that have nothing more.
fn difference<K: Copy + Eq + std::hash::Hash, V: Copy + Default + PartialEq>(
    now: &HashMap<K, V>,
    before: &HashMap<K, V>,
    since: impl Fn(V, V) -> V,
) -> HashMap<K, V> {
    let grown = now.iter().map(|(key, value)| (*key, since(*value, before.get(key).copied().unwrap_or_default())));
    grown.filter(|(_, value)| *value != V::default()).collect()
}
