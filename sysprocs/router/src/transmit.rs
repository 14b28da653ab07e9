//! Sending: from the queue to fragments, from fragments to frames, from frames to the device.
//!
//! Invariant: a fragment is built only when the window has room for its frame, straight from the memory of its message,
//! so sending needs no buffers.

use crate::calls::send_queue::SendItem;
use crate::router_memory::{Peer, RouterMemory};
use crate::router_state::Router;
use crate::session::link_session::CONTROL_BYTES_MAX;
use crate::stats::{LinkStats, add};
use renga_phy::Phy;
use renga_rt::account::{AccountNumber, Count};
use renga_wire::of_payload;

/// CRC-32C, by the hardware of a device that has some.
#[inline(always)]
pub(crate) fn checksum<D: Phy>(bytes: &[u8]) -> u32 {
    D::crc32c(bytes).unwrap_or_else(|| of_payload(bytes))
}

/// What became of the attempt to send a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    Yes,
    Nothing,
    Full,
}

impl<D: Phy + 'static> Router<D> {
    /// The boards that [`Router::transmit`] may have a frame for, a bit each; none while the device is full.
    #[inline]
    pub(crate) fn news(&self) -> u8 {
        let peers = if self.transmit_full { &[][..] } else { &*self.memory.peers };
        let others = (0..).zip(peers).filter(|(board, _)| *board != self.board);
        others.fold(0, |news, (board, peer)| news | u8::from(peer.has_news()) << board)
    }

    /// As [`Router::news`], if there may be a frame for `board` only.
    #[inline]
    pub(crate) fn news_for(&self, board: u8) -> u8 {
        let known = usize::from(board) < self.memory.peers.len() && !self.transmit_full;
        u8::from(known).checked_shl(board.into()).unwrap_or(0)
    }

    /// Sends one frame to each of the boards `news`, round robin, until nothing is left or the device is full; then
    /// continues with the board that found it full. The windows bound it.
    pub(crate) fn transmit(&mut self, mut news: u8) {
        // Each round sends a frame or leaves a board out.
        while news != 0 && !self.transmit_full {
            let mut round = news;
            while round != 0 && !self.transmit_full {
                let behind = round >> self.first_board << self.first_board;
                let board = if behind != 0 { behind } else { round }.trailing_zeros() as u8;
                round &= !(1 << board);
                match self.transmit_to(board) {
                    Sent::Yes if self.peer(board).has_news() => {}
                    Sent::Yes | Sent::Nothing => news &= !(1 << board),
                    Sent::Full => (self.first_board, self.transmit_full) = (board, true),
                }
            }
        }
        if self.transmit_interrupt != self.transmit_full {
            self.transmit_interrupt = self.transmit_full;
            self.device.enable_transmit_interrupt(self.transmit_full);
        }
    }

    fn transmit_to(&mut self, board: u8) -> Sent {
        if !self.device.has_room() {
            return Sent::Full; // what is built cannot be overtaken any more
        }
        let again = self.memory.peers[usize::from(board)].session.has_unsent();
        let built = if again { None } else { self.memory.build(board) };
        let session = &mut self.memory.peers[usize::from(board)].session;
        let data_follows = again || built.is_some();
        let sent = if session.has_control(data_follows) {
            self.transmit_control(board, data_follows)
        } else if let Some(frame) = session.unsent_by(checksum::<D>) {
            match self.device.send(board, frame) {
                Ok(()) => {
                    count_sent(self.memory.stats, frame.len());
                    session.set_sent(self.now_ns);
                    Sent::Yes
                }
                Err(_) => Sent::Full,
            }
        } else {
            Sent::Nothing
        };
        // After the sending, which a program waits for.
        if let Some((account, bytes)) = built {
            self.me.count_for(account, Count::LinkFrames, 1);
            self.me.count_for(account, Count::LinkBytes, bytes as i64);
        }
        sent
    }

    /// Sends `board` the frame without data that is due.
    #[inline(never)]
    fn transmit_control(&mut self, board: u8, data_follows: bool) -> Sent {
        let session = &mut self.memory.peers[usize::from(board)].session;
        let mut frame = [0; CONTROL_BYTES_MAX];
        let Some(bytes) = session.control(data_follows, &mut frame) else { return Sent::Nothing };
        if self.device.send(board, &frame[..bytes]).is_err() {
            return Sent::Full;
        }
        session.set_control_sent(self.now_ns);
        add(&self.memory.stats.control_sent, 1);
        count_sent(self.memory.stats, bytes);
        Sent::Yes
    }
}

impl Peer {
    /// Whether there may be anything to send.
    fn has_news(&self) -> bool {
        self.session.has_news() || !self.send_queue.is_empty() && self.session.has_room()
    }
}

impl RouterMemory {
    /// Builds the next frame for `board` if there is anything to send and room in the window: for whom, and the bytes
    /// of its fragment.
    fn build(&mut self, board: u8) -> Option<(AccountNumber, usize)> {
        let peer = &mut self.peers[usize::from(board)];
        let copies = usize::from(board) * self.slots;
        // A job may have become void; bounded by the queue, which only shrinks then.
        while let Some(room) = peer.session.room() {
            let job = peer.send_queue.pop()?;
            let mut account = AccountNumber::SYSTEM;
            let (bytes, more) = match job {
                SendItem::Call(place, _) => {
                    let call = &mut self.out_calls[usize::from(place)];
                    account = call.account;
                    call.build(room)
                }
                SendItem::Interrupt(place, call) => {
                    self.out_calls[usize::from(place)].build_interrupt(board, call, room)
                }
                SendItem::Received(place, call) => self.out_calls[usize::from(place)].build_received(call, room),
                SendItem::Accepted(place) => self.in_calls[usize::from(place)].build_accepted(room),
                SendItem::Reply(place, _) => {
                    let call = &mut self.in_calls[usize::from(place)];
                    account = call.account;
                    call.build(room)
                }
                SendItem::Copy(slot) => self.out_copies[copies + usize::from(slot)].build(slot, room),
                SendItem::Done(slot) => self.in_copies[copies + usize::from(slot)].build_done(slot, room),
            };
            if more {
                peer.send_queue.push(job);
            }
            if bytes > 0 {
                peer.session.build(bytes);
                return Some((account, bytes));
            }
        }
        None
    }
}

fn count_sent(stats: &LinkStats, bytes: usize) {
    add(&stats.frames_sent, 1);
    add(&stats.bytes_sent, bytes as u64);
}
