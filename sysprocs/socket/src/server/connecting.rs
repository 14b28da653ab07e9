//! Listening, connecting, accepting, and the end of a side.
//!
//! Invariant: a connection that is offered has one reference more to its second side, of its listener's board, until
//! somebody accepts it or the offer fails.

use super::SocketProcess;
use renga_proto::pipe::{ERROR, HANG_UP, READABLE, WRITABLE};
use renga_proto::socket::{
    Accept, Accepted, BACKLOG_MAX, Offer, PEER_SHUT, SHUT_RECEIVE, SHUT_SEND, SocketSide, SocketSort, SocketState,
};
use renga_rt::{Call, Errno};

/// Events of a side whose partner has gone or ended a direction.
const LEFT: u32 = READABLE | WRITABLE | ERROR | HANG_UP | PEER_SHUT;

impl SocketProcess {
    pub(super) fn begin_listening(&mut self, backlog: u32, pid: u32) -> Result<(), Errno> {
        if self.sort == SocketSort::Datagram {
            return Err(Errno::EOPNOTSUPP);
        }
        if !matches!(self.state, SocketState::Fresh | SocketState::Listening) || self.sides[0].address.is_empty() {
            return Err(Errno::EINVAL);
        }
        self.state = SocketState::Listening;
        self.sides[0].pid = pid;
        self.backlog_max = (backlog as usize).saturating_add(1).min(BACKLOG_MAX);
        Ok(())
    }

    pub(super) fn begin_connecting(&mut self, board: u8, pid: u32) -> Result<(), Errno> {
        match self.state {
            SocketState::Fresh if self.sort != SocketSort::Datagram => {}
            SocketState::Connecting | SocketState::Connected => return Err(Errno::EISCONN),
            _ => return Err(Errno::EINVAL),
        }
        if !self.sides[1].references.add(board) {
            return Err(Errno::EINVAL);
        }
        (self.state, self.pending, self.sides[0].pid) = (SocketState::Connecting, true, pid);
        Ok(())
    }

    pub(super) fn end_connecting(&mut self, pid: u32) -> Result<(), Errno> {
        if self.state != SocketState::Connecting {
            return Err(Errno::EINVAL);
        }
        if pid != 0 {
            (self.state, self.sides[1].pid) = (SocketState::Connected, pid);
            self.sides[0].note_edge(WRITABLE);
            return Ok(());
        }
        self.drop_flights(SocketSide::Second);
        self.sides[1].reset(0);
        (self.state, self.pending) = (SocketState::Fresh, false);
        Ok(())
    }

    pub(super) fn accept_offer(&mut self, call: Call<Offer>) {
        let Offer { generation, offered, sort, nonblocking } = call.entry();
        if generation != self.generation.number() || !self.listens() {
            return call.reply(Err(Errno::ECONNREFUSED));
        }
        if sort != self.sort {
            return call.reply(Err(Errno::EPROTOTYPE));
        }
        let full = self.backlog.len() >= self.backlog_max;
        if !full && self.backlog.push_back(offered).is_ok() {
            call.reply(Ok(self.sides[0].pid));
            self.sides[0].note_edge(READABLE);
        } else if nonblocking {
            call.reply(Err(Errno::EAGAIN));
        } else {
            self.offering.push_back(call);
        }
    }

    pub(super) fn accept_connection(&mut self, call: Call<Accept>, nonblocking: bool) {
        if self.sort == SocketSort::Datagram {
            call.reply(Err(Errno::EOPNOTSUPP));
        } else if !self.listens() {
            call.reply(Err(Errno::EINVAL));
        } else if self.backlog.is_empty() && (nonblocking || self.sides[0].nonblocking) {
            call.reply(Err(Errno::EAGAIN));
        } else {
            self.accepting.push_back(call);
        }
    }

    fn listens(&self) -> bool {
        let side = &self.sides[0];
        self.state == SocketState::Listening && !side.references.is_empty() && side.shut & SHUT_RECEIVE == 0
    }

    /// Gives connections to who accepts, and lets more in. Bounded by both queues.
    pub(super) fn settle_listener(&mut self) {
        let listens = self.listens();
        while !listens && let Some(call) = self.accepting.pop_front() {
            call.reply(Err(Errno::EINVAL));
        }
        while !self.backlog.is_empty()
            && let Some(call) = self.accepting.pop_front()
            && let Some(offered) = self.backlog.pop_front()
        {
            call.reply(Ok(Accepted { connection: offered, options: self.sides[0].options().len() as u32 }));
        }
        // Those that still do not fit are kept again.
        for _ in 0..self.offering.len() {
            let Some(call) = self.offering.pop_front() else { break };
            self.accept_offer(call);
        }
    }

    /// The board of somebody who accepts has the second side.
    pub(super) fn take_second(&mut self, generation: u32, listener: u8, board: u8) -> Result<(), Errno> {
        if generation != self.generation.number() || !self.pending || !self.sides[1].references.contains(listener) {
            return Err(Errno::ESTALE);
        }
        if !self.sides[1].references.add(board) {
            return Err(Errno::ENFILE);
        }
        self.pending = false;
        let _ = self.sides[1].references.remove(listener); // it has one
        Ok(())
    }

    pub(super) fn shut(&mut self, side: SocketSide, how: u32) -> Result<(), Errno> {
        if self.state == SocketState::Listening {
            self.sides[0].shut |= how;
            self.sides[0].note_edge(LEFT);
            return Ok(());
        }
        if !matches!(self.state, SocketState::Connecting | SocketState::Connected) {
            return Err(Errno::ENOTCONN);
        }
        self.side(side).shut |= how;
        if self.peer.generation == 0 {
            // Of the internet, who receives no more tells nobody.
            let across = if how & SHUT_SEND != 0 { SHUT_RECEIVE } else { 0 }
                | if how & SHUT_RECEIVE != 0 && !self.internet { SHUT_SEND } else { 0 };
            self.side(side.other()).shut |= across;
            self.side(side.other()).note_edge(LEFT);
        }
        self.side(side).note_edge(LEFT);
        Ok(())
    }

    /// After a call: what the end of a side means for the other, `had` being who had one before; and notes the boards
    /// that have sides.
    pub(super) fn note_left(&mut self, had: [bool; 2]) {
        let (sort, connected) = (self.sort, self.state != SocketState::Listening && !self.is_addressed());
        for side in [SocketSide::First, SocketSide::Second] {
            if !had[side as usize] || !self.sides[side as usize].references.is_empty() || !connected {
                continue;
            }
            // Nor was it accepted: its listener was closed.
            let unread = !self.sides[side as usize].ring.is_empty() || side == SocketSide::Second && self.pending;
            self.side(side).ring.clear();
            self.drop_flights(side);
            if side == SocketSide::First && self.state == SocketState::Connecting {
                // Nobody else knows of the connection for sure.
                self.drop_flights(SocketSide::Second);
                self.sides[1].reset(0);
            }
            let other = self.side(side.other());
            if unread && sort != SocketSort::Datagram {
                other.error = renga_rt::Errno::ECONNRESET.0;
            }
            other.note_edge(LEFT);
        }
        let boards = self.sides[0].references.boards() | self.sides[1].references.boards();
        self.watch.change(core::mem::replace(&mut self.watched, boards), boards);
    }
}
