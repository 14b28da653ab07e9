//! Bytes and records from one side to the other.
//!
//! A record has a header in the ring: its length, and of a datagram the socket that sent it.

use super::SocketProcess;
use super::timeouts::{begin_wait, interruption, unless_interrupted};
use renga_proto::pipe::{READABLE, WRITABLE};
use renga_proto::socket::{
    Deliver, RECEIVE_FLIGHT, RECEIVE_NOW, RECEIVE_PEEK, RECORD_BYTES_MAX, Receive, Received, SHUT_RECEIVE, SHUT_SEND,
    Send, SocketHandle, SocketSide, SocketSort, SocketState,
};
use renga_rt::{Call, Errno, unless_cancelled};

/// Bytes of the header of a record.
const HEADER_BYTES: usize = 11;

fn header(length: usize, from: SocketHandle) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..4].copy_from_slice(&(length as u32).to_le_bytes());
    header[4] = from.board;
    header[5..7].copy_from_slice(&from.number.to_le_bytes());
    header[7..].copy_from_slice(&from.generation.to_le_bytes());
    header
}

fn parsed(header: [u8; HEADER_BYTES]) -> (usize, SocketHandle) {
    let [a, b, c, d, board, low, high, generation @ ..] = header;
    let (number, generation) = (u16::from_le_bytes([low, high]), u32::from_le_bytes(generation));
    (u32::from_le_bytes([a, b, c, d]) as usize, SocketHandle { board, number, generation })
}

impl SocketProcess {
    fn has_records(&self) -> bool {
        self.sort != SocketSort::Stream
    }

    pub(super) fn accept_receive(&mut self, call: Call<Receive>) {
        let Receive { generation, side, flags } = call.entry();
        if let Err(errno) = self.check(generation, side, call.board()) {
            return call.reply(Err(errno));
        }
        if self.sort != SocketSort::Datagram && !matches!(self.state, SocketState::Connecting | SocketState::Connected)
        {
            let unconnected = self.has_records() || self.internet;
            return call.reply(Err(if unconnected { Errno::ENOTCONN } else { Errno::EINVAL }));
        }
        let waits = flags & RECEIVE_NOW == 0 && !self.side(side).nonblocking;
        self.fill(side.other()); // a sender may wait with what it wants
        if !waits && self.side(side).ring.is_empty() && !self.is_over(side) {
            return call.reply(Err(Errno::EAGAIN));
        }
        begin_wait(&call, self.side(side).receive_limit);
        self.side(side).receiving.push_back(call);
    }

    /// Whether a receiver at `side` does not wait though there is nothing.
    fn is_over(&self, side: SocketSide) -> bool {
        let own = &self.sides[side as usize];
        // Datagrams may come from anybody.
        let left = self.sort != SocketSort::Datagram && self.is_left(side);
        own.error != 0 || own.shut & SHUT_RECEIVE != 0 || left
    }

    pub(super) fn accept_send(&mut self, mut call: Call<Send>) {
        let Send { generation, side, nonblocking } = call.entry();
        if let Err(errno) = self.check(generation, side, call.board()) {
            return call.reply(Err(errno));
        }
        if !matches!(self.state, SocketState::Connecting | SocketState::Connected) || self.is_addressed() {
            let broken = self.internet && self.sort == SocketSort::Stream;
            return call.reply(Err(if broken { Errno::EPIPE } else { Errno::ENOTCONN }));
        }
        if let Some(errno) = self.refusal(side) {
            return call.reply(Err(errno));
        }
        let waits = !nonblocking && !self.side(side).nonblocking;
        if waits {
            begin_wait(&call, self.side(side).send_limit);
            return self.side(side).sending.push_back(call);
        }
        let free = self.sides[side as usize].sending.is_empty();
        let records = self.has_records();
        let target = self.side(side.other());
        let bytes = call.lent();
        let fits = if records { bytes.len() + HEADER_BYTES <= target.ring.room() } else { target.ring.room() > 0 };
        if !free || !fits {
            return call.reply(Err(Errno::EAGAIN));
        }
        if records {
            target.ring.push(&header(bytes.len(), SocketHandle::NONE));
        }
        let sent = target.ring.push(bytes);
        target.note_edge(READABLE);
        call.reply(Ok(sent as u32));
    }

