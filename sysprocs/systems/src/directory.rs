//! Every process that a board has or calls: headers, and who serves which protocol.
//!
//! Invariant: made once at boot from the placement; a kind's processes on a board are neighbours in its table.
//! Not here: what the processes are given (`boot.rs`).

use crate::Kind;
use crate::kinds::FACTS;
use crate::tables::{Board, System};
use renga_core::account::{Account, AccountNumber};
use renga_core::{Arena, Core, Process};
use renga_rt::given::Servers;
use renga_rt::{Members, ProcId};

/// Priorities: the link first, then whoever answers many, then programs' slots.
const ROUTER_PRIORITY: u8 = 6;
const SERVER_PRIORITY: u8 = 4;
const USER_PRIORITY: u8 = 2;

/// The headers of one board.
pub struct Directory {
    system: &'static System<'static>,
    board: u8,
    arena: &'static Arena,
    own: &'static [&'static Process],
    /// By kind and board: those here, and those elsewhere that are called from here.
    members: &'static [&'static [Members]],
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
        let router = board.has(Kind::Router).then(|| own[usize::from(board.range(Kind::Router).start)]);
        let elsewhere = |kind: Kind, other: u8| {
            let rows = || board.elsewhere.iter().filter(move |row| row.kind == kind && row.board == other);
            let (Some(router), Some(first)) = (router, rows().map(|row| row.first).min()) else { return Members::NONE };
            let count = rows().map(|row| row.count).sum();
            Members::Elsewhere { router, first: ProcId::new(other, first), count }
        };
        let members = arena.put_slice(FACTS.len(), |kind| {
            let kind = FACTS[kind].kind;
            let range = board.range(kind);
            &*arena.put_slice(system.boards.len(), |other| match other == usize::from(number) {
                true => Members::Here(&own[usize::from(range.start)..usize::from(range.end)]),
                false => elsewhere(kind, other as u8),
            })
        });
        // Work is charged to the slots of user programs, of every board: each has an account here.
        core.set_accounts(arena.put_slice(AccountNumber::count(system.boards.len()), |_| Account::new()));
        for index in board.range(Kind::User) {
            let slot = index - board.range(Kind::User).start;
            own[usize::from(index)].set_account(AccountNumber::of_slot(number, slot));
        }
        arena.put(|| Directory { system, board: number, arena, own, members })
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
        self.members[kind as usize][usize::from(self.board)].here()
    }
    /// How many of `kind` all boards have.
    pub fn count(&self, kind: Kind) -> usize {
        self.members[kind as usize].iter().map(|servers| servers.count()).sum()
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
    fn own(&self) -> &'static [&'static Process] {
        self.own
    }
    fn serving(&self, protocol: u32) -> &'static [Members] {
        match Kind::serving(protocol) {
            Some(kind) => self.members[kind as usize],
            None => panic!("no kind serves protocol {protocol}"),
        }
    }
}
