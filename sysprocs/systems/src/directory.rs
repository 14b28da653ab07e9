//! Every process that a board has or calls: headers, stubs, and who serves which protocol.
//!
//! Invariant: made once at boot from the placement; a kind's processes on a board are neighbours in its table.
//! Not here: what the processes are given (`boot.rs`).

use crate::Kind;
use crate::kinds::FACTS;
use crate::tables::{Board, System};
use core::any::Any;
use core::cell::Cell;
use renga_core::account::{Account, AccountNumber};
use renga_core::{Arena, Core, Process};
use renga_rt::given::Servers;
use renga_rt::{BOARDS_MAX, ProcId};

/// Priorities: the link first, then whoever answers many, then programs' slots.
const ROUTER_PRIORITY: u8 = 6;
const SERVER_PRIORITY: u8 = 4;
const USER_PRIORITY: u8 = 2;

type Members = [&'static [&'static Process]; BOARDS_MAX];

/// The headers of one board.
pub struct Directory {
    system: &'static System<'static>,
    board: u8,
    arena: &'static Arena,
    own: &'static [&'static Process],
    /// By kind and board: those here, and the stubs of those elsewhere that are called from here.
    members: &'static [Members],
    families: [Cell<Option<&'static dyn Any>>; FACTS.len()],
}

fn priority(kind: Kind) -> u8 {
    match kind {
        Kind::Router => ROUTER_PRIORITY,
        Kind::User => USER_PRIORITY,
        _ => SERVER_PRIORITY,
    }
}

impl Directory {
    /// Makes all headers of board `number` of `system`; `declare` makes those of its own processes, in the order of
    /// their indices.
    pub fn make(
        core: &'static Core,
        arena: &'static Arena,
        (system, number): (&'static System<'static>, u8),
        mut declare: impl FnMut(u8, ProcId) -> &'static Process,
    ) -> &'static Directory {
        let board = &system.boards[usize::from(number)];
        let own: &'static [&'static Process] = arena.put_slice(usize::from(board.processes), |index| {
            let index = index as u16;
            declare(priority(board.kind_at(index)), ProcId::new(number, index))
        });
        let first = |kind: Kind| board.range(kind).start;
        let router = board.has(Kind::Router).then(|| own[usize::from(first(Kind::Router))]);
        let stubs = |kind: Kind, other: u8| -> &'static [&'static Process] {
            let rows = || board.stubs.iter().filter(move |row| row.kind == kind && row.board == other);
            let (Some(router), Some(first)) = (router, rows().map(|row| row.first).min()) else { return &[] };
            let count = rows().map(|row| usize::from(row.count)).sum();
            let stub = |index: usize| Process::stub(core, router, ProcId::new(other, first + index as u16));
            let stubs: &'static [Process] = arena.put_slice(count, stub);
            arena.put_slice(count, |index| &stubs[index])
        };
        let members = arena.put_slice(FACTS.len(), |kind| {
            let kind = FACTS[kind].kind;
            let range = board.range(kind);
            core::array::from_fn(|other| match other == usize::from(number) {
                true => &own[usize::from(range.start)..usize::from(range.end)],
                false => stubs(kind, other as u8),
            })
        });
        // Work is charged to the slots of user programs, of every board: each has an account here.
        core.set_accounts(arena.put_slice(AccountNumber::count(system.boards.len()), |_| Account::new()));
        for index in board.range(Kind::User) {
            let slot = index - board.range(Kind::User).start;
            own[usize::from(index)].set_account(AccountNumber::of_slot(number, slot));
        }
        let families = [const { Cell::new(None) }; FACTS.len()];
        arena.put(|| Directory { system, board: number, arena, own, members, families })
    }

    /// The system.
    pub fn system(&self) -> &'static System<'static> {
        self.system
    }
    /// This board's table.
    pub fn table(&self) -> &'static Board<'static> {
        &self.system.boards[usize::from(self.board)]
    }
    /// The board that owns the disk.
    pub fn disk_board(&self) -> u8 {
        self.system.boards.iter().position(|board| board.owns_disk).unwrap_or(0) as u8
    }
    /// The boards that may not keep pages of files, a bit each.
    pub fn without_leases(&self) -> u8 {
        let without = |(number, board): (usize, &Board<'_>)| u8::from(!board.leases) << number;
        self.system.boards.iter().enumerate().map(without).fold(0, |all, bit| all | bit)
    }
    /// This board's processes of `kind`, in order.
    pub fn of_kind(&self, kind: Kind) -> &'static [&'static Process] {
        self.members[kind as usize][usize::from(self.board)]
    }
    /// The kind of a process of any board, by name.
    pub fn kind_name(&self, id: ProcId) -> &'static str {
        match self.system.boards.get(usize::from(id.board.0)) {
            Some(board) if id.index < board.processes => board.kind_at(id.index).name(),
            _ => "?",
        }
    }
}

impl Servers for Directory {
    fn board(&self) -> u8 {
        self.board
    }
    fn boards(&self) -> u8 {
        self.system.boards.len() as u8
    }
    fn own(&self) -> &'static [&'static Process] {
        self.own
    }
    fn arena(&self) -> &'static Arena {
        self.arena
    }
    fn serving(&self, protocol: u32, board: u8) -> &'static [&'static Process] {
        Kind::serving(protocol).map_or(&[], |kind| self.members[kind as usize][usize::from(board)])
    }
    fn family(&self, protocol: u32) -> &Cell<Option<&'static dyn Any>> {
        match Kind::serving(protocol) {
            Some(kind) => &self.families[kind as usize],
            None => panic!("no kind serves protocol {protocol}"),
        }
    }
}
