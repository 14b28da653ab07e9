//! Frames on the wire: from one station to all others of its group, and their answers.

use super::station::{Buffer, RECEIVE_FRAMES_MAX, ReadyFrame, Talk};
use super::{BusEvent, WireModel};
use crate::FRAME_BYTES_MAX;
use crate::token::SendError;
use renga_wire::bus::Poll;
use renga_wire::frame::BROADCAST;
use renga_wire::{FrameKind, Header, LinkFrame};
use std::boxed::Box;

impl WireModel {
    fn others(&self, place: usize) -> impl Iterator<Item = usize> + use<'_> {
        let group = self.stations[place].group;
        let received = move |other: &usize| *other != place && self.stations[*other].group == group;
        (0..self.stations.len()).filter(received)
    }

    /// A station starts to send.
    pub(super) fn transmit(&mut self, place: usize, frame: &[u8]) {
        let bytes = frame.len().min(FRAME_BYTES_MAX);
        let overhead_ns = self.timing.frame_overhead_ns + self.timing.latency_ns;
        let wire_ns = bytes as u64 * 8 * 1_000_000_000 / self.timing.bits_per_s;
        let talking = self.others(place).find(|other| self.stations[*other].talk.is_some());
        let listened = self.others(place).any(|other| self.stations[other].listens && !self.stations[other].hung);
        // The start of a frame is invisible while a processor that hangs keeps ATN# low.
        let blocked = self.others(place).any(|other| self.stations[other].hung && self.stations[other].drive.attention);
        let failed = match (talking, listened) {
            (Some(_), _) => Some(SendError::Collision),
            (None, false) => Some(SendError::NoListener),
            (None, true) => blocked.then_some(SendError::Stalled),
        };
        let station = &mut self.stations[place];
        station.frame[..bytes].copy_from_slice(&frame[..bytes]);
        station.talk = Some(Talk { bytes, wire_ns, failed });
        station.operation += 1;
        let taken_ns = overhead_ns + if failed.is_none() { wire_ns } else { 0 };
        let operation = station.operation;
        self.put(self.now_ns + taken_ns, BusEvent::End { station: place, operation });
        if let (Some(other), Some(SendError::Collision)) = (talking, failed) {
            self.collide(other, overhead_ns);
        }
    }

    /// The frame of a station that talks is damaged: it notices soon.
    fn collide(&mut self, place: usize, after_ns: u64) {
        let station = &mut self.stations[place];
        let Some(talk) = &mut station.talk else { return };
        if talk.failed.is_none() {
            talk.failed = Some(SendError::Collision);
            station.operation += 1;
            let operation = station.operation;
            self.count.collisions += 1;
            self.put(self.now_ns + after_ns, BusEvent::End { station: place, operation });
        }
    }

    /// The frame of a station ends.
    pub(super) fn end_frame(&mut self, place: usize) {
        if self.stations[place].hung {
            return; // it never ends
        }
        let Some(talk) = self.stations[place].talk.take() else { return };
        self.sample();
        if let Some(error) = talk.failed {
            self.stations[place].sent = Some(Err(error));
            return;
        }
        let free = self.buffer();
        let frame = core::mem::replace(&mut self.stations[place].frame, free);
        self.count_frame(talk, &frame[..talk.bytes]);
        let poll = match LinkFrame::parse(&frame[..talk.bytes]) {
            Ok(LinkFrame { header, payload }) => {
                let poll = self.deliver(place, &frame[..talk.bytes], &header, payload);
                self.crossed.keep(self.now_ns, talk.wire_ns, &header, talk.bytes);
                poll
            }
            Err(_) => Poll(0),
        };
        self.pool.push(frame);
        self.stations[place].sent = Some(Ok(poll));
    }

    fn count_frame(&mut self, talk: Talk, frame: &[u8]) {
        self.count.busy_ns += talk.wire_ns + self.timing.frame_overhead_ns;
        if FrameKind::looks_control(frame) {
            self.count.control_frames += 1;
            return;
        }
        self.count.frames += 1;
        self.count.bytes += frame.len() as u64;
        self.count.wire_ns += talk.wire_ns;
    }

    /// Delivers a frame to every station that hears it; the answers.
    fn deliver(&mut self, place: usize, frame: &[u8], header: &Header, payload: &[u8]) -> Poll {
        let (faults, group, mut poll) = (self.faults, self.stations[place].group, 0);
        for other in 0..self.stations.len() {
            let station = &self.stations[other];
            if other == place || station.group != group || !station.listens || station.hung {
                continue;
            }
            let board = station.answers.board;
            let meant = [board, BROADCAST].contains(&header.destination) || header.source == board;
            if self.random.per_mille(faults.lost_per_mille) {
                if meant {
                    self.crossed.harm(board);
                }
                continue;
            }
            if self.random.per_mille(faults.changed_per_mille) {
                if !meant {
                    continue;
                }
                self.crossed.harm(board);
                let bit = self.random.below(frame.len() as u64 * 8) as usize;
                self.arrive(other, frame, Some(bit));
                continue;
            }
            let room = self.stations[other].receive.len() < RECEIVE_FRAMES_MAX;
            let answer = self.stations[other].answers.to(header, payload, room);
            self.stations[other].received = true;
            if !self.random.per_mille(faults.unanswered_per_mille) {
                poll |= answer.0;
            }
            // The answer to a poll was all that it wanted.
            if !meant || header.kind == FrameKind::Poll {
                continue;
            }
            if self.random.per_mille(faults.dropped_per_mille) {
                self.crossed.harm(board);
                continue;
            }
            self.arrive(other, frame, None);
            if self.random.per_mille(faults.doubled_per_mille) {
                self.arrive(other, frame, None);
            }
        }
        Poll(poll)
    }

    fn arrive(&mut self, place: usize, frame: &[u8], changed_bit: Option<usize>) {
        let (now_ns, faults) = (self.now_ns, self.faults);
        if self.stations[place].receive.len() >= RECEIVE_FRAMES_MAX {
            self.stations[place].overrun = true;
            return;
        }
        let mut buffer = self.buffer();
        buffer[..frame.len()].copy_from_slice(frame);
        if let Some(bit) = changed_bit {
            buffer[bit / 8] ^= 1 << (bit % 8);
        }
        let late = self.random.per_mille(faults.delayed_per_mille) && faults.delay_ns > 0;
        let delay_ns = if late { self.random.draw() % faults.delay_ns } else { 0 };
        let behind_ns = self.stations[place].receive.back().map_or(0, |received| received.ready_ns);
        let ready_ns = (now_ns + delay_ns).max(behind_ns);
        self.stations[place].receive.push_back(ReadyFrame { bytes: frame.len(), buffer, ready_ns });
        if ready_ns > now_ns {
            self.put(ready_ns, BusEvent::Arrive);
        }
    }

    fn buffer(&mut self) -> Buffer {
        self.pool.pop().unwrap_or_else(|| Box::new([0; FRAME_BYTES_MAX]))
    }

    pub(super) fn receive(&mut self, place: usize, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize> {
        let station = &mut self.stations[place];
        station.receive.front().filter(|received| received.ready_ns <= self.now_ns)?;
        let received = station.receive.pop_front()?;
        out[..received.bytes].copy_from_slice(&received.buffer[..received.bytes]);
        self.pool.push(received.buffer);
        Some(received.bytes)
    }

    /// A station starts to bid.
    pub(super) fn bid(&mut self, place: usize) {
        let until_ns = self.now_ns + self.timing.bid_ns;
        let station = &mut self.stations[place];
        station.operation += 1;
        station.bid_until_ns = Some(until_ns);
        let operation = station.operation;
        self.put(until_ns, BusEvent::Bids { station: place, operation });
    }

    /// A station reads the bids.
    pub(super) fn end_bid(&mut self, place: usize) {
        let (now_ns, group) = (self.now_ns, self.stations[place].group);
        let bidding = self.stations.iter().filter(|station| {
            station.group == group && station.bid_until_ns.is_some_and(|until_ns| until_ns >= now_ns)
        });
        let bids = bidding.fold(0, |bids, station| bids | 1 << station.answers.board);
        self.stations[place].bids = Some(bids);
    }
}
