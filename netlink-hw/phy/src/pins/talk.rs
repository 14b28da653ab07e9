//! Sending a frame: attention, words, poll.
//!
//! Invariant: data change only while no listener may be reading them, and have settled before the strobe; however the
//! frame ends, data wires and strobe are released. Not here: the right to talk (`renga-mac`).

use super::bus::{Handshake, LineWait, PinBus, READS_BETWEEN_CLOCKS, Stopped};
use super::error::BusError;
use super::wiring::{HarnessLine, Width, gather, spread};
use crate::token::Arming;
use renga_hal::gpio::PinBank;
use renga_wire::bus::Poll;
use renga_wire::frame::{FRAME_BYTES_MAX, HEADER_BYTES};

const ACCEPTED: u32 = HarnessLine::NotAccepted.mask();
const READY: u32 = HarnessLine::NotReady.mask();
const STROBE: u32 = HarnessLine::Strobe.mask();
const ATTENTION: u32 = HarnessLine::Attention.mask();

impl<G: PinBank> PinBus<G> {
    /// Sends `frame` (whole words, at least a header) and collects the answers. The caller owns the bus.
    ///
    /// # Errors
    /// Why it could not be sent, after at most [`super::PinTiming::talker_bound_ns`].
    pub fn talk(&mut self, frame: &[u8], arming: Arming) -> Result<Poll, BusError> {
        if frame.len() < HEADER_BYTES || frame.len() > FRAME_BYTES_MAX || !frame.len().is_multiple_of(2) {
            return Err(BusError::NotAFrame);
        }
        self.frame_end_ns = self.gpio.now_ns() + self.timing.frame_ns;
        let mut sent = self.call_attention(arming).map(|()| Poll::default());
        if sent.is_ok() {
            sent = self.send_all(frame);
            if sent.is_err() {
                self.give_up();
            }
        }
        self.release();
        sent.map_err(|Stopped| self.why)
    }

    fn send_all(&mut self, frame: &[u8]) -> Result<Poll, Stopped> {
        let strobe = match (self.wiring.handshake, self.wiring.width) {
            (Handshake::ThreeWire, Width::Sixteen) => self.send_words(Handshake::ThreeWire, Width::Sixteen, frame)?,
            (Handshake::TwoEdge, Width::Sixteen) => self.send_words(Handshake::TwoEdge, Width::Sixteen, frame)?,
            (handshake, width) => self.send_words(handshake, width, frame)?,
        };
        if strobe == 0 {
            // The poll starts with a falling edge.
            self.send_two_edge(strobe, 0, false)?;
        }
        self.poll()
    }

    /// The words of `frame`; the strobe's level after the last one. As a loop in registers for each handshake
    /// of the full width, a word is some sixty instructions.
    #[inline(always)]
    fn send_words(&mut self, handshake: Handshake, width: Width, frame: &[u8]) -> Result<u32, Stopped> {
        let (mut strobe, mut first) = (STROBE, true);
        for bytes in frame.as_chunks().0 {
            let mut word = u32::from(u16::from_le_bytes(*bytes));
            for _ in 0..width.transfers() {
                let levels = spread(word as u16);
                match handshake {
                    Handshake::ThreeWire => self.send_three_wire(levels, first)?,
                    Handshake::TwoEdge => {
                        self.send_two_edge(strobe, levels, first)?;
                        strobe ^= STROBE;
                    }
                }
                (word, first) = (word >> width.wires(), false);
            }
        }
        Ok(strobe)
    }

    /// Shows the start of a frame, gives the listeners time to arm, and drives the data wires.
    ///
    /// Until the last moment only this board's own wire is driven, as in a bid: another board that talks
    /// too is seen before two boards drive a wire against each other.
    pub(super) fn call_attention(&mut self, arming: Arming) -> Result<(), Stopped> {
        // The listeners of the frame before may still be letting go.
        let levels = self.wait_for(STROBE | ACCEPTED | READY, STROBE | ACCEPTED | READY)?;
        let (pins, own) = (self.data, self.own_wire());
        self.put(pins, own);
        self.drive_data(own);
        self.change(ATTENTION | READY, 0);
        let armed_ns = self.gpio.now_ns() + self.timing.arm_ns;
        if arming == Arming::Timed || levels & ATTENTION == 0 {
            // A board that asks, perhaps one that does not take part yet, must see the start and release attention.
            self.gpio.wait_until(armed_ns);
        } else {
            self.wait_for_listener(own, armed_ns)?;
        }
        self.alone(own)?;
        self.change(0, READY);
        self.wait_for(READY, READY)?;
        let levels = self.alone(own)?;
        if levels & ACCEPTED != 0 {
            return Err(self.stop(BusError::NobodyListens));
        }
        self.change(STROBE, 0);
        self.drive_data(pins);
        Ok(())
    }

    /// Waits until the only listener has armed, or until `armed_ns`.
    fn wait_for_listener(&mut self, own: u32, armed_ns: u64) -> Result<(), Stopped> {
        while self.alone(own)? & ACCEPTED != 0 && self.gpio.now_ns() < armed_ns {}
        Ok(())
    }

    /// Two readings, if no board drives another data wire.
    fn alone(&mut self, own: u32) -> Result<u32, Stopped> {
        let levels = self.levels();
        let others = levels & self.data & !own;
        if others != 0 || levels & STROBE == 0 { Err(self.stop(BusError::Collision(others))) } else { Ok(levels) }
    }

    /// The data wire by which this board bids, and announces itself as talker.
    pub(super) fn own_wire(&self) -> u32 {
        spread(1 << (u32::from(self.board) % self.wiring.width.wires()))
    }

