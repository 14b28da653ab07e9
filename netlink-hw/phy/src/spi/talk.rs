//! Sending a frame over SPI: attention, chunks, poll; and bidding.
//!
//! Invariant: a chunk leaves only when all participants have emptied their FIFOs. Not here: the right to talk
//! (`renga-mac`).

use super::bus::{ACCEPTED, ATTENTION, READY, SpiBus};
use super::wiring::{DATA, Role, SELECT};
use super::{CHUNK_OCTETS, HEAD, TAIL};
use crate::pins::BusError;
use crate::pins::bus::{LineWait, Stopped};
use renga_hal::gpio::PinBank;
use renga_hal::spi::{SpiReceiver, SpiSender};
use renga_wire::bus::{BOARDS_MAX, Poll};
use renga_wire::frame::{FRAME_BYTES_MAX, HEADER_BYTES};

/// Two boards that start at once release so far apart for each number between them, ns.
const SLOT_NS: u64 = 4_000;
/// All slots.
pub(super) const SLOTS_NS: u64 = SLOT_NS * BOARDS_MAX as u64;
/// A line that all have let go is high after so long, ns: 2.2 kohm, eight boards.
const RISE_NS: u64 = 1_500;

impl<G: PinBank, M: SpiSender, S: SpiReceiver> SpiBus<G, M, S> {
    /// Sends `frame` (whole words, at least a header) and collects the answers. The caller owns the bus.
    ///
    /// # Errors
    /// Why it could not be sent.
    pub fn talk(&mut self, frame: &[u8]) -> Result<Poll, BusError> {
        if frame.len() < HEADER_BYTES || frame.len() > FRAME_BYTES_MAX || !frame.len().is_multiple_of(2) {
            return Err(BusError::NotAFrame);
        }
        self.pins.frame_end_ns = self.pins.gpio.now_ns() + self.pins.timing.frame_ns;
        self.due = ACCEPTED;
        let mut sent = self.call_attention().map(|()| Poll::default());
        if sent.is_ok() {
            sent = self.send_chunks(frame).and_then(|()| self.poll());
            if sent.is_err() {
                self.give_up();
            }
        }
        self.release();
        sent.map_err(|Stopped| self.pins.why)
    }

    /// Shows the start of a frame, gives the listeners time to arm, and takes the wires, unless another board talks.
    ///
    /// Talkers pull not-ready for a time that differs by their numbers: the last to release is alone.
    fn call_attention(&mut self) -> Result<(), Stopped> {
        let idle = SELECT | ACCEPTED | READY;
        self.pins.wait_for(idle, idle)?;
        self.pins.change(ATTENTION | READY, 0);
        let armed_ns = self.pins.gpio.now_ns() + self.pins.timing.arm_ns + SLOT_NS * u64::from(self.pins.board);
        self.pins.gpio.wait_until(armed_ns);
        if !self.rises(READY) || self.pins.levels() & SELECT == 0 {
            return Err(self.stop(BusError::Collision(SELECT)));
        }
        if self.pins.levels() & ACCEPTED != 0 {
            return Err(self.stop(BusError::NobodyListens));
        }
        // For idle boards, low attention with high select is the start of a frame.
        self.pins.let_rise(ATTENTION)?;
        self.route(Role::Talks);
        Ok(())
    }

    /// Lets `line` go; whether it rises.
    fn rises(&mut self, line: u32) -> bool {
        self.pins.change(0, line);
        let end_ns = self.pins.gpio.now_ns() + RISE_NS;
        self.pins.gpio.wait_until(end_ns);
        self.pins.levels() & line != 0
    }

    fn send_chunks(&mut self, frame: &[u8]) -> Result<(), Stopped> {
        let mut octets = [0; CHUNK_OCTETS + 2];
        for part in frame.chunks(CHUNK_OCTETS) {
            let length = part.len() + 2;
            (octets[0], octets[length - 1]) = (HEAD, TAIL);
            octets[1..=part.len()].copy_from_slice(part);
            self.sender.send(&octets[..length]).map_err(|_| self.stop(BusError::MasterStuck))?;
            let levels = self.answered()?;
            if levels & SELECT == 0 {
                return Err(self.stop(BusError::Collision(SELECT)));
            }
        }
        Ok(())
    }

    /// Waits until all have let the line go that is due.
    fn answered(&mut self) -> Result<u32, Stopped> {
        let both = ACCEPTED | READY;
        let levels = self.pins.twice(LineWait { mask: both, want: self.due, unattended: Some(both) })?;
        self.turn_round();
        Ok(levels)
    }

    /// Holds select low without a clock, and takes one bit after the other from the board that owns it: attention low,
    /// it drives the data wire; attention high, it has let go.
    fn poll(&mut self) -> Result<Poll, Stopped> {
        self.route(Role::Polls);
        let mut word = 0;
        for bit in 0..u16::BITS {
            self.pins.change(ATTENTION, 0);
            self.answered()?;
            word |= u16::from(self.pins.levels() & DATA != 0) << bit;
            self.pins.let_rise(ATTENTION)?;
            if bit + 1 < u16::BITS {
                self.answered()?;
            }
        }
        // After the last one they release both.
        self.pins.wait_for(ACCEPTED | READY, ACCEPTED | READY)?;
        Ok(Poll(word))
    }

    /// Notifies the listeners, which wait for a chunk.
    fn give_up(&mut self) {
        self.route(Role::Listens);
        self.pins.change(ATTENTION, READY | ACCEPTED);
        let until_ns = self.pins.gpio.now_ns() + self.pins.timing.abandon_ns;
        self.pins.gpio.wait_until(until_ns);
    }

    /// Bids by pulling not-accepted, the longer the lower its number, and checks whether another board pulls longer.
    /// This board's bit, or none: a loser does not learn the winner.
    pub fn bid(&mut self) -> u16 {
        let board = self.pins.board;
        self.pins.change(ACCEPTED, 0);
        let slots_ns = SLOT_NS * u64::from(BOARDS_MAX - 1 - board);
        let until_ns = self.pins.gpio.now_ns() + 2 * self.pins.timing.arm_ns + slots_ns;
        self.pins.gpio.wait_until(until_ns);
        if self.rises(ACCEPTED) { 1 << board } else { 0 }
    }
}
