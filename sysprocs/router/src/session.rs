//! The session with one other board: frames in order, each exactly once, or a dead board.
//!
//! Both boards greet (`Hello`) with an epoch of their own, which changes with every session, and the
//! session is up at a board when the other has named its epoch. A window of frames is kept until
//! acknowledged, and all of it is sent again after a gap or a silence (go-back-N: the bus keeps order,
//! so a gap is a loss). Invariant: a frame is handed on only if it is the next of this session.
//!
//! Not here: what the frames carry, the device, what becomes of calls when a board dies.

use crate::timing::{GREETINGS_MAX, LinkTiming, RETRIES_MAX};
use renga_wire::frame::Hello;
use renga_wire::{FRAME_BYTES_MAX, HEADER_BYTES, Header, Kind, PAYLOAD_BYTES_MAX};

/// Frames sent or ready to be sent, and not acknowledged. Divides 256, as sequence numbers wrap there.
pub const WINDOW_FRAMES: u8 = 8;
/// Frames received after which the acknowledgement does not wait for a frame to go with.
/// More than a page takes, whose reader's next call acknowledges.
const ACKNOWLEDGE_FRAMES: u8 = 6;
/// Bytes of the longest frame that is not data.
pub const CONTROL_BYTES_MAX: usize = HEADER_BYTES + Hello::BYTES + 4;

/// How things stand with the other board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It has been greeted and has not answered yet.
    Greeting,
    /// It is there.
    Up,
    /// It does not answer.
    Dead,
}

/// What to do with a data frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The next one: hand it on.
    Next,
    /// Seen before.
    Duplicate,
    /// One before it is missing, or it is of another session.
    Stray,
}

#[derive(Clone, Copy)]
struct Slot {
    bytes: [u8; FRAME_BYTES_MAX],
    payload_bytes: u16,
    frame_bytes: u16,
}

/// One board's view of a session.
pub struct Session {
    me: u8,
    peer: u8,
    timing: LinkTiming,
    state: State,
    epoch: u8,
    peer_epoch: Option<u8>,
    greetings: u16,
    greet_at_ns: u64,
    greeted_ns: Option<u64>,
    hello_due: bool,
    /// Sequence number of the oldest frame kept; `built` are kept, `sent` of them are on their way.
    base: u8,
    built: u8,
    sent: u8,
    retries: u8,
    progress_ns: u64,
    expected: u8,
    unacknowledged: u8,
    acknowledge_at_ns: Option<u64>,
    acknowledge_now: bool,
    gap: Gap,
    window: [Slot; WINDOW_FRAMES as usize],
}

/// Whether a frame is known to be missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    Seen,
    Told,
}

impl Session {
    /// Board `me`'s session with board `peer`, about to greet; `epoch` should be another one than before
    /// the board's last reset.
    pub const fn new(me: u8, peer: u8, epoch: u8, timing: LinkTiming) -> Session {
        Session {
            me,
            peer,
            timing,
            state: State::Greeting,
            epoch,
            peer_epoch: None,
            greetings: 0,
            greet_at_ns: 0,
            greeted_ns: None,
            hello_due: false,
            base: 0,
            built: 0,
            sent: 0,
            retries: 0,
            progress_ns: 0,
            expected: 0,
            unacknowledged: 0,
            acknowledge_at_ns: None,
            acknowledge_now: false,
            gap: Gap::None,
            window: [Slot { bytes: [0; FRAME_BYTES_MAX], payload_bytes: 0, frame_bytes: 0 }; WINDOW_FRAMES as usize],
        }
    }

    /// How things stand.
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether `epoch` is that of the other board in this session.
    pub fn knows(&self, epoch: u8) -> bool {
        self.peer_epoch == Some(epoch)
    }

    /// Whether a board that greets so is still in this session; one that was reset knows nothing of it.
    pub fn continues(&self, epoch: u8, hello: Hello) -> bool {
        self.knows(epoch) && hello.known == Some(self.epoch)
    }

    /// Ends the session: what was on its way will not be accepted any more.
    pub fn end(&mut self, now_ns: u64, state: State) {
        self.state = state;
        self.epoch = self.epoch.wrapping_add(1);
        self.peer_epoch = None;
        (self.greetings, self.greet_at_ns, self.hello_due) = (0, now_ns, false);
        self.restart(now_ns);
    }

