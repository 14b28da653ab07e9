//! The sending half of a session: the window of frames, and the control frames.
//!
//! Invariant: a frame stays in the window until it is acknowledged; an acknowledged frame was sent.

use crate::session::link_session::{CONTROL_BYTES_MAX, Gap, Session, SessionState, WINDOW_FRAMES};
use renga_wire::frame::Hello;
use renga_wire::{FrameKind, HEADER_BYTES, Header, PAYLOAD_BYTES_MAX, of_payload};

impl Session {
    /// Everything before `next`, which was sent, has arrived.
    pub(crate) fn acknowledge(&mut self, now_ns: u64, next: u8) {
        let frames = next.wrapping_sub(self.flow.base);
        if frames == 0 {
            return;
        }
        if let Some((_, sent_ns)) = self.flow.timed.take_if(|(number, _)| next.wrapping_sub(*number) <= frames) {
            self.measure(now_ns - sent_ns);
        }
        self.flow.base = next;
        self.flow.built -= frames;
        self.flow.reached -= frames;
        self.flow.sent = self.flow.sent.saturating_sub(frames);
        (self.flow.progress_ns, self.flow.outstanding) = (now_ns, None);
    }

    /// Sends again what is not acknowledged; how many frames.
    pub(crate) fn go_back(&mut self, now_ns: u64) -> u8 {
        (self.flow.progress_ns, self.flow.outstanding, self.flow.timed) = (now_ns, None, None);
        core::mem::take(&mut self.flow.sent)
    }

    /// Whether the window takes another fragment.
    pub fn has_room(&self) -> bool {
        self.state == SessionState::Up && self.flow.built < WINDOW_FRAMES
    }

    /// Whether a frame is to be sent, or may have to be.
    pub fn has_news(&self) -> bool {
        self.has_unsent()
            || self.hello_due
            || self.flow.ask_due
            || self.flow.acknowledge_now
            || self.flow.gap == Gap::Seen
    }

    /// Room for the next fragment, if the window has any.
    pub fn room(&mut self) -> Option<&mut [u8]> {
        if !self.has_room() {
            return None;
        }
        let slot = &mut self.window[usize::from(self.flow.base.wrapping_add(self.flow.built) % WINDOW_FRAMES)];
        Some(&mut slot.bytes[HEADER_BYTES + 1..HEADER_BYTES + PAYLOAD_BYTES_MAX])
    }

    /// Adds the frame whose fragment of `bytes` stands in [`Session::room`].
    pub fn build(&mut self, bytes: usize) {
        let slot = &mut self.window[usize::from(self.flow.base.wrapping_add(self.flow.built) % WINDOW_FRAMES)];
        (slot.payload_bytes, slot.frame_bytes) = (1 + bytes as u16, 0);
        self.flow.built += 1;
    }

    /// Whether a frame waits to be sent, or sent again.
    pub fn has_unsent(&self) -> bool {
        self.flow.sent < self.flow.built
    }

    /// The next frame to send.
    pub fn unsent(&mut self) -> Option<&[u8]> {
        self.unsent_by(of_payload)
    }

    /// As [`Session::unsent`], where `crc32c` computes the payload's checksum.
    #[inline(always)]
    pub(crate) fn unsent_by(&mut self, crc32c: impl FnOnce(&[u8]) -> u32) -> Option<&[u8]> {
        if !self.has_unsent() {
            return None;
        }
        let sequence = self.flow.base.wrapping_add(self.flow.sent);
        let slot = &mut self.window[usize::from(sequence % WINDOW_FRAMES)];
        if slot.frame_bytes == 0 || slot.bytes[HEADER_BYTES] != self.flow.expected {
            slot.bytes[HEADER_BYTES] = self.flow.expected;
            let header =
                Header { kind: FrameKind::Data, destination: self.peer, source: self.me, epoch: self.epoch, sequence };
            let Ok(bytes) = header.seal_by(usize::from(slot.payload_bytes), &mut slot.bytes, crc32c) else {
                unreachable!("a fragment fits into a frame")
            };
            slot.frame_bytes = bytes as u16;
        }
        Some(&slot.bytes[..usize::from(slot.frame_bytes)])
    }

    /// The device has taken the frame of [`Session::unsent`].
    pub fn set_sent(&mut self, now_ns: u64) {
        if !self.is_awaited() {
            self.flow.received_ns = self.flow.received_ns.max(now_ns);
        }
        if self.flow.sent == 0 {
            self.flow.progress_ns = now_ns;
        }
        if self.flow.sent == self.flow.reached {
            self.flow.timed.get_or_insert((self.flow.base.wrapping_add(self.flow.sent), now_ns));
            self.flow.reached += 1;
        }
        self.flow.sent += 1;
        self.set_acknowledged();
    }

    fn set_acknowledged(&mut self) {
        (self.flow.unacknowledged, self.flow.acknowledge_now, self.flow.acknowledge_at_ns) = (0, false, None);
    }

    /// Whether [`Session::control`] has a frame.
    #[inline]
    pub(crate) fn has_control(&self, data_follows: bool) -> bool {
        self.hello_due || self.flow.ask_due || self.flow.gap == Gap::Seen || self.flow.acknowledge_now && !data_follows
    }

    /// The control frame that is due, written into `out`: its length, bytes. `data_follows`: a data
    /// frame will go now, and takes the acknowledgement with it.
    pub fn control(&self, data_follows: bool, out: &mut [u8; CONTROL_BYTES_MAX]) -> Option<usize> {
        let kind = if self.hello_due || self.flow.ask_due {
            FrameKind::Hello
        } else if self.flow.gap == Gap::Seen {
            FrameKind::Nak
        } else if self.flow.acknowledge_now && !data_follows {
            FrameKind::Ack
        } else {
            return None;
        };
        let (destination, source, epoch, sequence) = (self.peer, self.me, self.epoch, self.flow.expected);
        let header = Header { kind, destination, source, epoch, sequence };
        let asks = self.flow.ask_due || self.state != SessionState::Up;
        let (question, answers) = (self.flow.question, self.flow.heard_question);
        let hello = Hello { known: self.peer_epoch, asks, question, answers }.to_bytes();
        let payload = if kind == FrameKind::Hello { &hello[..] } else { &[] };
        header.emit(payload, out).ok()
    }

    /// The device has taken the frame of [`Session::control`].
    pub fn set_control_sent(&mut self, now_ns: u64) {
        if self.hello_due || self.flow.ask_due {
            (self.hello_due, self.flow.ask_due, self.hello_sent_ns) = (false, false, Some(now_ns));
        } else {
            if self.flow.gap == Gap::Seen {
                self.flow.gap = Gap::Reported;
            }
            self.set_acknowledged();
        }
    }
}
