//! What happened on all boards and on the link, in one order.
//!
//! Boards run ahead of each other, so their records come here unordered among boards. They leave in the order of
//! (time, board, order on the board), frames after boards, once nothing earlier can come.
//!
//! Invariant: the order and the hashes do not depend on when records came, only on what they say.

use crate::event::{ClusterEvent, FrameEvent};
use crate::fingerprint::Fingerprint;
use crate::power::PowerChange;
use crate::wires::Fights;
use renga_emu_device::pins::PinDrive;
use renga_emu_probes::Hit;
use std::collections::VecDeque;

/// Most bytes of one console or log event.
const CHUNK_BYTES_MAX: usize = 4096;

/// Something that happened.
#[derive(Debug)]
pub enum Item {
    /// A byte to the console.
    Console(u8),
    /// A byte to the log.
    Log(u8),
    /// The board ended.
    Exit(u8),
    /// It was reset, for a start from this partition.
    Reset(u8),
    /// Something happened to the board, which had been started so often.
    Power(PowerChange, u32),
    /// Its QEMU ended, like this.
    Crash(String),
    /// The board does something else to its pins.
    Pins(PinDrive),
    /// The host refused a transfer of its card's file.
    CardFailed,
    /// A frame.
    Frame(FrameEvent),
}

/// The hashes over all that has left.
#[derive(Clone, Copy, Debug)]
pub struct Hashes {
    /// Consoles.
    pub console: Fingerprint,
    /// Logs.
    pub log: Fingerprint,
    /// Frames.
    pub frame: Fingerprint,
    /// Probes.
    pub probe: Fingerprint,
    /// Changes of pins.
    pub pin: Fingerprint,
}

/// The merger.
#[derive(Debug)]
pub struct Timeline {
    /// One per board, and a last one for frames; each ordered by time.
    lanes: Vec<VecDeque<(u64, Item)>>,
    /// The probes that each board reached, each ordered by time.
    hits: Vec<VecDeque<Hit>>,
    /// Events before this may be reported, ns.
    bound_ns: u64,
    /// When the last reported event happened, ns.
    reported_ns: Option<u64>,
    hashes: Hashes,
    /// Whether frames become events.
    reports_frames: bool,
    frames: u64,
    hits_reported: u64,
    pin_changes: u64,
    fights: Fights,
}

impl Timeline {
    /// For `boards` boards.
    pub fn new(boards: usize, reports_frames: bool) -> Self {
        let empty = Fingerprint::default();
        Self {
            lanes: (0..=boards).map(|_| VecDeque::new()).collect(),
            hits: vec![VecDeque::new(); boards],
            bound_ns: 0,
            reported_ns: None,
            hashes: Hashes { console: empty, log: empty, frame: empty, probe: empty, pin: empty },
            reports_frames,
            frames: 0,
            hits_reported: 0,
            pin_changes: 0,
            fights: Fights::new(boards),
        }
    }

    /// Something happened on `board`.
    pub fn add(&mut self, board: u8, time_ns: u64, item: Item) {
        self.lanes[usize::from(board)].push_back((time_ns, item));
    }

    /// `board` reached these probes.
    pub fn add_hits(&mut self, board: u8, hits: Vec<Hit>) {
        self.hits[usize::from(board)].extend(hits);
    }

    /// A frame took the wire.
    pub fn add_frame(&mut self, frame: FrameEvent) {
        let lane = self.lanes.len() - 1;
        self.lanes[lane].push_back((frame.start_ns(), Item::Frame(frame)));
    }

    /// Everything before `time_ns` may be reported: no earlier event will be added any more. Later events may not, even
    /// if they might before.
    pub fn release(&mut self, time_ns: u64) {
        self.bound_ns = time_ns;
    }

    /// Whether an event may be reported.
    pub fn is_ready(&self) -> bool {
        self.first().is_some() || self.first_hit(self.bound_ns).is_some()
    }

