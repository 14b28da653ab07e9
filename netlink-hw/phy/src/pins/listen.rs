//! Receiving a frame: arming, words, the answer in the poll word.
//!
//! Invariant: a word is acknowledged only when it has been read; a board that is not addressed releases the lines after
//! the header; however the frame ends, all lines of the handshake are released.

use super::bus::{Handshake, PinBus, Stopped};
use super::error::BusError;
use super::test::PatternReadings;
use super::wiring::{HarnessLine, Width, gather, spread};
use crate::FRAME_BYTES_MAX;
use renga_hal::gpio::PinBank;
use renga_wire::bus::{Answers, BOARDS_MAX, Poll};
use renga_wire::frame::{HEADER_BYTES, frame_bytes};
use renga_wire::{FrameKind, Header, LinkFrame};

const ACCEPTED: u32 = HarnessLine::NotAccepted.mask();
const READY: u32 = HarnessLine::NotReady.mask();
const STROBE: u32 = HarnessLine::Strobe.mask();
const ATTENTION: u32 = HarnessLine::Attention.mask();

/// Readings between two readings of the clock.
const READS_BETWEEN_CLOCKS: u32 = 32;
/// Readings of the data after the strobe until two agree.
const READINGS_MAX: u32 = 8;

/// What was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// An intact frame of so many bytes that is for this board or names it as its source.
    Frame(usize),
    /// A frame for others, or one that was damaged or refused; its header was intact.
    Nothing,
    /// The patterns of a test.
    Test(PatternReadings),
}

/// The state of a frame being received.
struct Ear {
    /// The strobe's level that marks the next transfer.
    edge: u32,
    /// Two readings of a transfer differed: the frame is damaged.
    differs: bool,
}

impl<G: PinBank> PinBus<G> {
    /// Whether levels, read twice, show the start of a frame: attention and not-ready low, strobe high.
    pub const fn frame_begins(levels: u32) -> bool {
        levels & (ATTENTION | READY | STROBE) == STROBE
    }

    /// Receives the frame that starts now (see [`PinBus::frame_begins`]) and answers it as `answers` says; `room`:
    /// `into` is free for it.
    ///
    /// # Errors
    /// Why there was none, after at most [`super::PinTiming::listener_bound_ns`].
    pub fn listen(
        &mut self,
        into: &mut [u8; FRAME_BYTES_MAX],
        room: bool,
        answers: &Answers,
    ) -> Result<Reception, BusError> {
        // A request of this board's ends here: attention is the talker's now.
        self.change(ACCEPTED, ATTENTION);
        self.frame_end_ns = self.gpio.now_ns() + self.timing.arm_ns + self.timing.frame_ns;
        let received = self.receive(into, room, answers);
        self.release();
        received.map_err(|Stopped| self.why)
    }

    fn receive(
        &mut self,
        into: &mut [u8; FRAME_BYTES_MAX],
        room: bool,
        answers: &Answers,
    ) -> Result<Reception, Stopped> {
        let mut ear = Ear { edge: 0, differs: false };
        let first = self.strobe(0, ATTENTION)?;
        if let Some(rest) = self.first_word(first, &mut ear, into)? {
            return self.receive_test(rest).map(Reception::Test);
        }
        self.words(&mut ear, &mut into[2..HEADER_BYTES - 2])?;
        let last = self.last_of_header(&mut ear)?;
        into[HEADER_BYTES - 2..HEADER_BYTES].copy_from_slice(&last.to_le_bytes());
        let head = into.first_chunk::<HEADER_BYTES>().and_then(|head| Header::open(head).ok());
        let stays = head.is_some_and(|(header, _)| concerns(&header, answers));
        let (_, payload_bytes) = head.ok_or_else(|| self.stop(BusError::HeaderDamaged))?;
        if !stays {
            return Ok(Reception::Nothing);
        }
        self.answer_strobe(self.wiring.handshake, &mut ear);
        let bytes = frame_bytes(payload_bytes);
        self.words(&mut ear, &mut into[HEADER_BYTES..bytes])?;
        if ear.edge != 0 {
            self.words(&mut ear, &mut [0; 2])?;
        }
        let frame = LinkFrame::parse(&into[..bytes]).ok().filter(|_| !ear.differs);
        let poll = match &frame {
            Some(frame) => answers.to(&frame.header, frame.payload, room),
            None => Poll(0),
        };
        let ours = frame.is_some_and(|frame| meant(&frame.header, answers) && frame.header.kind != FrameKind::Poll);
        self.answer(poll)?;
        Ok(if ours && room { Reception::Frame(bytes) } else { Reception::Nothing })
    }

    /// The first word, whose strobe was seen with `levels`. A test keeps attention low after it; its first pattern
    /// reveals it.
    fn first_word(
        &mut self,
        levels: u32,
        ear: &mut Ear,
        into: &mut [u8; FRAME_BYTES_MAX],
    ) -> Result<Option<u16>, Stopped> {
        let (wires, transfers) = (self.wiring.width.wires(), self.wiring.width.transfers());
        let mut word = gather(self.again(levels, ear) & self.data);
        self.change(READY, ACCEPTED);
        let after = self.strobe(STROBE, 0)?;
        if after & ATTENTION == 0 && self.levels() & (ATTENTION | STROBE) == STROBE {
            return Ok(Some(word));
        }
        match self.wiring.handshake {
            Handshake::ThreeWire => self.answer_strobe(Handshake::ThreeWire, ear),
            Handshake::TwoEdge => ear.edge = STROBE,
        }
        for transfer in 1..transfers {
            word |= self.transfer(self.wiring.handshake, ear)? << (transfer * wires);
            self.answer_strobe(self.wiring.handshake, ear);
        }
        into[..2].copy_from_slice(&word.to_le_bytes());
        Ok(None)
    }

