//! What a poll of a socket finds.

use super::SocketProcess;
use renga_proto::pipe::{ERROR, HANG_UP, PIPE_ATOMIC_BYTES, Polled, READABLE, WRITABLE};
use renga_proto::socket::{
    FLIGHTS_MAX, PEER_SHUT, PollSocket, SHUT_RECEIVE, SHUT_SEND, SocketSide, SocketSort, SocketState,
};
use renga_rt::Errno;

/// If the condition holds, the event.
fn when(condition: bool, event: u32) -> u32 {
    if condition { event } else { 0 }
}

impl SocketProcess {
    fn events(&self, side: SocketSide) -> u32 {
        let (own, other) = (&self.sides[side as usize], &self.sides[side.other() as usize]);
        let error = when(own.error != 0, ERROR);
        let received = when(!own.ring.is_empty() || own.error != 0, READABLE);
        let shut = when(own.shut & SHUT_RECEIVE != 0, READABLE | PEER_SHUT);
        let both = when(own.shut == SHUT_RECEIVE | SHUT_SEND, HANG_UP);
        match self.state {
            SocketState::Listening => when(!self.backlog.is_empty(), READABLE) | shut | both,
            // Without a partner of its own it sends to queues elsewhere.
            _ if self.sort == SocketSort::Datagram && (self.state == SocketState::Fresh || self.is_addressed()) => {
                received | WRITABLE | error | shut | both
            }
            SocketState::Fresh => WRITABLE | HANG_UP | error,
            _ => {
                let hung = match self.sort {
                    SocketSort::Datagram => 0,
                    // Until this side ends, too.
                    _ if self.internet && own.error == 0 => READABLE | PEER_SHUT,
                    _ => READABLE | HANG_UP | PEER_SHUT,
                };
                let left = when(self.is_left(side), WRITABLE | hung);
                let room = other.ring.room() >= PIPE_ATOMIC_BYTES && other.attached.len() < FLIGHTS_MAX;
                let room = when(room, WRITABLE);
                received | room | error | shut | both | left
            }
        }
    }

    /// Whether its datagrams go to another socket.
    pub(super) fn is_addressed(&self) -> bool {
        self.peer.generation != 0
    }

    /// Those of the wanted events that are true; if none is, the caller's program waits.
    pub(super) fn poll(&mut self, poll: PollSocket, board: u8) -> Result<Polled, Errno> {
        let PollSocket { generation, side, events, slot, seen } = poll;
        self.check(generation, side, board)?;
        let found = self.events(side);
        Ok(self.side(side).polled(found, events | ERROR | HANG_UP, seen, (board, slot)))
    }
}