    /// The next event that may be reported.
    pub fn pop(&mut self) -> Option<ClusterEvent> {
        loop {
            // What a board says at an instant comes before the probes that it reaches then.
            let item_ns = self.first().map_or(self.bound_ns, |(time_ns, _)| time_ns);
            if let Some(board) = self.first_hit(item_ns) {
                return self.take_hit(board);
            }
            let (time_ns, board, item) = self.take()?;
            return Some(match item {
                Item::Console(byte) => {
                    let more = |item: &Item| if let Item::Console(byte) = item { Some(*byte) } else { None };
                    ClusterEvent::Console { board, time_ns, bytes: self.gather(board, byte, more) }
                }
                Item::Log(byte) => {
                    let more = |item: &Item| if let Item::Log(byte) = item { Some(*byte) } else { None };
                    ClusterEvent::Log { board, time_ns, bytes: self.gather(board, byte, more) }
                }
                Item::Power(change, starts) => ClusterEvent::Power { board, time_ns, change, starts },
                Item::Crash(status) => ClusterEvent::BoardCrashed { board, time_ns, status },
                Item::Reset(partition) => ClusterEvent::BoardReset { board, partition, time_ns },
                Item::Exit(status) => ClusterEvent::BoardExited { board, status, time_ns },
                Item::CardFailed => ClusterEvent::CardFailed { board, time_ns },
                Item::Frame(frame) if self.reports_frames => ClusterEvent::Frame(frame),
                Item::Pins(drive) => match self.fights.change(board, time_ns, drive) {
                    Some(fight) => ClusterEvent::Fight(fight),
                    None => continue,
                },
                Item::Frame(_) => continue,
            });
        }
    }

    /// When the last reported event happened, ns.
    pub fn reported_ns(&self) -> Option<u64> {
        self.reported_ns
    }

    /// Over all events that were reported, or would have been.
    pub fn hashes(&self) -> Hashes {
        self.hashes
    }

    /// Frames among that.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Probes among that.
    pub fn hits(&self) -> u64 {
        self.hits_reported
    }

    /// Changes of pins among that.
    pub fn pin_changes(&self) -> u64 {
        self.pin_changes
    }

    fn first(&self) -> Option<(u64, usize)> {
        let firsts = self.lanes.iter().enumerate().filter_map(|(lane, items)| Some((items.front()?.0, lane)));
        firsts.min().filter(|(time_ns, _)| *time_ns < self.bound_ns)
    }

    /// The board with the first probe before `end_ns`.
    fn first_hit(&self, end_ns: u64) -> Option<u8> {
        let firsts = self.hits.iter().enumerate().filter_map(|(board, hits)| Some((hits.front()?.time_ns, board)));
        firsts.min().filter(|(time_ns, _)| *time_ns < end_ns).map(|(_, board)| board as u8)
    }

    fn take_hit(&mut self, board: u8) -> Option<ClusterEvent> {
        let hit = self.hits[usize::from(board)].pop_front()?;
        self.hits_reported += 1;
        let hash = &mut self.hashes.probe;
        hash.mix_u64(hit.time_ns);
        hash.mix_u64(u64::from(board) << 16 | u64::from(hit.probe));
        hash.mix(hit.operands());
        Some(ClusterEvent::Probe { board, hit })
    }

    fn take(&mut self) -> Option<(u64, u8, Item)> {
        let (time_ns, lane) = self.first()?;
        let (_, item) = self.lanes[lane].pop_front()?;
        let board = lane as u8;
        self.reported_ns = Some(time_ns);
        match &item {
            Item::Console(byte) => mix_byte(&mut self.hashes.console, board, time_ns, *byte),
            Item::Log(byte) => mix_byte(&mut self.hashes.log, board, time_ns, *byte),
            Item::Exit(_) | Item::Reset(_) | Item::Power(..) | Item::Crash(_) | Item::CardFailed => {}
            Item::Pins(drive) => {
                self.pin_changes += 1;
                mix_record(&mut self.hashes.pin, board, time_ns, &[drive.low, drive.high, drive.up, drive.down]);
            }
            Item::Frame(frame) => {
                self.frames += 1;
                mix_frame(&mut self.hashes.frame, frame);
            }
        }
        Some((time_ns, board, item))
    }

