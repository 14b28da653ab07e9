//! Receiving a frame: arming, words, the answer in the poll word.
//!
//! Invariant: a word is acknowledged only when it is in memory; whoever is not addressed lets go of the
//! lines after the header; however it ends, all lines of the handshake are released.

use super::bus::{Handshake, PinBus};
use super::error::BusError;
use super::test::View;
use super::wiring::{Line, gather, outputs, spread};
use crate::FRAME_BYTES_MAX;
use renga_hal::gpio::PinBank;
use renga_wire::bus::{Answers, BOARDS_MAX, Poll};
use renga_wire::frame::{HEADER_BYTES, frame_bytes};
use renga_wire::{Frame, Header, Kind};

const ACCEPTED: u32 = Line::NotAccepted.mask();
const READY: u32 = Line::NotReady.mask();
const ACCEPTED_OUT: u32 = outputs(ACCEPTED, 0);
const READY_OUT: u32 = outputs(READY, 0);
const STROBE: u32 = Line::Strobe.mask();
const ATTENTION: u32 = Line::Attention.mask();

/// Readings between two looks at the clock.
const READS_BETWEEN_CLOCKS: u32 = 32;
/// Readings of the data after the strobe until two agree.
const READINGS_MAX: u32 = 8;

/// What was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// An intact frame of so many bytes that is for this board or names it as its source.
    Frame(usize),
    /// A frame for others, or one that was damaged or refused; its header was intact.
    Nothing,
    /// The patterns of a test.
    Test(View),
}

/// The state of a frame being received.
struct Ear {
    /// The strobe's level that marks the next transfer.
    edge: u32,
    /// Two readings of a transfer differed: the frame is damaged.
    differs: bool,
}

impl<G: PinBank> PinBus<G> {
    /// Whether levels, read twice, say that a frame begins: attention and not-ready low, strobe high.
    pub const fn frame_begins(levels: u32) -> bool {
        levels & (ATTENTION | READY | STROBE) == STROBE
    }

    /// Receives the frame that begins now (see [`PinBus::frame_begins`]) and answers it as `answers` says;
    /// `room`: it may be kept in `into`.
    ///
    /// # Errors
    /// Why there was none, after at most [`super::Timing::listener_bound_ns`].
    pub fn listen(
        &mut self,
        into: &mut [u8; FRAME_BYTES_MAX],
        room: bool,
        answers: &Answers,
    ) -> Result<Heard, BusError> {
        // A request of this board's ends here: attention is the talker's now.
        self.change(ACCEPTED, ATTENTION);
        self.frame_end_ns = self.gpio.now_ns() + self.timing.arm_ns + self.timing.frame_ns;
        let heard = self.hear(into, room, answers);
        self.release();
        heard
    }

    fn hear(&mut self, into: &mut [u8; FRAME_BYTES_MAX], room: bool, answers: &Answers) -> Result<Heard, BusError> {
        let mut ear = Ear { edge: 0, differs: false };
        let first = self.strobe(0, ATTENTION)?;
        if let Some(rest) = self.first_word(first, &mut ear, into)? {
            return self.hear_test(rest).map(Heard::Test);
        }
        for at in [2, 4] {
            let word = self.word(&mut ear, |_| true)?;
            into[at..at + 2].copy_from_slice(&word.to_le_bytes());
        }
        let mut head = None;
        self.word(&mut ear, |word| {
            into[6..8].copy_from_slice(&word.to_le_bytes());
            head = into.first_chunk::<HEADER_BYTES>().and_then(|head| Header::open(head).ok());
            head.is_some_and(|(header, _)| concerns(&header, answers))
        })?;
        let (header, payload_bytes) = head.ok_or(BusError::HeaderDamaged)?;
        if !concerns(&header, answers) {
            return Ok(Heard::Nothing);
        }
        let bytes = frame_bytes(payload_bytes);
        for pair in into[HEADER_BYTES..bytes].as_chunks_mut::<2>().0 {
            *pair = self.word(&mut ear, |_| true)?.to_le_bytes();
        }
        if ear.edge != 0 {
            self.word(&mut ear, |_| true)?;
        }
        let frame = Frame::parse(&into[..bytes]).ok().filter(|_| !ear.differs);
        let poll = match &frame {
            Some(frame) => answers.to(&frame.header, frame.payload, room),
            None => Poll(0),
        };
        let ours = frame.is_some_and(|frame| meant(&frame.header, answers) && frame.header.kind != Kind::Poll);
        self.answer(poll)?;
        Ok(if ours && room { Heard::Frame(bytes) } else { Heard::Nothing })
    }

    /// The first word, whose strobe was seen with `levels`. A test keeps attention low after it and is
    /// told by its first pattern.
    fn first_word(
        &mut self,
        levels: u32,
        ear: &mut Ear,
        into: &mut [u8; FRAME_BYTES_MAX],
    ) -> Result<Option<u16>, BusError> {
        let (wires, transfers) = (self.wiring.width.wires(), self.wiring.width.transfers());
        let mut word = gather(self.again(levels, ear) & self.data);
        self.change(READY, ACCEPTED);
        let after = self.strobe(STROBE, 0)?;
        if after & ATTENTION == 0 && self.levels() & (ATTENTION | STROBE) == STROBE {
            return Ok(Some(word));
        }
        match self.wiring.handshake {
            Handshake::ThreeWire => self.change(ACCEPTED, READY),
            Handshake::TwoEdge => ear.edge = STROBE,
        }
        for transfer in 1..transfers {
            let last = transfer + 1 == transfers;
            word |= self.transfer(ear, last, |_| true)? << (transfer * wires);
        }
        into[..2].copy_from_slice(&word.to_le_bytes());
        Ok(None)
    }

