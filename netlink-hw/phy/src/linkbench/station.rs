//! A board that follows commands, and counts arrivals.
//!
//! Not here: the commands (`lead`).

use super::Measured;
use super::flow::{Coming, DATA_BYTES};
use super::message::{Message, NEXT};
use crate::FRAME_BYTES_MAX;
use renga_wire::bus::BOARDS_MAX;
use renga_wire::{FrameKind, Header, LinkFrame};

/// Frames that are to be sent.
#[derive(Clone, Copy, Default)]
pub struct Stream {
    to: u8,
    until_ns: u64,
    /// Sent until now.
    pub sent: u32,
}

/// One board at a link.
pub struct BenchStation<'a, L> {
    pub(super) link: &'a mut L,
    pub(super) boards: u8,
    pub(super) coming: Coming,
    /// The last one, which may have ended.
    pub(super) stream: Stream,
    /// An answer that the link has no room for yet.
    answer: Option<(u8, Message)>,
    /// The last answer to this board, and its sender.
    pub(super) answered: Option<(u8, Message)>,
    sequence: u8,
    payload: [u8; DATA_BYTES],
    frame: [u8; FRAME_BYTES_MAX],
}

impl<'a, L: Measured> BenchStation<'a, L> {
    /// This board at `link`, one of `boards`.
    ///
    /// # Panics
    /// If there are more boards than a link has, or it is none of them.
    pub fn new(link: &'a mut L, boards: u8) -> Self {
        assert!(link.board() < boards && boards <= BOARDS_MAX, "a link has up to {BOARDS_MAX} boards");
        BenchStation {
            link,
            boards,
            coming: Coming::default(),
            stream: Stream::default(),
            answer: None,
            answered: None,
            sequence: 0,
            payload: core::array::from_fn(|place| (place * 31) as u8),
            frame: [0; FRAME_BYTES_MAX],
        }
    }

    /// Does what is due now, once; a board that follows does this for ever.
    pub fn step(&mut self) {
        let now_ns = self.link.now_ns();
        self.link.attend(now_ns);
        // A frame may have crossed meanwhile.
        let now_ns = self.link.now_ns();
        if let Some(bytes) = self.link.receive(&mut self.frame) {
            self.hear(bytes, now_ns);
        }
        if let Some((to, message)) = self.answer.take()
            && !self.say(to, message)
        {
            self.answer = Some((to, message));
        }
        if self.answer.is_none() && self.is_streaming(now_ns) {
            let Stream { to, sent, .. } = self.stream;
            self.stream.sent += u32::from(self.say(to, Message::Data { number: sent }));
        }
    }

    /// Whether it still sends.
    pub(super) fn is_streaming(&self, now_ns: u64) -> bool {
        now_ns < self.stream.until_ns
    }

    /// Sends frames to `to` for `span_us`, from now on.
    pub(super) fn begin_stream(&mut self, to: u8, span_us: u32, now_ns: u64) {
        let to = if to == NEXT { (self.link.board() + 1) % self.boards } else { to };
        self.stream = Stream { to, until_ns: now_ns + u64::from(span_us) * 1000, sent: 0 };
    }

    /// Gives the link a message; whether it had room.
    pub(super) fn say(&mut self, to: u8, message: Message) -> bool {
        let bytes = message.write(&mut self.payload);
        let source = self.link.board();
        let header = Header { kind: FrameKind::Data, destination: to, source, epoch: 0, sequence: self.sequence };
        let Ok(length) = header.emit(&self.payload[..bytes], &mut self.frame) else {
            unreachable!("a frame has room for its payload")
        };
        self.sequence = self.sequence.wrapping_add(1);
        self.link.send(to, &self.frame[..length]).is_ok()
    }

    /// Forgets what was counted.
    pub(super) fn forget(&mut self) {
        (self.coming, self.stream) = (Coming::default(), Stream::default());
    }

    fn hear(&mut self, bytes: usize, now_ns: u64) {
        let Ok(frame) = LinkFrame::parse(&self.frame[..bytes]) else { return };
        let (source, Some(message)) = (frame.header.source, Message::read(frame.payload)) else { return };
        match message {
            Message::Data { number } => self.coming.take(number, now_ns),
            Message::Stream { to, span_us } => self.begin_stream(to, span_us, now_ns),
            Message::Hello => {
                self.forget();
                self.answer = Some((source, Message::Here));
            }
            Message::Ask => self.answer = Some((source, self.counts())),
            Message::Ping { number } => self.answer = Some((source, Message::Pong { number })),
            Message::Here | Message::Counts { .. } | Message::Pong { .. } => {
                self.answered = Some((source, message));
            }
        }
    }

    /// What it has counted.
    pub(super) fn counts(&mut self) -> Message {
        Message::Counts { flow: self.coming.flow, sent: self.stream.sent, errors: self.link.errors() }
    }
}
