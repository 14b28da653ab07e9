//! The table of a board's socket processes and of its ports; on the board of the files also that of all other names.
//!
//! Invariant: a socket is given out once ([`FreeList`]), and a name is one socket's, unless all who have it share it.
//! An errand is given once to who does them. Called by: programs' slots, sockets, `closer.rs`. Calls: no server.

use crate::flights::{Flight, Flights};
use heapless::Vec;
use renga_proto::internet::{breadth, is_port, names_clash};
use renga_proto::socket::{NAME_BYTES, SocketHandle, SocketSort};
use renga_proto::socket_table::{
    AddErrand, AddFlight, BindName, BoardDied, EndFlight, Errand, ErrandKind, FindName, FreeSocket, NOBODY, NextErrand,
    SocketTable, SocketTableServer, TakeFlight, TakeSocket, UnbindName,
};
use renga_rt::{Call, CallQueue, Errno, FreeList, Me, Never, Port, Protocol, unless_cancelled};

/// Room for a socket that has a name. Boot provides one for each socket of all boards.
#[derive(Clone, Debug)]
pub struct SocketName {
    at: SocketHandle,
    sort: SocketSort,
    sharer: u32,
    listens: bool,
    name: Vec<u8, NAME_BYTES>,
}
impl SocketName {
    /// None.
    pub const NONE: SocketName = SocketName {
        at: SocketHandle::NONE,
        sort: SocketSort::Stream,
        sharer: NOBODY,
        listens: false,
        name: Vec::new(),
    };

    fn is_free(&self) -> bool {
        self.at.generation == 0
    }
    /// Whether a socket of that sort cannot have the name beside this one. Abstract names are apart by sort.
    fn clashes(&self, name: &[u8], sort: SocketSort) -> bool {
        !self.is_free() && names_clash(&self.name, name) && (self.sort == sort || !is_abstract(name))
    }
}

/// Whether it is the name of an abstract address of `AF_UNIX`.
fn is_abstract(name: &[u8]) -> bool {
    name.first() == Some(&0)
}

struct TableState {
    board: u8,
    sockets: FreeList,
    places: &'static mut [SocketName],
    errands: &'static mut [Errand],
    waiting: CallQueue<NextErrand>,
    flights: Flights,
    /// How many names were found, so that sockets that share one take turns.
    found: usize,
}

/// Serves as many sockets as there are `free` places.
pub async fn socket_table(
    me: Me,
    mut port: Port<SocketTable>,
    free: &'static mut [u16],
    places: &'static mut [SocketName],
    errands: &'static mut [Errand],
    flights: &'static mut [Flight],
    boot: u8,
) -> Never {
    let (sockets, waiting, flights) = (FreeList::new(free), CallQueue::new(), Flights::new(flights, boot));
    let board = me.id().board.0;
    let mut state = TableState { board, sockets, places, errands, waiting, flights, found: 0 };
    loop {
        if let Some(call) = port.accept_or_notified(SocketTable::ENTRIES).await {
            call.serve(&mut state).await;
        }
        state.waiting.retain(unless_cancelled);
        state.give_errands();
    }
}