    /// One word. `stay` says, when the word is there, whether this board goes on listening.
    #[inline]
    fn word(&mut self, ear: &mut Ear, stay: impl FnOnce(u16) -> bool) -> Result<u16, BusError> {
        let (wires, transfers) = (self.wiring.width.wires(), self.wiring.width.transfers());
        let mut word = 0;
        for transfer in 0..transfers - 1 {
            word |= self.transfer(ear, false, |_| true)? << (transfer * wires);
        }
        let shift = (transfers - 1) * wires;
        let last = self.transfer(ear, true, |part| stay(word | part << shift))?;
        Ok(word | last << shift)
    }

    #[inline]
    fn transfer(&mut self, ear: &mut Ear, last: bool, stay: impl FnOnce(u16) -> bool) -> Result<u16, BusError> {
        let levels = self.strobe(ear.edge, 0)?;
        if levels & ATTENTION == 0 {
            return Err(BusError::Abandoned);
        }
        let pins = self.data;
        match self.wiring.handshake {
            Handshake::ThreeWire => {
                // The data had settled before the strobe; the second reading is made while the
                // acknowledgement travels, and a difference is told in the poll word.
                self.change_outputs(READY_OUT, ACCEPTED_OUT);
                let word = gather(levels & pins);
                let stays = !last || stay(word);
                self.strobe_ends(levels, ear)?;
                self.change_outputs(if stays { ACCEPTED_OUT } else { 0 }, READY_OUT);
                Ok(word)
            }
            Handshake::TwoEdge => {
                let word = gather(self.again(levels, ear) & pins);
                let stays = !last || stay(word);
                let (free, hold) = if ear.edge == 0 { (ACCEPTED_OUT, READY_OUT) } else { (READY_OUT, ACCEPTED_OUT) };
                self.change_outputs(if stays { hold } else { 0 }, if stays { free } else { free | hold });
                ear.edge ^= STROBE;
                Ok(word)
            }
        }
    }

    /// Reads the data again until two readings agree.
    #[inline]
    fn again(&mut self, levels: u32, ear: &mut Ear) -> u32 {
        let pins = self.data;
        let mut before = levels;
        for _ in 0..READINGS_MAX {
            let now = self.gpio.levels();
            if (now ^ before) & pins == 0 {
                return now;
            }
            before = now;
        }
        ear.differs = true;
        before
    }

    /// Waits for the strobe to be `level` (its mask, or 0). `attention`: attention must stay low until then;
    /// else low attention and a high strobe, twice, mean that the talker has given up.
    #[inline]
    fn strobe(&mut self, level: u32, attention: u32) -> Result<u32, BusError> {
        let (mut end_ns, mut strange) = (None, false);
        loop {
            for _ in 0..READS_BETWEEN_CLOCKS {
                let levels = self.gpio.levels();
                if levels & STROBE == level {
                    return Ok(levels);
                }
                let gave_up = levels & (ATTENTION | STROBE) == STROBE | attention;
                if gave_up && strange {
                    return Err(BusError::Abandoned);
                }
                strange = gave_up;
            }
            self.look_at_clock(&mut end_ns, self.timing.strobe_ns, Line::Strobe)?;
        }
    }

    /// Waits for the end of the strobe; the data must read as in `levels` until then.
    #[inline]
    fn strobe_ends(&mut self, levels: u32, ear: &mut Ear) -> Result<(), BusError> {
        let (pins, mut differs) = (self.data, 0);
        let mut end_ns = None;
        loop {
            for _ in 0..READS_BETWEEN_CLOCKS {
                let now = self.gpio.levels();
                if now & STROBE != 0 {
                    ear.differs |= differs != 0;
                    return Ok(());
                }
                differs |= (now ^ levels) & pins;
            }
            self.look_at_clock(&mut end_ns, self.timing.strobe_ns, Line::Strobe)?;
        }
    }

    /// Drives the bits of `poll` when the talker has turned the wires round.
    fn answer(&mut self, poll: Poll) -> Result<(), BusError> {
        let (wires, rounds) = (self.wiring.width.wires(), self.wiring.width.transfers());
        for round in 0..rounds {
            self.strobe(0, 0)?;
            self.wait_for(ATTENTION, 0)?;
            let bits = poll.0 >> (round * wires) & ((1u32 << wires) - 1) as u16;
            let pins = spread(bits);
            if pins != 0 {
                self.put(pins, pins);
                self.drive_data(pins);
                self.settle();
            }
            self.change(READY, ACCEPTED);
            self.strobe(STROBE, 0)?;
            if pins != 0 {
                // Left low, not to the slow pull-down.
                self.put(pins, 0);
                self.settle();
                self.float_data();
            }
            if round + 1 < rounds {
                self.change(ACCEPTED, READY);
            } else {
                self.change(0, READY);
            }
        }
        Ok(())
    }

    /// The patterns of a test after the first one; the strobe is high, attention low.
    fn hear_test(&mut self, first: u16) -> Result<View, BusError> {
        let mut view = View::default();
        view.patterns[0] = first;
        let pins = self.data;
        for pattern in &mut view.patterns[1..] {
            self.change(ACCEPTED, READY);
            self.wait_for(STROBE, 0)?;
            *pattern = gather(self.levels() & pins);
            self.change(READY, ACCEPTED);
            self.wait_for(STROBE, STROBE)?;
        }
        Ok(view)
    }
}

/// Whether a board that gives these answers stays for the frame: it also says in the poll that it wants
/// the token.
fn concerns(header: &Header, answers: &Answers) -> bool {
    answers.wants || meant(header, answers)
}

/// Whether the frame is for the board, or says that another one uses its number.
fn meant(header: &Header, answers: &Answers) -> bool {
    header.destination >= BOARDS_MAX || header.destination == answers.board || header.source == answers.board
}
