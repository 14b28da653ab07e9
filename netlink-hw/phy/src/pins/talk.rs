//! Sending a frame: attention, words, poll.
//!
//! Invariant: data change only while no listener may be reading them, and have settled before the
//! strobe; however it ends, data wires and strobe are released. Not here: who may talk (`renga-mac`).

use super::bus::{Handshake, PinBus, Wait};
use super::error::BusError;
use super::wiring::{Line, gather, spread};
use renga_hal::gpio::PinBank;
use renga_wire::bus::Poll;
use renga_wire::frame::{FRAME_BYTES_MAX, HEADER_BYTES};

const ACCEPTED: u32 = Line::NotAccepted.mask();
const READY: u32 = Line::NotReady.mask();
const STROBE: u32 = Line::Strobe.mask();
const ATTENTION: u32 = Line::Attention.mask();

impl<G: PinBank> PinBus<G> {
    /// Sends `frame` (whole words, at least a header) and collects the answers. The caller owns the bus.
    ///
    /// # Errors
    /// Why it could not be sent, after at most [`super::Timing::talker_bound_ns`].
    pub async fn talk(&mut self, frame: &[u8]) -> Result<Poll, BusError> {
        if frame.len() < HEADER_BYTES || frame.len() > FRAME_BYTES_MAX || !frame.len().is_multiple_of(2) {
            return Err(BusError::NotAFrame);
        }
        self.frame_end_ns = self.gpio.now_ns() + self.timing.frame_ns;
        let sent = self.send_all(frame).await;
        if sent.is_err() {
            self.give_up().await;
        }
        self.release();
        sent
    }

    async fn send_all(&mut self, frame: &[u8]) -> Result<Poll, BusError> {
        self.call_attention().await?;
        let mut edge = true;
        let words = frame.as_chunks::<2>().0;
        for (index, bytes) in words.iter().enumerate() {
            self.send_word(u16::from_le_bytes(*bytes), &mut edge, index == 0).await?;
        }
        if !edge {
            // The poll begins with a falling edge.
            self.send_word(0, &mut edge, false).await?;
        }
        self.poll().await
    }

    /// Shows that a frame begins, gives the listeners time to arm, and drives the data wires.
    pub(super) async fn call_attention(&mut self) -> Result<(), BusError> {
        // The listeners of the frame before may still be letting go.
        self.wait_for(STROBE, STROBE, Line::Strobe).await?;
        self.wait_for(ACCEPTED | READY, ACCEPTED | READY, Line::NotAccepted).await?;
        self.put(self.wiring.width.pins(), 0);
        self.gpio.set(STROBE);
        self.drive_data(self.wiring.width.pins());
        self.change(ATTENTION | READY | STROBE, 0);
        let armed_ns = self.gpio.now_ns() + self.timing.arm_ns;
        self.gpio.wait_until(armed_ns).await;
        self.change(0, READY);
        self.wait_for(READY, READY, Line::NotReady).await?;
        let levels = self.levels().await;
        if levels & ACCEPTED != 0 { Err(BusError::NobodyListens) } else { Ok(()) }
    }

    async fn send_word(&mut self, word: u16, edge: &mut bool, first: bool) -> Result<(), BusError> {
        let wires = self.wiring.width.wires();
        for transfer in 0..self.wiring.width.transfers() {
            let levels = spread(word >> (transfer * wires));
            match self.wiring.handshake {
                Handshake::ThreeWire => self.send_three_wire(levels, first && transfer == 0).await?,
                Handshake::TwoEdge => self.send_two_edge(levels, edge, first && transfer == 0).await?,
            }
        }
        Ok(())
    }

    /// One transfer of the three-wire handshake. Data settle while the listeners get ready.
    pub(super) async fn send_three_wire(&mut self, levels: u32, first: bool) -> Result<(), BusError> {
        let pins = self.wiring.width.pins();
        self.put(pins, levels);
        let before = self.ready(READY).await?;
        self.settle_further().await;
        self.gpio.clear(STROBE);
        self.ready(ACCEPTED).await?;
        if first {
            self.end_attention().await?;
        }
        self.gpio.set(STROBE);
        agree(before, levels, pins)
    }

    /// One transfer of the two-edge handshake: `edge` is the strobe's level before it.
    async fn send_two_edge(&mut self, levels: u32, edge: &mut bool, first: bool) -> Result<(), BusError> {
        let pins = self.wiring.width.pins();
        self.put(pins, levels);
        self.settle().await;
        *edge = !*edge;
        let answer = if *edge {
            self.gpio.set(STROBE);
            READY
        } else {
            self.gpio.clear(STROBE);
            ACCEPTED
        };
        let after = self.ready(answer).await?;
        if first {
            self.end_attention().await?;
        }
        agree(after, levels, pins)
    }

    /// Waits until `line` alone of the two acknowledgement lines is high.
    #[inline]
    async fn ready(&mut self, line: u32) -> Result<u32, BusError> {
        let blame = if line == READY { Line::NotReady } else { Line::NotAccepted };
        self.twice(Wait { mask: ACCEPTED | READY, want: line, nobody: Some(ACCEPTED | READY), line: blame }).await
    }

    /// What a wait's two readings leave of the time to settle.
    async fn settle_further(&mut self) {
        const READINGS_OF_A_WAIT: u32 = 2;
        for _ in READINGS_OF_A_WAIT..self.settle.reads + u32::from(self.settle.stores > 0) {
            self.gpio.levels().await;
        }
    }

    /// Only while the strobe is low may attention end: low with the strobe high means something else.
    pub(super) async fn end_attention(&mut self) -> Result<(), BusError> {
        self.change(0, ATTENTION);
        self.wait_for(ATTENTION, ATTENTION, Line::Attention).await.map(|_| ())
    }

    /// Turns the wires round and reads who says what.
    async fn poll(&mut self) -> Result<Poll, BusError> {
        let pins = self.wiring.width.pins();
        self.ready(READY).await?;
        self.put(pins, 0);
        self.settle().await;
        self.float_data();
        let (mut word, rounds) = (0, self.wiring.width.transfers());
        for round in 0..rounds {
            self.gpio.clear(STROBE);
            self.change(ATTENTION, 0);
            self.ready(ACCEPTED).await?;
            let levels = self.levels().await & pins;
            word |= gather(levels) << (round * self.wiring.width.wires());
            self.end_attention().await?;
            self.gpio.set(STROBE);
            let last = round + 1 == rounds;
            let want = if last { ACCEPTED | READY } else { READY };
            self.wait_for(ACCEPTED | READY, want, Line::NotReady).await?;
        }
        Ok(Poll(word))
    }

    /// Lets the listeners know: attention with the strobe high, in the middle of a frame.
    pub(super) async fn give_up(&mut self) {
        self.float_data();
        // Attention first: nobody takes the rising strobe for a word.
        self.change(ATTENTION, READY | ACCEPTED);
        self.gpio.set(STROBE);
        let until_ns = self.gpio.now_ns() + self.timing.abandon_ns;
        self.gpio.wait_until(until_ns).await;
    }
}

/// Whether the pins read as they are driven.
fn agree(read: u32, driven: u32, pins: u32) -> Result<(), BusError> {
    let wrong = (read ^ driven) & pins;
    if wrong == 0 { Ok(()) } else { Err(BusError::WiresDiffer(wrong)) }
}