    /// Why nothing can be sent from `side`.
    pub(super) fn refusal(&mut self, side: SocketSide) -> Option<Errno> {
        let error = core::mem::take(&mut self.side(side).error);
        if error != 0 {
            return Some(Errno(error));
        }
        let over = self.sides[side as usize].shut & SHUT_SEND != 0 || self.is_left(side);
        over.then_some(match self.sort {
            SocketSort::Datagram if self.is_left(side) => Errno::ECONNREFUSED,
            _ => Errno::EPIPE,
        })
    }

    pub(super) fn accept_delivery(&mut self, mut call: Call<Deliver>) {
        let Deliver { generation, from, nonblocking } = call.entry();
        let held = generation == self.generation.number() && !self.sides[0].references.is_empty();
        let bytes = call.lent().len();
        if !held || self.sort != SocketSort::Datagram {
            return call.reply(Err(if held { Errno::EPROTOTYPE } else { Errno::ECONNREFUSED }));
        }
        let errno = match self.sides[0].shut & SHUT_RECEIVE {
            _ if bytes > RECORD_BYTES_MAX => Errno::EMSGSIZE,
            // A connected socket of the internet gets nothing from others, which do not know.
            _ if self.is_addressed() && self.peer != from && self.internet => return call.reply(Ok(bytes as u32)),
            _ if self.is_addressed() && self.peer != from => Errno::EPERM,
            0 if self.sides[0].ring.room() >= bytes + HEADER_BYTES => {
                self.sides[0].ring.push(&header(bytes, from));
                self.sides[0].ring.push(call.lent());
                self.sides[0].note_edge(READABLE);
                return call.reply(Ok(bytes as u32));
            }
            0 if nonblocking => Errno::EAGAIN,
            0 => return self.delivering.push_back(call),
            _ => Errno::EPIPE,
        };
        call.reply(Err(errno));
    }

    /// Bytes that `side` can receive at once.
    pub(super) fn receivable(&self, side: SocketSide) -> usize {
        let ring = &self.sides[side as usize].ring;
        let mut first = [0; HEADER_BYTES];
        match self.has_records() {
            true if ring.peek(&mut first) == HEADER_BYTES => parsed(first).0,
            _ => ring.len(),
        }
    }

    /// Moves bytes and answers everybody whose wait is over. Each pass answers a waiting call or moves bytes of one.
    pub(super) fn settle(&mut self) {
        for side in [SocketSide::First, SocketSide::Second] {
            loop {
                let filled = self.fill(side.other());
                let drained = self.drain(side);
                if !filled && !drained {
                    break;
                }
            }
        }
        // Those that still do not fit are kept again.
        for _ in 0..self.delivering.len() {
            let Some(call) = self.delivering.pop_front() else { break };
            self.accept_delivery(call);
        }
        self.settle_listener();
        if self.has_flights || self.sides.iter().any(|side| !side.sending_with.is_empty()) {
            self.settle_flights();
        }
    }

    /// Takes bytes of the first sender at `side`; whether anything changed.
    fn fill(&mut self, side: SocketSide) -> bool {
        let Some(mut call) = self.side(side).sending.pop_front() else { return false };
        if let Some(errno) = self.refusal(side) {
            self.end_send(side, call, errno);
            return true;
        }
        let (sent, records) = (self.side(side).sent, self.has_records());
        let rest = &call.lent()[sent..];
        let target = self.side(side.other());
        let length = rest.len();
        let moved = if !records {
            target.ring.push(rest)
        } else if target.ring.room() >= length + HEADER_BYTES {
            target.ring.push(&header(length, SocketHandle::NONE));
            target.ring.push(rest)
        } else {
            self.side(side).sending.push_front(call);
            return false;
        };
        if moved > 0 || records {
            target.note_edge(READABLE);
        }
        if moved == length {
            self.side(side).sent = 0;
            call.reply(Ok((sent + moved) as u32));
            return true;
        }
        self.side(side).sent = sent + moved;
        if moved > 0 {
            // Linux's limit is for each wait of a sender.
            begin_wait(&call, self.side(side).send_limit);
        }
        self.side(side).sending.push_front(call);
        moved > 0
    }

    /// Answers the first sender at `side` early: with what has gone of its bytes, else with `errno`.
    pub(super) fn end_send(&mut self, side: SocketSide, call: Call<Send>, errno: Errno) {
        let sent = core::mem::take(&mut self.side(side).sent);
        call.reply(if sent > 0 { Ok(sent as u32) } else { Err(errno) });
    }

