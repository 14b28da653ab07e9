//! Every process that a board has or calls, by kind: headers and stubs, from the checked placement.
//!
//! Invariant: a process's index is the placement's; a kind's processes on a board are neighbours. Not
//! here: what the processes are given (`processes.rs`).

use renga_core::notify::Notifier;
use renga_core::{Address, Family, Local, Me, Process, Protocol};
use renga_placement::{Checked, Group, OnBehalfOf};
use renga_rt::host::Board;
use renga_rt::{Interruptor, ProcId, Watch};
use renga_systems::Kind;
use std::rc::Rc;

/// Priorities as on a board: the link first, then whoever answers many, then programs' slots.
const ROUTER_PRIORITY: u8 = 6;
const SERVER_PRIORITY: u8 = 4;
const USER_PRIORITY: u8 = 2;

/// The headers of one board.
#[derive(Clone)]
pub struct Directory {
    checked: Rc<Checked>,
    number: usize,
    board: Board,
    own: &'static [&'static Process],
    /// By board and index; other boards' are stubs where they are called, else `None`.
    headers: Rc<Vec<Vec<Option<&'static Process>>>>,
    watch: &'static Watch,
}

fn priority(kind: &str) -> u8 {
    if kind == Kind::Router.name() {
        ROUTER_PRIORITY
    } else if kind == Kind::User.name() {
        USER_PRIORITY
    } else {
        SERVER_PRIORITY
    }
}

impl Directory {
    /// Makes all headers of board `number`.
    pub fn make(checked: Rc<Checked>, board: Board, number: usize) -> Directory {
        for instance in checked.instances(number) {
            let process = board.declare(priority(instance.kind));
            assert!(process.id() == instance.id, "the placement's indices have no gaps");
        }
        let own = board.directory();
        let mut headers: Vec<Vec<Option<&'static Process>>> =
            (0..checked.boards.len()).map(|other| vec![None; checked.process_count(other)]).collect();
        headers[number] = own.iter().copied().map(Some).collect();
        let watch = board.arena.put(|| Watch::new(None));
        let mut directory = Directory { checked, number, board, own, headers: Rc::default(), watch };
        let router = directory.of_kind(Kind::Router).first().copied().map(Notifier::new);
        directory.watch = board.arena.put(|| Watch::new(router));
        for group in directory.checked.stubs(number) {
            let Some(router) = directory.of_kind(Kind::Router).first().copied() else { break };
            let group = &directory.checked.groups[group];
            for index in group.first..group.first + group.count() {
                let id = ProcId::new(group.board as u8, index);
                headers[group.board][usize::from(index)] = Some(board.stub(router, id));
            }
        }
        directory.headers = Rc::new(headers);
        directory
    }

    /// The placement.
    pub fn checked(&self) -> &Checked {
        &self.checked
    }
    /// Core and boot memory.
    pub fn board(&self) -> Board {
        self.board
    }
    /// Boards of which something is awaited here.
    pub fn watch(&self) -> &'static Watch {
        self.watch
    }
    /// This board's number.
    pub fn number(&self) -> usize {
        self.number
    }
    /// All processes of this board, by index.
    pub fn own(&self) -> &'static [&'static Process] {
        self.own
    }

    /// The processes of `kind` that the placement puts on `board`.
    fn group(&self, board: usize, kind: Kind) -> Option<&Group> {
        let is = |group: &&Group| {
            group.board == board
                && group.on_behalf_of == OnBehalfOf::Itself
                && self.checked.kinds[group.kind].name == kind.name()
        };
        self.checked.groups.iter().find(is)
    }

    /// This board's processes of `kind`, in order.
    pub fn of_kind(&self, kind: Kind) -> &'static [&'static Process] {
        let place = |group: &Group| usize::from(group.first)..usize::from(group.first + group.count());
        self.group(self.number, kind).map_or(&[], |group| &self.own[place(group)])
    }

    /// The one server of `kind` that this board uses: its own, or else that of another board.
    ///
    /// # Panics
    /// If there is none, which the placement check excludes.
    pub fn server<P: Protocol>(&self, kind: Kind) -> Address<P> {
        let others = (0..self.checked.boards.len()).filter(|board| *board != self.number);
        for board in std::iter::once(self.number).chain(others) {
            let Some(group) = self.group(board, kind) else { continue };
            if let Some(process) = self.headers[board][usize::from(group.first)] {
                return Address::new(process);
            }
        }
        panic!("no {} to call", kind.name())
    }

    /// All servers of `kind`, on every board.
    pub fn family<P: Protocol>(&self, me: &Me, kind: Kind) -> Family<P> {
        let arena = self.board.arena;
        Family::new(me, arena.put_slice(self.checked.boards.len(), |board| self.servers_on(board, kind)))
    }

    /// All servers of `kind` on this board.
    pub fn local<P: Protocol>(&self, me: &Me, kind: Kind) -> Local<P> {
        Local::new(me, self.servers_on(self.number, kind))
    }

    fn servers_on<P: Protocol>(&self, board: usize, kind: Kind) -> &'static [Address<P>] {
        let Some(group) = self.group(board, kind) else { return &[] };
        let place = usize::from(group.first)..usize::from(group.first + group.count());
        // A board whose servers are not called from here has no stubs: an empty slice.
        let known: Vec<&'static Process> = self.headers[board][place].iter().copied().flatten().collect();
        self.board.arena.put_slice(known.len(), |index| Address::new(known[index]))
    }

    /// The right to interrupt each process of `kind` here.
    pub fn interruptors(&self, kind: Kind) -> &'static [Interruptor] {
        let processes = self.of_kind(kind);
        self.board.arena.put_slice(processes.len(), |index| Interruptor::new(processes[index]))
    }
}
