//! Receiving a frame over SPI: arming, chunks, the answer in the poll.
//!
//! Invariant: a chunk is acknowledged only when the FIFO is empty again; a board that is not addressed releases the
//! lines after the first chunk; however the frame ends, all lines of the handshake are released.

use super::bus::{ACCEPTED, ATTENTION, READY, SpiBus};
use super::wiring::{DATA, SELECT};
use super::{CHUNK_OCTETS, FIFO_OCTETS};
use crate::FRAME_BYTES_MAX;
use crate::pins::bus::{READS_BETWEEN_CLOCKS, Stopped};
use crate::pins::listen::{concerns, meant};
use crate::pins::{BusError, HarnessLine, Reception};
use renga_hal::gpio::PinBank;
use renga_hal::spi::{SpiReceiver, SpiSender};
use renga_wire::bus::{Answers, BOARDS_MAX, Poll};
use renga_wire::frame::{HEADER_BYTES, frame_bytes};
use renga_wire::{FrameKind, Header, LinkFrame};

/// One octet more than a chunk can have.
type Octets = [u8; FIFO_OCTETS + 1];

impl<G: PinBank, M: SpiSender, S: SpiReceiver> SpiBus<G, M, S> {
    /// Receives the frame that starts now and answers it as `answers` says; `room`: `into` is free for it.
    ///
    /// # Errors
    /// Why there was none.
    pub fn listen(
        &mut self,
        into: &mut [u8; FRAME_BYTES_MAX],
        room: bool,
        answers: &Answers,
    ) -> Result<Reception, BusError> {
        // What came for others, or before this kernel, is still there.
        self.receiver.clear();
        self.due = ACCEPTED;
        self.pins.change(ACCEPTED, ATTENTION);
        self.pins.frame_end_ns = self.pins.gpio.now_ns() + self.pins.timing.arm_ns + self.pins.timing.frame_ns;
        let received = self.receive(into, room, answers);
        self.pins.float_data();
        self.pins.change(0, ACCEPTED | READY | ATTENTION);
        received.map_err(|Stopped| self.pins.why)
    }

    fn receive(
        &mut self,
        into: &mut [u8; FRAME_BYTES_MAX],
        room: bool,
        answers: &Answers,
    ) -> Result<Reception, Stopped> {
        let mut octets = Octets::default();
        let mut calm = false;
        let first = self.chunk(&mut octets, &mut calm)?;
        into[..CHUNK_OCTETS].copy_from_slice(&octets[..CHUNK_OCTETS]);
        let head = into.first_chunk::<HEADER_BYTES>().filter(|_| first >= HEADER_BYTES);
        let head = head.and_then(|head| Header::open(head).ok());
        let (header, payload_bytes) = head.ok_or_else(|| self.stop(BusError::HeaderDamaged))?;
        if !concerns(&header, answers) {
            return Ok(Reception::Nothing);
        }
        let bytes = frame_bytes(payload_bytes);
        let mut whole = is_whole(first, bytes.min(CHUNK_OCTETS));
        // Attention was high before the first chunk.
        let mut at = CHUNK_OCTETS;
        calm = true;
        while at < bytes {
            self.acknowledge();
            let due = (bytes - at).min(CHUNK_OCTETS);
            whole &= is_whole(self.chunk(&mut octets, &mut calm)?, due);
            into[at..at + due].copy_from_slice(&octets[..due]);
            at += due;
        }
        self.acknowledge();
        let frame = LinkFrame::parse(&into[..bytes]).ok().filter(|_| whole);
        let poll = match &frame {
            Some(frame) => answers.to(&frame.header, frame.payload, room),
            None => Poll(0),
        };
        let ours = frame.is_some_and(|frame| meant(&frame.header, answers) && frame.header.kind != FrameKind::Poll);
        self.answer(poll)?;
        Ok(if ours && room { Reception::Frame(bytes) } else { Reception::Nothing })
    }

    /// Takes octets until the transfer has ended, so many: an octet that came has begun one. `calm`: whether attention
    /// has been high.
    fn chunk(&mut self, octets: &mut Octets, calm: &mut bool) -> Result<usize, Stopped> {
        let (mut end_ns, mut taken) = (None, 0);
        loop {
            for _ in 0..READS_BETWEEN_CLOCKS {
                let came = self.receiver.take(&mut octets[taken..]);
                taken += came.octets;
                if taken > 0 && !came.more && self.pins.levels() & SELECT != 0 {
                    taken += self.receiver.take(&mut octets[taken..]).octets;
                    if taken == octets.len() {
                        self.receiver.clear();
                    }
                    return Ok(taken);
                }
            }
            if taken == 0 {
                self.sample_end(calm)?;
            }
            let looked = self.pins.read_clock(&mut end_ns, self.pins.timing.strobe_ns, HarnessLine::Strobe);
            looked.map_err(|stopped| if taken == 0 { self.stop(BusError::NoOctets) } else { stopped })?;
        }
    }

    /// Whether the talker gave up: attention is low again, and select high.
    fn sample_end(&mut self, calm: &mut bool) -> Result<(), Stopped> {
        let levels = self.pins.levels();
        let high = levels & ATTENTION != 0;
        *calm |= high;
        if *calm && !high && levels & SELECT != 0 { Err(self.stop(BusError::Abandoned)) } else { Ok(()) }
    }

    /// Lets the others continue. Of the two acknowledgement lines a listener always pulls one.
    fn acknowledge(&mut self) {
        self.pins.exchange(ACCEPTED | READY);
        self.turn_round();
    }

    /// Drives the bits of `poll` in their slots.
    fn answer(&mut self, poll: Poll) -> Result<(), Stopped> {
        for bit in 0..u16::BITS {
            self.attention(0)?;
            let drives = bit as u8 % BOARDS_MAX == self.pins.board && poll.0 >> bit & 1 != 0;
            if drives {
                self.pins.put(DATA, DATA);
                self.pins.drive_data(DATA);
                self.pins.settle();
            }
            self.acknowledge();
            self.attention(ATTENTION)?;
            if drives {
                // Left low, not to the slow pull-down.
                self.pins.put(DATA, 0);
                self.pins.settle();
                self.pins.float_data();
            }
            if bit + 1 < u16::BITS {
                self.acknowledge();
            }
        }
        Ok(())
    }

    /// Waits for attention to be `level` (its mask, or 0). In a poll it is low only while select is low too.
    fn attention(&mut self, level: u32) -> Result<(), Stopped> {
        let mut end_ns = None;
        loop {
            for _ in 0..READS_BETWEEN_CLOCKS {
                let levels = self.pins.levels();
                if levels & (ATTENTION | SELECT) == SELECT {
                    return Err(self.stop(BusError::Abandoned));
                }
                if levels & ATTENTION == level {
                    return Ok(());
                }
            }
            self.pins.read_clock(&mut end_ns, self.pins.timing.strobe_ns, HarnessLine::Attention)?;
        }
    }
}

/// Whether so many octets are a chunk of `due`: with its tail, or without.
const fn is_whole(taken: usize, due: usize) -> bool {
    taken == due || taken == due + 1
}