    /// Answers the first receiver at `side` if there is something, or never will be.
    fn drain(&mut self, side: SocketSide) -> bool {
        let own = &self.sides[side as usize];
        if own.receiving.is_empty() || own.ring.is_empty() && !self.is_over(side) {
            return false;
        }
        let records = self.has_records();
        let own = self.side(side);
        let Some(mut call) = own.receiving.pop_front() else { return false };
        if own.ring.is_empty() {
            let error = core::mem::take(&mut own.error);
            let nothing = Received { bytes: 0, length: 0, from: SocketHandle::NONE };
            call.set_taken_used(0);
            call.reply(if error != 0 { Err(Errno(error)) } else { Ok(nothing) });
            return true;
        }
        let Receive { flags, .. } = call.entry();
        let keeps = flags & RECEIVE_PEEK != 0;
        let before = own.ring.len();
        let mut received = if records { take_record(own, &mut call, keeps) } else { take_bytes(own, &mut call, keeps) };
        let flight = own.pass(before - own.ring.len());
        if self.sort != SocketSort::Datagram {
            received.from = if flags & RECEIVE_FLIGHT != 0 { flight } else { SocketHandle::NONE };
        }
        if flags & RECEIVE_FLIGHT == 0 {
            self.drop_flight(flight);
        } else {
            self.note_handed(flight, call.board());
        }
        call.set_taken_used(received.bytes as usize);
        call.reply(Ok(received));
        self.side(side.other()).note_edge(WRITABLE);
        true
    }

    /// Answers every kept call whose caller was interrupted.
    pub(super) fn answer_interrupted(&mut self) {
        let receive_limit = self.sides[0].receive_limit;
        self.accepting.retain(|call| unless_interrupted(call, receive_limit));
        self.offering.retain(unless_cancelled);
        self.delivering.retain(unless_cancelled);
        for side in &mut self.sides {
            let (receive_limit, send_limit) = (side.receive_limit, side.send_limit);
            side.sending_with.retain(|call| unless_interrupted(call, send_limit));
            side.receiving.retain(|call| unless_interrupted(call, receive_limit));
            side.answer_senders(|call| call.wait_cancelled().then(|| interruption(call, send_limit)));
        }
    }
}

impl crate::side::ConnectionSide {
    /// Answers the senders for whom `fails` has an error: with what has gone of their bytes, else with that.
    pub(super) fn answer_senders(&mut self, mut fails: impl FnMut(&Call<Send>) -> Option<Errno>) {
        let (sent, mut first) = (&mut self.sent, true);
        self.sending.retain(|call| {
            // Only the first may have sent a part.
            let first = core::mem::replace(&mut first, false);
            let Some(errno) = fails(&call) else { return Some(call) };
            let sent = if first { core::mem::take(sent) } else { 0 };
            call.reply(if sent > 0 { Ok(sent as u32) } else { Err(errno) });
            None
        });
    }

    /// Puts a message into the ring, of a stream as much of it as fits; how much. None: it does not fit.
    pub(super) fn push_message(&mut self, bytes: &[u8], record: bool) -> Option<usize> {
        if record {
            if self.ring.room() < bytes.len() + HEADER_BYTES {
                return None;
            }
            self.ring.push(&header(bytes.len(), SocketHandle::NONE));
        } else if self.ring.room() == 0 {
            return None;
        }
        Some(self.ring.push(bytes))
    }
}

fn take_bytes(side: &mut crate::side::ConnectionSide, call: &mut Call<Receive>, keeps: bool) -> Received {
    let place = call.lent();
    // At most up to the end of the first message with a flight.
    let room = side.attached.front().map_or(place.len(), |first| first.end.min(place.len()));
    let place = &mut place[..room];
    let bytes = if keeps { side.ring.peek(place) } else { side.ring.pop(place) } as u32;
    Received { bytes, length: bytes, from: SocketHandle::NONE }
}

/// What does not fit of a record is lost with it.
fn take_record(side: &mut crate::side::ConnectionSide, call: &mut Call<Receive>, keeps: bool) -> Received {
    let mut first = [0; HEADER_BYTES];
    side.ring.peek(&mut first);
    let (length, from) = parsed(first);
    let place = call.lent();
    let bytes = length.min(place.len());
    if keeps {
        side.ring.peek_from(HEADER_BYTES, &mut place[..bytes]);
    } else {
        side.ring.skip(HEADER_BYTES);
        side.ring.pop(&mut place[..bytes]);
        side.ring.skip(length - bytes);
    }
    Received { bytes: bytes as u32, length: length as u32, from }
}