    fn restart(&mut self, now_ns: u64) {
        (self.base, self.built, self.sent, self.retries, self.progress_ns) = (0, 0, 0, 0, now_ns);
        (self.expected, self.unacknowledged, self.acknowledge_now) = (0, 0, false);
        (self.acknowledge_at_ns, self.gap) = (None, Gap::None);
    }

    /// Greets a board thought dead, which may be there again; at most once in `greet_ns`.
    pub fn knock(&mut self, now_ns: u64) {
        if self.greeted_ns.is_none_or(|at_ns| now_ns >= at_ns + self.timing.greet_ns) {
            self.hello_due = true;
        }
    }

    /// Takes a greeting. A session that was up with another epoch must have been ended before.
    pub fn receive_hello(&mut self, now_ns: u64, epoch: u8, hello: Hello) {
        if self.peer_epoch != Some(epoch) {
            self.peer_epoch = Some(epoch);
            self.restart(now_ns);
        }
        if self.state == State::Dead {
            (self.state, self.greetings) = (State::Greeting, 0);
            self.greet_at_ns = now_ns + self.timing.greet_ns;
        }
        if hello.known == Some(self.epoch) {
            self.state = State::Up;
        }
        self.hello_due |= hello.asks;
    }

    /// Takes the number and the acknowledgement of a data frame.
    pub fn receive_data(&mut self, now_ns: u64, header: Header, acknowledged: u8) -> Verdict {
        if self.state != State::Up {
            self.knock(now_ns);
            return Verdict::Stray;
        }
        if !self.knows(header.epoch) {
            return Verdict::Stray;
        }
        self.acknowledge(now_ns, acknowledged);
        if header.sequence == self.expected {
            self.expected = self.expected.wrapping_add(1);
            self.unacknowledged += 1;
            self.gap = Gap::None;
            self.acknowledge_now |= self.unacknowledged >= ACKNOWLEDGE_FRAMES;
            self.acknowledge_at_ns.get_or_insert(now_ns + self.timing.acknowledge_ns);
            return Verdict::Next;
        }
        if self.expected.wrapping_sub(header.sequence) <= u8::MAX / 2 {
            self.acknowledge_now = true; // its acknowledgement was lost
            return Verdict::Duplicate;
        }
        if self.gap == Gap::None {
            self.gap = Gap::Seen;
        }
        Verdict::Stray
    }

    /// Takes an acknowledgement; `gap`: and the request to go back. Whether it made frames be sent again.
    pub fn receive_acknowledgement(&mut self, now_ns: u64, header: Header, gap: bool) -> bool {
        if self.state != State::Up || !self.knows(header.epoch) {
            return false;
        }
        self.acknowledge(now_ns, header.sequence);
        let back = gap && self.sent > 0 && header.sequence == self.base;
        if back {
            self.go_back(now_ns);
        }
        back
    }

    fn acknowledge(&mut self, now_ns: u64, next: u8) {
        let frames = next.wrapping_sub(self.base);
        if frames == 0 || frames > self.built {
            return;
        }
        self.base = next;
        self.built -= frames;
        self.sent = self.sent.saturating_sub(frames);
        (self.retries, self.progress_ns) = (0, now_ns);
    }

    fn go_back(&mut self, now_ns: u64) {
        (self.sent, self.progress_ns) = (0, now_ns);
    }

    /// When [`Session::expire`] has something to do.
    pub fn deadline_ns(&self) -> Option<u64> {
        match self.state {
            State::Dead => None,
            State::Greeting => Some(self.greet_at_ns),
            State::Up => {
                let again = (self.sent > 0).then(|| self.progress_ns + self.timing.retransmit_ns);
                [again, self.acknowledge_at_ns].into_iter().flatten().min()
            }
        }
    }