    /// `byte` of `board`, and those that follow it with nothing between, to the end of the line: an event has the time
    /// of its first byte, and lines may be milliseconds apart.
    fn gather(&mut self, board: u8, byte: u8, more: fn(&Item) -> Option<u8>) -> Vec<u8> {
        let mut bytes = vec![byte];
        while bytes.len() < CHUNK_BYTES_MAX
            && bytes.last() != Some(&b'\n')
            && self.first().is_some_and(|(_, lane)| lane == usize::from(board))
            && let Some(byte) = self.lanes[usize::from(board)].front().and_then(|(_, item)| more(item))
        {
            self.take();
            bytes.push(byte);
        }
        bytes
    }
}

fn mix_record(hash: &mut Fingerprint, board: u8, time_ns: u64, words: &[u32]) {
    hash.mix_u64(time_ns);
    hash.mix(&[board]);
    words.iter().for_each(|word| hash.mix(&word.to_le_bytes()));
}

fn mix_byte(hash: &mut Fingerprint, board: u8, time_ns: u64, byte: u8) {
    hash.mix_u64(time_ns);
    hash.mix(&[board, byte]);
}

fn mix_frame(hash: &mut Fingerprint, frame: &FrameEvent) {
    hash.mix(&[frame.source, frame.destination]);
    for number in [frame.sent_ns, frame.token_wait_ns, frame.wire_ns, frame.delivered_ns, frame.bytes.len() as u64] {
        hash.mix_u64(number);
    }
    hash.mix(&frame.bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered(timeline: &mut Timeline) -> Vec<(u8, u64, Vec<u8>)> {
        std::iter::from_fn(|| timeline.pop())
            .filter_map(|event| match event {
                ClusterEvent::Console { board, time_ns, bytes } => Some((board, time_ns, bytes)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn timeline_sorts_by_time_then_board() {
        let mut timeline = Timeline::new(2, false);
        for (board, time_ns, byte) in [(1, 5, b'a'), (1, 20, b'd'), (1, 30, b'e'), (0, 10, b'b'), (0, 20, b'c')] {
            timeline.add(board, time_ns, Item::Console(byte));
        }
        timeline.release(30);
        let expected = [(1, 5, b"a".to_vec()), (0, 10, b"bc".to_vec()), (1, 20, b"d".to_vec())];
        assert_eq!(delivered(&mut timeline), expected);
        timeline.release(31);
        assert_eq!(delivered(&mut timeline), [(1, 30, b"e".to_vec())]);
    }

    #[test]
    fn timeline_lines_keep_their_own_times() {
        let mut timeline = Timeline::new(1, false);
        for (time_ns, byte) in [(5, b'a'), (6, b'\n'), (20, b'b'), (21, b'\n')] {
            timeline.add(0, time_ns, Item::Console(byte));
        }
        timeline.release(30);
        assert_eq!(delivered(&mut timeline), [(0, 5, b"a\n".to_vec()), (0, 20, b"b\n".to_vec())]);
    }

    #[test]
    fn timeline_hash_is_independent_of_arrival() {
        let run = |early: bool| {
            let mut timeline = Timeline::new(2, false);
            timeline.add(0, 1, Item::Console(b'x'));
            if early {
                timeline.add(0, 3, Item::Console(b'z'));
            }
            timeline.add(1, 2, Item::Console(b'y'));
            timeline.release(3);
            if !early {
                timeline.add(0, 3, Item::Console(b'z'));
            }
            delivered(&mut timeline);
            timeline.release(10);
            delivered(&mut timeline);
            timeline.hashes().console
        };
        assert_eq!(run(true), run(false));
    }
}
