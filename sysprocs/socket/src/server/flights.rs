//! Messages with descriptors in flight.
//!
//! Invariant: a side has the flight of each message that its ring has; what leaves the ring unreceived is dropped, and
//! the table of the flight's board hears of it by an errand.

use super::{SocketProcess, TABLE};
use crate::side::Attached;
use renga_proto::pipe::READABLE;
use renga_proto::socket::{FLIGHTS_MAX, SendWith, SocketHandle, SocketSide, SocketSort, SocketState};
use renga_proto::socket_table::{AddErrand, Errand, ErrandKind, SocketTable};
use renga_rt::{Call, Errno, Local};

impl SocketProcess {
    pub(super) fn accept_flight(&mut self, mut call: Call<SendWith>) {
        let SendWith { generation, side, nonblocking, flight } = call.entry();
        let refused = match self.check(generation, side, call.board()) {
            Err(errno) => Some(errno),
            Ok(()) if flight.board != call.board() => Some(Errno::EINVAL),
            Ok(()) if self.sort == SocketSort::Datagram => Some(Errno::EOPNOTSUPP),
            Ok(()) if !matches!(self.state, SocketState::Connecting | SocketState::Connected) => Some(Errno::ENOTCONN),
            Ok(()) => self.refusal(side),
        };
        if let Some(errno) = refused {
            return call.reply(Err(errno));
        }
        let others = !self.sides[side as usize].sending.is_empty();
        let waits = !nonblocking && !self.side(side).nonblocking;
        let target = &mut self.sides[side.other() as usize];
        let start = target.ring.len();
        let sent = if others || target.attached.len() == FLIGHTS_MAX {
            None
        } else {
            target.push_message(call.lent(), self.sort != SocketSort::Stream)
        };
        let Some(sent) = sent else {
            if !waits {
                return call.reply(Err(Errno::EAGAIN));
            }
            self.has_flights = true; // also if its caller is interrupted
            return self.side(side).sending_with.push_back(call);
        };
        let end = target.ring.len();
        // There is room: see above.
        let _ = target.attached.push_back(Attached { start, end, flight });
        (self.has_flights, self.simple_generation) = (true, 0);
        target.note_edge(READABLE);
        call.reply(Ok(sent as u32));
    }

    /// Sends those that waited; those that still do not fit are kept again.
    pub(super) fn settle_flights(&mut self) {
        for side in [SocketSide::First, SocketSide::Second] {
            for _ in 0..self.side(side).sending_with.len() {
                let Some(call) = self.side(side).sending_with.pop_front() else { break };
                // Its board had the side when it called: that ended, not the board.
                match self.check(call.entry().generation, side, call.board()) {
                    Ok(()) => self.accept_flight(call),
                    Err(_) => call.reply(Err(Errno::EPIPE)),
                }
            }
        }
        if self.has_flights && self.sides.iter().all(|side| side.attached.is_empty() && side.sending_with.is_empty()) {
            self.has_flights = false;
            self.note_simple();
        }
    }

    /// Nobody receives the flight.
    pub(super) fn drop_flight(&mut self, flight: SocketHandle) {
        if flight != SocketHandle::NONE {
            // It has room for those of both sides and those handed out, and is empty after each call.
            let _ = self.dropped.push(flight);
        }
    }

    /// A program of `board` is given the flight, and takes it next.
    pub(super) fn note_handed(&mut self, flight: SocketHandle, board: u8) {
        if flight == SocketHandle::NONE || flight.board == board {
            return; // with the board the references are gone
        }
        if self.handed.is_full() {
            self.handed.pop_front();
        }
        let _ = self.handed.push_back((flight, board)); // there is room
    }

    /// What the dead board was given is over, if it has not taken it: of a flight that is over the table says so.
    pub(super) fn drop_handed(&mut self, dead: u8) {
        for _ in 0..self.handed.len() {
            let Some((flight, board)) = self.handed.pop_front() else { break };
            if board == dead {
                self.drop_flight(flight);
            } else if flight.board != dead {
                let _ = self.handed.push_back((flight, board)); // it was there
            }
        }
    }

    /// Nobody receives what the side was sent.
    pub(super) fn drop_flights(&mut self, side: SocketSide) {
        while let Some(Attached { flight, .. }) = self.side(side).attached.pop_front() {
            self.drop_flight(flight);
        }
    }

    /// Reports the flights that nobody received.
    pub(super) async fn end_dropped(&mut self, table: &mut Local<SocketTable, TABLE>) {
        let Some(mut table) = table.at(0) else { return };
        while let Some(at) = self.dropped.pop() {
            // It has room for all flights.
            let _ = table.call(AddErrand { errand: Errand { at, kind: ErrandKind::EndFlight } }, ()).await;
        }
    }
}