impl SocketTableServer for TableState {
    async fn take_socket(&mut self, _: &mut Call<TakeSocket>) -> Result<u16, Errno> {
        self.sockets.take().ok_or(Errno::ENFILE)
    }
    async fn free_socket(&mut self, call: &mut Call<FreeSocket>) -> Result<(), Errno> {
        let (socket, board) = (call.entry().socket, call.board());
        for place in self.places.iter_mut().filter(|place| (place.at.board, place.at.number) == (board, socket)) {
            place.at = SocketHandle::NONE;
        }
        if self.sockets.give_back(socket) { Ok(()) } else { Err(Errno::EINVAL) }
    }
    async fn bind_name(&mut self, call: &mut Call<BindName>) -> Result<(), Errno> {
        let BindName { at, sort, sharer } = call.entry();
        let name = Vec::from_slice(call.lent()).map_err(|_| Errno::EINVAL)?;
        // Ports are of sockets of this board, which frees them.
        if name.is_empty() {
            self.places.iter_mut().filter(|place| place.at == at).for_each(|place| place.listens = true);
            return Ok(());
        }
        if at.generation == 0 || is_port(&name) && at.board != self.board {
            return Err(Errno::EINVAL);
        }
        if self.places.iter().any(|place| place.clashes(&name, sort) && !(sharer != NOBODY && sharer == place.sharer)) {
            return Err(Errno::EADDRINUSE);
        }
        let place = self.places.iter_mut().find(|place| place.is_free()).ok_or(Errno::ENFILE)?;
        *place = SocketName { at, sort, sharer, listens: false, name };
        Ok(())
    }
    async fn find_name(&mut self, call: &mut Call<FindName>) -> Result<SocketHandle, Errno> {
        let sort = call.entry().sort;
        let name = call.lent();
        let (mut found, mut least, mut turn) = (None, (true, u32::MAX), 0);
        for place in self.places.iter().filter(|place| place.clashes(name, sort)) {
            // Who listens is found first.
            let rank = (!place.listens, breadth(&place.name));
            turn = if rank < least { 0 } else { turn + usize::from(rank == least) };
            // Those that share it take turns.
            if rank < least || rank == least && self.found % (turn + 1) == turn {
                (found, least) = (Some(place), rank);
            }
        }
        let found = found.ok_or(Errno::ECONNREFUSED)?;
        let (at, of_sort) = (found.at, found.sort);
        self.found = self.found.wrapping_add(1);
        if of_sort == sort { Ok(at) } else { Err(Errno::EPROTOTYPE) }
    }
    async fn unbind_name(&mut self, call: &mut Call<UnbindName>) -> Result<(), Errno> {
        let (at, by) = (call.entry().at, call.board());
        let place = self.places.iter_mut().find(|place| place.at == at).ok_or(Errno::EINVAL)?;
        // Another board may find the name of a socket that is closed before the errand to free it is done; no port.
        if is_port(&place.name) && by != self.board {
            return Err(Errno::EPERM);
        }
        place.at = SocketHandle::NONE;
        Ok(())
    }
    async fn add_errand(&mut self, call: &mut Call<AddErrand>) -> Result<(), Errno> {
        let errand = call.entry().errand;
        let free = self.errands.iter().filter(|place| place.at.generation == 0).count();
        // Each socket is nobody's at most once; a name that stays is found out to be nobody's by who wants it.
        if errand.kind == ErrandKind::Unbind && free <= self.errands.len() / 2 {
            return Err(Errno::ENFILE);
        }
        let place = self.errands.iter_mut().find(|place| place.at.generation == 0).ok_or(Errno::ENFILE)?;
        *place = errand;
        Ok(())
    }
    async fn next_errand(&mut self, call: Call<NextErrand>) {
        self.waiting.push_back(call);
    }
    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        let board = call.entry().board;
        for place in self.places.iter_mut() {
            if !place.is_free() && place.at.board == board {
                place.at = SocketHandle::NONE;
            }
        }
        for errand in self.errands.iter_mut().filter(|errand| errand.at.board == board) {
            *errand = Errand::NONE;
        }
        self.flights.lose_board(board);
        Ok(())
    }
    async fn add_flight(&mut self, call: &mut Call<AddFlight>) -> Result<SocketHandle, Errno> {
        let (add, owner) = (call.entry(), call.board());
        self.flights.add(call.lent(), owner, add)
    }
    async fn take_flight(&mut self, call: &mut Call<TakeFlight>) -> Result<u32, Errno> {
        let (TakeFlight { number, generation }, board) = (call.entry(), call.board());
        let length = self.flights.take((number, generation), board, call.lent())?;
        call.set_taken_used(length);
        Ok(length as u32)
    }
    async fn end_flight(&mut self, call: &mut Call<EndFlight>) -> Result<(), Errno> {
        let EndFlight { number, generation } = call.entry();
        self.flights.end((number, generation), call.board())
    }
}

impl TableState {
    /// Gives who waits an errand each. Bounded by both.
    fn give_errands(&mut self) {
        while !self.waiting.is_empty()
            && let Some(errand) = self.errands.iter_mut().find(|errand| errand.at.generation != 0)
            && let Some(call) = self.waiting.pop_front()
        {
            call.reply(Ok(core::mem::replace(errand, Errand::NONE)));
        }
        while !self.waiting.is_empty()
            && let Some(errand) = self.flights.next_over()
            && let Some(call) = self.waiting.pop_front()
        {
            call.reply(Ok(errand));
        }
    }
}
