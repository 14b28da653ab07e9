//! The table of a board's socket processes; on the board of the files also that of the names of all sockets.
//!
//! Invariant: a socket is given out once ([`FreeList`]), and a name is one socket's. An orphan is given once to who
//! closes them. Called by: programs' slots, sockets, `closer.rs`. Calls: no server.

use heapless::Vec;
use renga_proto::socket::{NAME_BYTES, SocketHandle};
use renga_proto::socket_table::{
    BindName, BoardDied, FindName, FreeSocket, NextOrphan, Orphan, SocketTable, SocketTableServer, TakeSocket,
    UnbindName,
};
use renga_rt::{Call, CallQueue, Errno, FreeList, Never, Port, Protocol, unless_cancelled};

/// Room for a socket that has a name, or is an orphan. Boot provides one for each socket of all boards.
#[derive(Clone, Debug)]
pub struct NamePlace {
    at: SocketHandle,
    name: Vec<u8, NAME_BYTES>,
    orphan: SocketHandle,
}
impl NamePlace {
    /// None.
    pub const NONE: NamePlace = NamePlace { at: SocketHandle::NONE, name: Vec::new(), orphan: SocketHandle::NONE };

    fn is_free(&self) -> bool {
        self.at.generation == 0
    }
}

struct TableState {
    sockets: FreeList,
    places: &'static mut [NamePlace],
    /// Orphans among `places`.
    orphans: usize,
    closers: CallQueue<NextOrphan>,
}

/// Serves as many sockets as there are `free` places.
pub async fn socket_table(
    mut port: Port<SocketTable>,
    free: &'static mut [u16],
    places: &'static mut [NamePlace],
) -> Never {
    let mut state = TableState { sockets: FreeList::new(free), places, orphans: 0, closers: CallQueue::new() };
    loop {
        if let Some(call) = port.accept_or_notified(SocketTable::ENTRIES).await {
            call.serve(&mut state).await;
        }
        state.closers.retain(unless_cancelled);
        state.give_orphans();
    }
}

impl SocketTableServer for TableState {
    async fn take_socket(&mut self, _: &mut Call<TakeSocket>) -> Result<u16, Errno> {
        self.sockets.take().ok_or(Errno::ENFILE)
    }
    async fn free_socket(&mut self, call: &mut Call<FreeSocket>) -> Result<(), Errno> {
        if self.sockets.give_back(call.entry().socket) { Ok(()) } else { Err(Errno::EINVAL) }
    }
    async fn bind_name(&mut self, call: &mut Call<BindName>) -> Result<(), Errno> {
        let at = call.entry().at;
        let name = Vec::from_slice(call.lent()).map_err(|_| Errno::EINVAL)?;
        if at.generation == 0 || name.is_empty() {
            return Err(Errno::EINVAL);
        }
        if self.places.iter().any(|place| !place.is_free() && place.name == name) {
            return Err(Errno::EADDRINUSE);
        }
        let place = self.places.iter_mut().find(|place| place.is_free()).ok_or(Errno::ENFILE)?;
        (place.at, place.name) = (at, name);
        Ok(())
    }
    async fn find_name(&mut self, call: &mut Call<FindName>) -> Result<SocketHandle, Errno> {
        let name = call.lent();
        let found = self.places.iter().find(|place| !place.is_free() && place.name == *name);
        found.map(|place| place.at).ok_or(Errno::ECONNREFUSED)
    }
    async fn unbind_name(&mut self, call: &mut Call<UnbindName>) -> Result<(), Errno> {
        let at = call.entry().at;
        let place = self.places.iter_mut().find(|place| place.at == at).ok_or(Errno::EINVAL)?;
        place.at = SocketHandle::NONE;
        Ok(())
    }
    async fn orphan(&mut self, call: &mut Call<Orphan>) -> Result<(), Errno> {
        // Each socket is at most one orphan.
        let place = self.places.iter_mut().find(|place| place.orphan.generation == 0).ok_or(Errno::ENFILE)?;
        place.orphan = call.entry().at;
        self.orphans += 1;
        Ok(())
    }
    async fn next_orphan(&mut self, call: Call<NextOrphan>) {
        self.closers.push_back(call);
    }
    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        let board = call.entry().board;
        for place in self.places.iter_mut() {
            if !place.is_free() && place.at.board == board {
                place.at = SocketHandle::NONE;
            }
            if place.orphan.generation != 0 && place.orphan.board == board {
                place.orphan = SocketHandle::NONE;
                self.orphans -= 1;
            }
        }
        Ok(())
    }
}

impl TableState {
    /// Gives waiting closers an orphan each. Bounded by both.
    fn give_orphans(&mut self) {
        while self.orphans > 0 && !self.closers.is_empty() {
            let place = self.places.iter_mut().find(|place| place.orphan.generation != 0);
            let (Some(place), Some(closer)) = (place, self.closers.pop_front()) else { break };
            closer.reply(Ok(core::mem::replace(&mut place.orphan, SocketHandle::NONE)));
            self.orphans -= 1;
        }
    }
}
