//! The headers of all processes of a board.
//!
//! Invariant: boot makes them once from the placement; processes of a kind are neighbours in the table. Not here: what
//! each core's processes find (`core_directory.rs`), their parameters (`boot.rs`).

use crate::core_directory::CoreDirectory;
use crate::kinds::Kind;
use crate::tables::{Board, System};
use renga_core::account::{Account, AccountNumber};
use renga_core::{Arena, Core, Process};
use renga_rt::given::Servers;
use renga_rt::{Members, ProcId};

/// Priorities: the link first, then servers, then programs' slots, and last the reclaimer, for which no process waits.
const ROUTER_PRIORITY: u8 = 6;
const SERVER_PRIORITY: u8 = 4;
const USER_PRIORITY: u8 = 2;
const RECLAIMER_PRIORITY: u8 = 1;

/// The headers of one board.
pub struct Directory {
    system: &'static System<'static>,
    board: u8,
    arena: &'static Arena,
    own: &'static [&'static Process],
    of_cores: &'static [CoreDirectory],
}

fn priority(kind: Kind) -> u8 {
    match kind {
        Kind::Router => ROUTER_PRIORITY,
        Kind::User => USER_PRIORITY,
        Kind::Reclaimer => RECLAIMER_PRIORITY,
        _ => SERVER_PRIORITY,
    }
}

impl Directory {
    /// Makes all headers of board `number` of `system`, whose cores are these; `declare` makes those of its own
    /// processes, each of a core, in the order of their indices.
    ///
    /// # Panics
    /// If the board has other cores than the placement says.
    pub fn make(
        cores: &[&'static Core],
        arena: &'static Arena,
        (system, number): (&'static System<'static>, u8),
        mut declare: impl FnMut(u8, u8, ProcId) -> &'static Process,
    ) -> &'static Directory {
        let board = &system.boards[usize::from(number)];
        assert!(cores.len() == usize::from(board.cores), "a board's cores are as its placement says");
        let all: &'static [&'static Core] = arena.put_slice(cores.len(), |core| cores[core]);
        for core in cores {
            core.set_board(all, board.homes(), board.program_cores);
            if board.homes() >> core.number() & 1 != 0 {
                core.run_programs_on(board.program_cores, arena);
            }
        }
        let own: &'static [&'static Process] = arena.put_slice(usize::from(board.processes), |index| {
            let index = index as u16;
            declare(board.core_of(index), priority(board.kind_at(index)), ProcId::new(number, index))
        });
        for core in cores {
            // Work is charged to the slots of user programs, of every board: each has an account on each core.
            core.set_accounts(
                arena.put_slice(AccountNumber::count(system.boards.len()), |_| Account::with_slice_ns(core.slice_ns())),
            );
        }
        for index in board.range(Kind::User) {
            let slot = index - board.range(Kind::User).start;
            own[usize::from(index)].set_account(AccountNumber::of_slot(number, slot));
        }
        let of_cores =
            arena.put_slice(cores.len(), |core| CoreDirectory::make(cores[core], arena, (system, number), own));
        arena.put(|| Directory { system, board: number, arena, own, of_cores })
    }

    /// What processes of `core` find.
    pub fn on(&self, core: u8) -> &'static CoreDirectory {
        &self.of_cores[usize::from(core)]
    }
    /// Boot memory.
    pub fn arena(&self) -> &'static Arena {
        self.arena
    }
    /// Boards of the cluster.
    pub fn boards(&self) -> u8 {
        self.system.boards.len() as u8
    }
    /// The system.
    pub fn system(&self) -> &'static System<'static> {
        self.system
    }
    /// This board's table.
    pub fn table(&self) -> &'static Board<'static> {
        &self.system.boards[usize::from(self.board)]
    }
    /// The board of the file system.
    pub fn file_board(&self) -> u8 {
        self.system.file_board()
    }
    /// The boards that may not keep pages of files, a bit each.
    pub fn without_leases(&self) -> u8 {
        let without = |(number, board): (usize, &Board<'_>)| u8::from(!board.leases) << number;
        self.system.boards.iter().enumerate().map(without).fold(0, |all, bit| all | bit)
    }
    /// This board's processes of `kind`, in order.
    pub fn of_kind(&self, kind: Kind) -> &'static [&'static Process] {
        let range = self.table().range(kind);
        &self.own[usize::from(range.start)..usize::from(range.end)]
    }
    /// How many of `kind` all boards have.
    pub fn count(&self, kind: Kind) -> usize {
        self.of_cores[0].of_kind(kind).iter().map(|servers| servers.count()).sum()
    }
    /// The kind of a process of any board, by name.
    pub fn kind_name(&self, id: ProcId) -> &'static str {
        self.system.kind_name(id)
    }
}

/// As processes of the first core find them.
impl Servers for Directory {
    fn board(&self) -> u8 {
        self.board
    }
    fn own(&self) -> &'static [&'static Process] {
        self.own
    }
    fn serving(&self, protocol: u32) -> &'static [Members] {
        self.of_cores[0].serving(protocol)
    }
}