    /// Words until `into` is full.
    fn words(&mut self, ear: &mut Ear, into: &mut [u8]) -> Result<(), Stopped> {
        match (self.wiring.handshake, self.wiring.width) {
            (Handshake::ThreeWire, Width::Sixteen) => self.words_by(Handshake::ThreeWire, Width::Sixteen, ear, into),
            (Handshake::TwoEdge, Width::Sixteen) => self.words_by(Handshake::TwoEdge, Width::Sixteen, ear, into),
            (handshake, width) => self.words_by(handshake, width, ear, into),
        }
    }

    /// The same as a loop in registers for each handshake of the full width: a word is some forty instructions.
    #[inline(always)]
    fn words_by(&mut self, handshake: Handshake, width: Width, ear: &mut Ear, into: &mut [u8]) -> Result<(), Stopped> {
        let (wires, transfers) = (width.wires(), width.transfers());
        for pair in into.as_chunks_mut().0 {
            let mut word = 0;
            for _ in 0..transfers {
                word = word >> wires | u32::from(self.transfer(handshake, ear)?) << (16 - wires);
                self.answer_strobe(handshake, ear);
            }
            *pair = (word as u16).to_le_bytes();
        }
        Ok(())
    }

    /// The last word of the header; the others wait until this board continues.
    fn last_of_header(&mut self, ear: &mut Ear) -> Result<u16, Stopped> {
        let (handshake, width) = (self.wiring.handshake, self.wiring.width);
        let mut word = 0;
        for transfer in 0..width.transfers() {
            if transfer > 0 {
                self.answer_strobe(handshake, ear);
            }
            word |= self.transfer(handshake, ear)? << (transfer * width.wires());
        }
        Ok(word)
    }

    /// One transfer, as far as the others cannot continue without this board.
    #[inline(always)]
    fn transfer(&mut self, handshake: Handshake, ear: &mut Ear) -> Result<u16, Stopped> {
        let levels = self.strobe(ear.edge, 0)?;
        if levels & ATTENTION == 0 {
            return Err(self.stop(BusError::Abandoned));
        }
        let levels = match handshake {
            Handshake::ThreeWire => {
                // The data had settled before the strobe; they are read again while the acknowledgement travels, and
                // the poll word reports a difference.
                self.exchange(ACCEPTED | READY);
                self.strobe_ends(levels, ear)?;
                levels
            }
            Handshake::TwoEdge => self.again(levels, ear),
        };
        Ok(gather(levels & self.data))
    }

    /// Lets the others continue. Of the two acknowledgement lines a listener always pulls one.
    #[inline(always)]
    fn answer_strobe(&mut self, handshake: Handshake, ear: &mut Ear) {
        self.exchange(ACCEPTED | READY);
        if handshake == Handshake::TwoEdge {
            ear.edge ^= STROBE;
        }
    }

    /// Reads the data again until two readings agree.
    #[inline(always)]
    fn again(&mut self, levels: u32, ear: &mut Ear) -> u32 {
        let mut before = levels;
        for _ in 0..READINGS_MAX {
            let now = self.gpio.levels();
            if (now ^ before) & self.data == 0 {
                return now;
            }
            before = now;
        }
        ear.differs = true;
        before
    }

    /// Waits for the strobe to be `level` (its mask, or 0). `attention`: attention must stay low until then;
    /// else low attention and a high strobe, twice, mean that the talker has given up.
    #[inline(always)]
    fn strobe(&mut self, level: u32, attention: u32) -> Result<u32, Stopped> {
        let (mut end_ns, mut strange) = (None, false);
        loop {
            for _ in 0..READS_BETWEEN_CLOCKS {
                let levels = self.gpio.levels();
                if levels & STROBE == level {
                    return Ok(levels);
                }
                let gave_up = levels & (ATTENTION | STROBE) == STROBE | attention;
                if gave_up && strange {
                    return Err(self.stop(BusError::Abandoned));
                }
                strange = gave_up;
            }
            self.read_clock(&mut end_ns, self.timing.strobe_ns, HarnessLine::Strobe)?;
        }
    }

    /// Waits for the end of the strobe; the data must read as in `levels` until then.
    #[inline(always)]
    fn strobe_ends(&mut self, levels: u32, ear: &mut Ear) -> Result<(), Stopped> {
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
            self.read_clock(&mut end_ns, self.timing.strobe_ns, HarnessLine::Strobe)?;
        }
    }

    /// Drives the bits of `poll` when the talker has turned the wires round.
    fn answer(&mut self, poll: Poll) -> Result<(), Stopped> {
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
    fn receive_test(&mut self, first: u16) -> Result<PatternReadings, Stopped> {
        let mut view = PatternReadings::default();
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
pub(crate) fn concerns(header: &Header, answers: &Answers) -> bool {
    answers.wants || meant(header, answers)
}

/// Whether the frame is for the board, or says that another one uses its number.
pub(crate) fn meant(header: &Header, answers: &Answers) -> bool {
    header.destination >= BOARDS_MAX || header.destination == answers.board || header.source == answers.board
}
