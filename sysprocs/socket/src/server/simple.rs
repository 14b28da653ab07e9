//! Transfers of a stream in the most frequent form: nothing happens but that bytes move.
//!
//! Invariant: what is not of that form is left to `transfer.rs`, with the same result.

use super::SocketProcess;
use renga_proto::pipe::{READABLE, WRITABLE};
use renga_proto::socket::{
    RECEIVE_NOW, RECEIVE_PEEK, Receive, Received, Send, SocketHandle, SocketSide, SocketSort, SocketState,
};
use renga_rt::{Call, PAGE_BYTES};

fn received(bytes: usize) -> Received {
    Received { bytes: bytes as u32, length: bytes as u32, from: SocketHandle::NONE }
}

impl SocketProcess {
    /// After a call that is no transfer.
    pub(super) fn note_simple(&mut self) {
        let quiet = self.sides.iter().all(|side| {
            let whole = side.shut == 0 && side.error == 0 && !side.nonblocking && !side.has_limits();
            whole && !side.references.is_empty() && side.attached.is_empty() && side.sending_with.is_empty()
        });
        let stream = self.sort == SocketSort::Stream && self.state == SocketState::Connected;
        self.simple_generation = if quiet && stream { self.generation.number() } else { 0 };
    }

    /// Whether `board` may transfer at `side`, and nobody waits to send from the side `from`.
    #[inline(always)]
    fn is_simple(&self, generation: u32, side: SocketSide, board: u8, from: SocketSide) -> bool {
        generation == self.simple_generation
            && self.sides[side as usize].references.contains(board)
            && self.sides[from as usize].sending.is_empty()
    }

    #[inline(always)]
    pub(super) fn is_simple_receive(&self, call: &Call<Receive>) -> bool {
        let Receive { generation, side, flags } = call.entry();
        let own = &self.sides[side as usize];
        self.is_simple(generation, side, call.board(), side.other())
            && flags & RECEIVE_PEEK == 0
            && own.receiving.is_empty()
            && (!own.ring.is_empty() || flags & RECEIVE_NOW == 0 && !call.wait_cancelled())
    }

    /// There are bytes, or the call waits.
    #[inline(always)]
    pub(super) fn receive_simply(&mut self, mut call: Call<Receive>) {
        let side = call.entry().side;
        let own = self.side(side);
        if own.ring.is_empty() {
            return own.receiving.push_back(call);
        }
        let bytes = own.ring.pop(call.lent());
        call.set_taken_used(bytes);
        call.reply(Ok(received(bytes)));
        self.side(side.other()).note_edge(WRITABLE);
    }

    #[inline(always)]
    pub(super) fn is_simple_send(&self, call: &Call<Send>) -> bool {
        let Send { generation, side, .. } = call.entry();
        self.is_simple(generation, side, call.board(), side)
            && self.sides[side.other() as usize].ring.room() >= PAGE_BYTES
    }

    /// The bytes, a page at most, go to the waiting receiver past the ring; the rest goes into that.
    #[inline(always)]
    pub(super) fn send_simply(&mut self, mut call: Call<Send>) {
        let target = &mut self.sides[call.entry().side.other() as usize];
        let bytes = call.lent();
        let mut given = 0;
        if !bytes.is_empty()
            && target.ring.is_empty()
            && let Some(mut receiver) = target.receiving.pop_front()
        {
            if receiver.entry().flags & RECEIVE_PEEK != 0 {
                target.receiving.push_front(receiver);
                self.accept_send(call);
                return self.settle();
            }
            let place = receiver.lent();
            given = bytes.len().min(place.len());
            // A single byte, as programs that wake each other send it, without a call.
            match (&bytes[..given], &mut place[..given]) {
                ([byte], [place]) => *place = *byte,
                (bytes, place) => place.copy_from_slice(bytes),
            }
            receiver.set_taken_used(given);
            receiver.reply(Ok(received(given)));
        }
        let length = bytes.len();
        if given < length {
            target.ring.push(&bytes[given..]);
            target.note_edge(READABLE);
        }
        call.reply(Ok(length as u32));
        if given < length && !target.receiving.is_empty() {
            self.settle();
        }
    }
}