    /// One transfer of the three-wire handshake. Data settle while the listeners get ready.
    #[inline(always)]
    pub(super) fn send_three_wire(&mut self, levels: u32, ends_attention: bool) -> Result<(), Stopped> {
        let pins = self.data;
        self.put(pins, levels);
        let before = self.ready(READY)?;
        self.settle_further();
        self.gpio.clear(STROBE);
        self.ready(ACCEPTED)?;
        if ends_attention {
            self.end_attention()?;
        }
        self.gpio.set(STROBE);
        self.hold();
        self.agree(before, levels)
    }

    /// One transfer of the two-edge handshake: `strobe` is its level before it.
    #[inline(always)]
    fn send_two_edge(&mut self, strobe: u32, levels: u32, first: bool) -> Result<(), Stopped> {
        let pins = self.data;
        self.put(pins, levels);
        self.settle();
        let answer = if strobe == 0 {
            self.gpio.set(STROBE);
            READY
        } else {
            self.gpio.clear(STROBE);
            ACCEPTED
        };
        let after = self.ready(answer)?;
        if first {
            self.end_attention()?;
        }
        self.agree(after, levels)
    }

    /// Waits until `line` alone of the two acknowledgement lines is high.
    #[inline(always)]
    fn ready(&mut self, line: u32) -> Result<u32, Stopped> {
        self.twice(LineWait { mask: ACCEPTED | READY, want: line, unattended: Some(ACCEPTED | READY) })
    }

    /// What a wait's two readings leave of the time to settle.
    #[inline(always)]
    fn settle_further(&mut self) {
        const READINGS_OF_A_WAIT: u32 = 2;
        for _ in READINGS_OF_A_WAIT..self.settle.reads + u32::from(self.settle.stores > 0) {
            self.gpio.levels();
        }
    }

    /// Only while the strobe is low may attention end: low with the strobe high means something else.
    #[inline(never)]
    fn end_attention(&mut self) -> Result<(), Stopped> {
        self.let_rise(ATTENTION)
    }

    /// Releases `line` and waits until all see it high.
    ///
    /// Others may take the rising line for low longer than this board: from the lowest level that any board reads as
    /// high (0.9 V) to the highest that any board reads as low (2.0 V) takes twice the time up to there.
    #[inline(always)]
    pub(crate) fn let_rise(&mut self, line: u32) -> Result<(), Stopped> {
        const THE_REST_OF_THE_RISE: u32 = 2;
        self.change(0, line);
        let mut readings = 0;
        self.counted(&mut readings, LineWait { mask: line, want: line, unattended: None })?;
        for _ in 0..readings * THE_REST_OF_THE_RISE {
            self.gpio.levels();
        }
        Ok(())
    }

    /// Reverses the direction of the wires and reads each board's answer.
    fn poll(&mut self) -> Result<Poll, Stopped> {
        let pins = self.data;
        self.ready(READY)?;
        self.put(pins, 0);
        self.settle();
        self.float_data();
        let (mut word, rounds) = (0, self.wiring.width.transfers());
        for round in 0..rounds {
            self.gpio.clear(STROBE);
            self.change(ATTENTION, 0);
            self.ready(ACCEPTED)?;
            let levels = self.levels() & pins;
            word |= gather(levels) << (round * self.wiring.width.wires());
            self.end_attention()?;
            self.gpio.set(STROBE);
            if round + 1 < rounds {
                self.wait_for(ACCEPTED | READY, READY)?;
            }
        }
        self.ended()?;
        Ok(Poll(word))
    }

    /// Waits until all have released the lines. If this board was late, another frame may have started since.
    fn ended(&mut self) -> Result<(), Stopped> {
        const IDLE: u32 = ACCEPTED | READY;
        let mut end_ns = None;
        loop {
            for _ in 0..READS_BETWEEN_CLOCKS {
                let levels = self.levels();
                if levels & IDLE == IDLE || levels & (ATTENTION | READY) == 0 {
                    return Ok(());
                }
            }
            self.read_clock(&mut end_ns, self.timing.answer_ns, HarnessLine::NotReady)?;
        }
    }

    /// Lets the listeners know: attention with the strobe high, in the middle of a frame.
    pub(super) fn give_up(&mut self) {
        // Attention first: no board takes what follows for a word.
        self.change(ATTENTION, READY | ACCEPTED);
        self.float_data();
        self.gpio.set(STROBE);
        let until_ns = self.gpio.now_ns() + self.timing.abandon_ns;
        self.gpio.wait_until(until_ns);
    }

    /// Whether the data wires read as they are driven.
    #[inline(always)]
    fn agree(&mut self, read: u32, driven: u32) -> Result<(), Stopped> {
        let wrong = (read ^ driven) & self.data;
        if wrong == 0 { Ok(()) } else { Err(self.stop(BusError::WiresDiffer(wrong))) }
    }

    /// Bids with this board's own data wire for a while; returns the bidders, a bit each. The caller has BUSY# and ATN#
    /// low. With fewer wires than boards, the lowest board of each wire counts as the bidder.
    pub fn bid(&mut self) -> u16 {
        let own = self.own_wire();
        self.put(own, own);
        self.drive_data(own);
        let until_ns = self.gpio.now_ns() + 2 * self.timing.arm_ns;
        self.gpio.wait_until(until_ns);
        let bids = gather(self.levels() & self.wiring.width.pins() & !own);
        self.put(own, 0);
        self.settle();
        self.float_data();
        bids | 1 << self.board
    }
}