    /// Does what is due at `now_ns`: how many frames are to be sent again, or `None`: the board is dead.
    pub fn expire(&mut self, now_ns: u64) -> Option<u8> {
        if self.deadline_ns().is_none_or(|at_ns| at_ns > now_ns) {
            return Some(0);
        }
        if self.state == State::Greeting {
            self.greetings += 1;
            self.hello_due = true;
            self.greet_at_ns = now_ns + self.timing.greet_ns;
            return (self.greetings <= GREETINGS_MAX).then_some(0);
        }
        if self.acknowledge_at_ns.is_some_and(|at_ns| at_ns <= now_ns) {
            // Should the device be full now, its next room serves, not this deadline once more.
            (self.acknowledge_now, self.acknowledge_at_ns) = (true, None);
        }
        if self.sent == 0 || self.progress_ns + self.timing.retransmit_ns > now_ns {
            return Some(0);
        }
        self.retries += 1;
        let again = self.sent;
        self.go_back(now_ns);
        (self.retries <= RETRIES_MAX).then_some(again)
    }

    /// Room for the next fragment, if the window has any.
    pub fn room(&mut self) -> Option<&mut [u8]> {
        if self.state != State::Up || self.built == WINDOW_FRAMES {
            return None;
        }
        let slot = &mut self.window[usize::from(self.base.wrapping_add(self.built) % WINDOW_FRAMES)];
        Some(&mut slot.bytes[HEADER_BYTES + 1..HEADER_BYTES + PAYLOAD_BYTES_MAX])
    }

    /// Adds the frame whose fragment of `bytes` stands in [`Session::room`].
    pub fn build(&mut self, bytes: usize) {
        let slot = &mut self.window[usize::from(self.base.wrapping_add(self.built) % WINDOW_FRAMES)];
        (slot.payload_bytes, slot.frame_bytes) = (1 + bytes as u16, 0);
        self.built += 1;
    }

    /// Whether a frame waits to be sent, or sent again.
    pub fn has_unsent(&self) -> bool {
        self.sent < self.built
    }

    /// The next frame to send.
    pub fn unsent(&mut self) -> Option<&[u8]> {
        if !self.has_unsent() {
            return None;
        }
        let sequence = self.base.wrapping_add(self.sent);
        let slot = &mut self.window[usize::from(sequence % WINDOW_FRAMES)];
        if slot.frame_bytes == 0 || slot.bytes[HEADER_BYTES] != self.expected {
            slot.bytes[HEADER_BYTES] = self.expected;
            let header =
                Header { kind: Kind::Data, destination: self.peer, source: self.me, epoch: self.epoch, sequence };
            let Ok(bytes) = header.seal(usize::from(slot.payload_bytes), &mut slot.bytes) else {
                unreachable!("a fragment fits into a frame")
            };
            slot.frame_bytes = bytes as u16;
        }
        Some(&slot.bytes[..usize::from(slot.frame_bytes)])
    }

    /// The device has taken the frame of [`Session::unsent`].
    pub fn set_sent(&mut self, now_ns: u64) {
        if self.sent == 0 {
            self.progress_ns = now_ns;
        }
        self.sent += 1;
        self.set_acknowledged();
    }

    fn set_acknowledged(&mut self) {
        (self.unacknowledged, self.acknowledge_now, self.acknowledge_at_ns) = (0, false, None);
    }

    /// The control frame that is due, written into `out`: its length, bytes. `data_follows`: a data
    /// frame will go now, and takes the acknowledgement with it.
    pub fn control(&self, data_follows: bool, out: &mut [u8; CONTROL_BYTES_MAX]) -> Option<usize> {
        let (kind, sequence) = if self.hello_due {
            (Kind::Hello, 0)
        } else if self.gap == Gap::Seen {
            (Kind::Nak, self.expected)
        } else if self.acknowledge_now && !data_follows {
            (Kind::Ack, self.expected)
        } else {
            return None;
        };
        let header = Header { kind, destination: self.peer, source: self.me, epoch: self.epoch, sequence };
        let hello = Hello { known: self.peer_epoch, asks: self.state != State::Up }.to_bytes();
        let payload = if kind == Kind::Hello { &hello[..] } else { &[] };
        header.emit(payload, out).ok()
    }

    /// The device has taken the frame of [`Session::control`].
    pub fn set_control_sent(&mut self, now_ns: u64) {
        if self.hello_due {
            (self.hello_due, self.greeted_ns) = (false, Some(now_ns));
            return;
        }
        if self.gap == Gap::Seen {
            self.gap = Gap::Told;
        }
        self.set_acknowledged();
    }
}
