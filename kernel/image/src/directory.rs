//! Every process that this board has or calls: headers, stubs, and addresses by kind.
//!
//! Invariant: made once at boot from the placement; a kind's processes on a board are neighbours in
//! its table. Not here: what the processes are given (`processes.rs`).

use crate::once::Once;
use renga_core::{Address, Arena, Core, Family, Local, Me, Process, Protocol};
use renga_rt::{BOARDS_MAX, Interruptor, ProcId};
use renga_systems::Kind;
#[allow(unused_imports, reason = "a system without asynchronous edges names none")]
use renga_systems::tables::AsyncEdge;
use renga_systems::tables::{Board, Peer, Placed, Proxies, System};

include!(concat!(env!("OUT_DIR"), "/system.rs"));

/// Priorities: the link first, then whoever answers many, then programs' slots.
const ROUTER_PRIORITY: u8 = 6;
const SERVER_PRIORITY: u8 = 4;
const USER_PRIORITY: u8 = 2;

static OWN: Once<Directory> = Once::new();

/// The headers of one board.
#[derive(Clone, Copy)]
pub struct Directory {
    board: u8,
    /// By board and index; other boards' are stubs where they are called, else `None`.
    headers: [&'static [Option<&'static Process>]; BOARDS_MAX],
    own: &'static [&'static Process],
}

fn placed_on(board: &'static Board) -> impl Iterator<Item = &'static Placed> {
    board.placed.iter()
}

/// The table of board `number`, if the system has it.
pub fn table(number: u8) -> Option<&'static Board> {
    SYSTEM.boards.get(usize::from(number))
}

fn priority(board: &'static Board, index: u16) -> u8 {
    match kind_at(board, index) {
        Kind::Router => ROUTER_PRIORITY,
        Kind::User => USER_PRIORITY,
        _ => SERVER_PRIORITY,
    }
}

fn kind_at(board: &'static Board, index: u16) -> Kind {
    let holds = |placed: &&Placed| (placed.first..placed.first + placed.count).contains(&index);
    if let Some(placed) = placed_on(board).find(holds) {
        return placed.kind;
    }
    let proxy = board.proxies.iter().any(|proxies| (proxies.first..proxies.first + proxies.count).contains(&index));
    if proxy { Kind::Proxy } else { Kind::AsyncProxy }
}

impl Directory {
    /// Makes all headers of board `number`.
    pub fn make(core: &'static Core, arena: &'static Arena, number: u8) -> Directory {
        let board = &SYSTEM.boards[usize::from(number)];
        let own: &'static [&'static Process] = arena.put_slice(usize::from(board.processes), |index| {
            let index = index as u16;
            &*arena.put(|| Process::new(core, priority(board, index), ProcId::new(number, index)))
        });
        let router = placed_on(board).find(|placed| placed.kind == Kind::Router).map(|p| own[usize::from(p.first)]);
        let headers = core::array::from_fn(|other| match SYSTEM.boards.get(other) {
            None => &[][..],
            Some(_) if other == usize::from(number) => &*arena.put_slice(own.len(), |index| Some(own[index])),
            Some(far) => &*arena.put_slice(usize::from(far.processes), |index| {
                stub(core, arena, board, router, ProcId::new(other as u8, index as u16))
            }),
        });
        let directory = Directory { board: number, headers, own };
        OWN.set(directory);
        directory
    }

    /// All processes of this board, by index.
    pub fn own(&self) -> &'static [&'static Process] {
        self.own
    }
    /// This board's number.
    pub fn board(&self) -> u8 {
        self.board
    }
    /// The process of this board at `index`.
    pub fn at(&self, index: u16) -> &'static Process {
        self.own[usize::from(index)]
    }

    /// This board's processes of `kind`, in order.
    pub fn of_kind(&self, kind: Kind) -> &'static [&'static Process] {
        let rows = || placed_on(&SYSTEM.boards[usize::from(self.board)]).filter(move |placed| placed.kind == kind);
        let first = rows().map(|placed| placed.first).min().unwrap_or(0);
        let count: u16 = rows().map(|placed| placed.count).sum();
        &self.own[usize::from(first)..usize::from(first + count)]
    }

    /// The one server of `kind` that this board uses: its own, or else the one of another board.
    ///
    /// # Panics
    /// If there is none, which the placement check excludes.
    pub fn server<P: Protocol>(&self, kind: Kind) -> Address<P> {
        let own = SYSTEM.boards[usize::from(self.board)..].iter().take(1);
        for board in own.chain(SYSTEM.boards) {
            for placed in placed_on(board).filter(|placed| placed.kind == kind) {
                if let Some(process) = self.headers[usize::from(placed.board)][usize::from(placed.first)] {
                    return Address::new(process);
                }
            }
        }
        panic!("no {} to call", kind.name())
    }

    /// All servers of `kind`, on every board.
    pub fn family<P: Protocol>(&self, arena: &'static Arena, me: &Me, kind: Kind) -> Family<P> {
        let boards = arena.put_slice(SYSTEM.boards.len(), |board| self.servers_on::<P>(arena, board, kind));
        Family::new(me, boards)
    }

    /// All servers of `kind` on this board.
    pub fn local<P: Protocol>(&self, arena: &'static Arena, me: &Me, kind: Kind) -> Local<P> {
        Local::new(me, self.servers_on(arena, usize::from(self.board), kind))
    }

    fn servers_on<P: Protocol>(&self, arena: &'static Arena, board: usize, kind: Kind) -> &'static [Address<P>] {
        let rows = || placed_on(&SYSTEM.boards[board]).filter(move |placed| placed.kind == kind);
        let first = rows().map(|placed| placed.first).min().unwrap_or(0);
        let count: u16 = rows().map(|placed| placed.count).sum();
        let known = |index: usize| self.headers[board][usize::from(first) + index];
        // A board whose servers are not called from here has no stubs: an empty slice.
        let called = (0..usize::from(count)).all(|index| known(index).is_some());
        arena.put_slice(if called { usize::from(count) } else { 0 }, |index| match known(index) {
            Some(process) => Address::new(process),
            None => unreachable!("checked above"),
        })
    }

    /// The right to interrupt each process of `kind` here.
    pub fn interruptors(&self, arena: &'static Arena, kind: Kind) -> &'static [Interruptor] {
        let processes = self.of_kind(kind);
        arena.put_slice(processes.len(), |index| Interruptor::new(processes[index]))
    }
}

fn stub(
    core: &'static Core,
    arena: &'static Arena,
    board: &'static Board,
    router: Option<&'static Process>,
    id: ProcId,
) -> Option<&'static Process> {
    let holds = |row: &&Placed| row.board == id.board.0 && (row.first..row.first + row.count).contains(&id.index);
    let (Some(router), Some(_)) = (router, board.stubs.iter().find(holds)) else { return None };
    Some(&*arena.put(|| Process::stub(core, router, id)))
}

/// The kind of a process of any board, by name.
pub fn kind_name(id: ProcId) -> &'static str {
    match SYSTEM.boards.get(usize::from(id.board.0)) {
        Some(board) if id.index < board.processes => kind_at(board, id.index).name(),
        _ => "?",
    }
}

/// This board's name.
pub fn own_board_name() -> &'static str {
    OWN.get().and_then(|own| table(own.board)).map_or("?", |board| board.name)
}

/// This board's processes; none before they are made.
pub fn own_processes() -> &'static [&'static Process] {
    OWN.get().map_or(&[], Directory::own)
}
