//! The session with one other board: frames in order, each exactly once, or a failed board.
//!
//! Both boards say `Hello` with an epoch of their own, which changes with every session and every boot. The session
//! is up at a board when the other has named its epoch. A window keeps frames until they are acknowledged. A receiver
//! that sees a gap sends `Nak`, and the sender goes back (go-back-N: the bus keeps order, so a gap is a loss).
//! Silence alone resends nothing: the sender sends a question (a `Hello` with the number it expects next), and
//! resends what the answer lacks.
//!
//! While a board owes something (an acknowledgement, a reply, the end of a child) and is silent, its peer repeats the
//! question. After [`LinkTiming::dead_ns`] of silence it is dead. Invariant: the session hands on only its own next
//! frame, and only a frame of this session counts as heard. So a board that rebooted with the same epoch is found
//! dead, and not taken for its former incarnation.
//!
//! Not here: sending (`window.rs`), what frames carry, the calls of a failed board (`session_end.rs`).

use crate::session::timing::{HELLOS_MAX, LinkTiming, STUCK_FACTOR};
use renga_wire::frame::Hello;
use renga_wire::{FRAME_BYTES_MAX, HEADER_BYTES, Header};

/// Frames sent or ready to be sent, and not acknowledged. Divides 256, as sequence numbers wrap there.
pub const WINDOW_FRAMES: u8 = 8;
/// Frames received after which the acknowledgement does not wait for a frame to go with.
/// More than a page takes, whose reader's next call acknowledges.
const ACKNOWLEDGE_FRAMES: u8 = 6;
/// Bytes of the longest frame that is not data.
pub const CONTROL_BYTES_MAX: usize = HEADER_BYTES + Hello::BYTES + 4;

/// How often a board thought dead is greeted unasked, each time after twice as long as before: for 23 s on the
/// profile `pi3`.
const DEAD_HELLOS_MAX: u32 = 8;

/// How things stand with the other board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionState {
    /// It has been greeted and has not answered yet.
    Hello,
    /// It is there.
    Up,
    /// It does not answer.
    Dead,
}

/// What to do with a data frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameOrder {
    /// The next one: hand it on.
    Next,
    /// Seen before.
    Duplicate,
    /// One before it is missing, or it is of another session.
    Stray,
}

#[derive(Clone, Copy)]
pub(crate) struct WindowSlot {
    pub(crate) bytes: [u8; FRAME_BYTES_MAX],
    pub(crate) payload_bytes: u16,
    pub(crate) frame_bytes: u16,
}

/// A question to the other board whether it is there and what has arrived.
#[derive(Clone, Copy)]
pub(crate) struct Question {
    /// When it was put last.
    pub(crate) at_ns: u64,
    /// How often it was put.
    pub(crate) times: u16,
    /// The number behind the last frame sent before it was put first.
    pub(crate) behind: u8,
}

/// What has passed each way in a session; with each session it begins again.
#[derive(Clone, Copy, Default)]
pub(crate) struct FrameFlow {
    /// Sequence number of the oldest frame kept; `built` are kept, the first `sent` of them are on their way,
    /// and the first `reached` have been at least once.
    pub(crate) base: u8,
    pub(crate) built: u8,
    pub(crate) sent: u8,
    pub(crate) reached: u8,
    /// When one was last acknowledged, or the first was sent.
    pub(crate) progress_ns: u64,
    /// When the other board was last heard, or something was first awaited of it since.
    pub(crate) received_ns: u64,
    pub(crate) outstanding: Option<Question>,
    pub(crate) ask_due: bool,
    /// The number of the last question put, and of the last one heard.
    pub(crate) question: u8,
    pub(crate) heard_question: u8,
    /// The frame, sent once only, by which the way there and back is measured, and when it was sent.
    pub(crate) timed: Option<(u8, u64)>,
    /// The longest way there and back of late, ns.
    pub(crate) round_trip_ns: u64,
    pub(crate) expected: u8,
    pub(crate) unacknowledged: u8,
    pub(crate) acknowledge_at_ns: Option<u64>,
    pub(crate) acknowledge_now: bool,
    pub(crate) gap: Gap,
}

renga_rt::with_defaults! {
    /// One board's view of a session.
    #[derive(Clone)]
    pub struct Session {
        pub(crate) me: u8 = me,
        pub(crate) peer: u8 = peer,
        pub(crate) timing: LinkTiming = timing,
        pub(crate) state: SessionState = SessionState::Hello,
        /// Sessions that were up and have ended.
        pub(crate) number: u32 = 0,
        pub(crate) epoch: u8 = epoch,
        pub(crate) peer_epoch: Option<u8> = None,
        pub(crate) hello_at_ns: u64 = 0,
        pub(crate) hello_until_ns: u64 = timing.hello_ns * HELLOS_MAX,
        pub(crate) hello_sent_ns: Option<u64> = None,
        /// When a board thought dead is greeted next, and how often it was.
        pub(crate) dead_hello_at_ns: u64 = 0,
        pub(crate) dead_hellos: u32 = 0,
        pub(crate) hello_due: bool = false,
        /// Something else than acknowledgements is awaited of it.
        pub(crate) watched: bool = false,
        pub(crate) flow: FrameFlow = FrameFlow::default(),
        pub(crate) window: [WindowSlot; WINDOW_FRAMES as usize] =
            [WindowSlot { bytes: [0; FRAME_BYTES_MAX], payload_bytes: 0, frame_bytes: 0 }; WINDOW_FRAMES as usize],
    }
    /// Board `me`'s session with board `peer`, about to say hello; `epoch` should be another one than before
    /// the board's last reset.
    pub fn new(me: u8, peer: u8, epoch: u8, timing: LinkTiming);
}

/// Whether a frame is known to be missing.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Gap {
    #[default]
    None,
    Seen,
    Reported,
}

impl Session {
    /// How things stand.
    pub fn state(&self) -> SessionState {
        self.state
    }

    /// Sessions with the board that were up and have ended: distinguishes its incarnations.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether `epoch` is that of the other board in this session.
    fn knows(&self, epoch: u8) -> bool {
        self.peer_epoch == Some(epoch)
    }

    /// Whether a board that greets so is still in this session; one that was reset knows nothing of it.
    pub fn continues(&self, epoch: u8, hello: Hello) -> bool {
        self.knows(epoch) && hello.known == Some(self.epoch)
    }

    /// SessionEnds the session: what was on its way will not be accepted any more.
    pub fn end(&mut self, now_ns: u64, state: SessionState) {
        self.number = self.number.wrapping_add(u32::from(self.state == SessionState::Up));
        self.state = state;
        self.epoch = self.epoch.wrapping_add(1);
        self.peer_epoch = None;
        self.hello_due = false;
        (self.hello_at_ns, self.hello_until_ns) = (now_ns, now_ns + self.timing.dead_ns);
        (self.dead_hello_at_ns, self.dead_hellos) = (now_ns + self.timing.dead_ns, 0);
        self.restart(now_ns);
    }

    fn restart(&mut self, now_ns: u64) {
        self.flow = FrameFlow { progress_ns: now_ns, received_ns: now_ns, ..FrameFlow::default() };
    }

    /// Greets a board thought dead, which may be there again; at most once in `greet_ns`.
    pub fn offer_hello(&mut self, now_ns: u64) {
        if self.hello_sent_ns.is_none_or(|at_ns| now_ns >= at_ns + self.timing.hello_ns) {
            self.hello_due = true;
        }
    }

    /// Greets the board, whose greeting had to wait.
    pub fn answer_hello(&mut self) {
        self.hello_due = true;
    }

    /// Takes a greeting, whose frame has the number `sequence`. A session that was up and does not continue
    /// must have been ended before. How many frames it made be sent again.
    pub fn receive_hello(&mut self, now_ns: u64, epoch: u8, sequence: u8, hello: Hello) -> u8 {
        if self.state == SessionState::Up {
            return self.receive_answer(now_ns, sequence, hello);
        }
        if self.peer_epoch != Some(epoch) {
            self.peer_epoch = Some(epoch);
            self.restart(now_ns);
        }
        if self.state == SessionState::Dead {
            self.state = SessionState::Hello;
            self.hello_at_ns = now_ns + self.timing.hello_ns;
        }
        // It is there: from now on silence means what it means in a session, also soon after boot.
        self.hello_until_ns = now_ns + self.timing.dead_ns;
        // Nothing of this session can have arrived there.
        if hello.known == Some(self.epoch) && sequence == 0 {
            (self.state, self.flow.received_ns) = (SessionState::Up, now_ns);
        }
        (self.hello_due, self.flow.heard_question) = (self.hello_due | hello.asks, hello.question);
        0
    }

    /// Takes a question, the answer to one, or both.
    fn receive_answer(&mut self, now_ns: u64, next: u8, hello: Hello) -> u8 {
        if !self.is_possible(next) {
            return 0;
        }
        let answered = self.flow.outstanding.take_if(|_| hello.answers == self.flow.question);
        (self.hello_due, self.flow.heard_question) = (self.hello_due | hello.asks, hello.question);
        self.flow.received_ns = now_ns;
        self.acknowledge(now_ns, next);
        let Some(answered) = answered else { return 0 };
        if answered.times == 1 {
            self.measure(now_ns - answered.at_ns);
        }
        self.flow.progress_ns = now_ns;
        let lost = answered.behind.wrapping_sub(self.flow.base);
        if lost == 0 || lost > self.flow.reached { 0 } else { self.go_back(now_ns) }
    }

    /// Notes a round trip; only that of a frame sent once, as otherwise its start is ambiguous (Karn).
    pub(crate) fn measure(&mut self, took_ns: u64) {
        self.flow.round_trip_ns = took_ns.max(self.flow.round_trip_ns - self.flow.round_trip_ns / 8);
    }

    /// Takes the number and the acknowledgement of a data frame.
    pub fn receive_data(&mut self, now_ns: u64, header: Header, acknowledged: u8) -> FrameOrder {
        if self.state != SessionState::Up {
            self.offer_hello(now_ns);
            return FrameOrder::Stray;
        }
        if !self.knows(header.epoch) {
            return FrameOrder::Stray;
        }
        if self.is_possible(acknowledged) {
            self.flow.received_ns = now_ns;
            self.acknowledge(now_ns, acknowledged);
        }
        if header.sequence == self.flow.expected {
            self.flow.expected = self.flow.expected.wrapping_add(1);
            self.flow.unacknowledged = self.flow.unacknowledged.saturating_add(1);
            self.flow.gap = Gap::None;
            self.flow.acknowledge_now |= self.flow.unacknowledged >= ACKNOWLEDGE_FRAMES;
            self.flow.acknowledge_at_ns.get_or_insert(now_ns + self.timing.acknowledge_ns);
            return FrameOrder::Next;
        }
        if self.flow.expected.wrapping_sub(header.sequence) <= u8::MAX / 2 {
            self.flow.acknowledge_now = true; // its acknowledgement was lost
            return FrameOrder::Duplicate;
        }
        if self.flow.gap == Gap::None {
            self.flow.gap = Gap::Seen;
        }
        FrameOrder::Stray
    }

    /// Takes an acknowledgement; `gap`: and the request to go back. How many frames it made be sent again.
    pub fn receive_acknowledgement(&mut self, now_ns: u64, header: Header, gap: bool) -> u8 {
        if self.state != SessionState::Up || !self.knows(header.epoch) || !self.is_possible(header.sequence) {
            return 0;
        }
        self.flow.received_ns = now_ns;
        self.acknowledge(now_ns, header.sequence);
        if gap && self.flow.sent > 0 { self.go_back(now_ns) } else { 0 }
    }

    /// Whether the other board can expect the frame `next` next; an old frame says what it once did.
    fn is_possible(&self, next: u8) -> bool {
        next.wrapping_sub(self.flow.base) <= self.flow.reached
    }

    /// Says whether more than acknowledgements is awaited of the other board.
    pub fn set_watched(&mut self, now_ns: u64, watched: bool) {
        if watched && !self.is_awaited() {
            self.flow.received_ns = self.flow.received_ns.max(now_ns);
        }
        self.watched = watched;
        if !self.is_awaited() {
            self.flow.outstanding = None;
        }
    }

    pub(crate) fn is_awaited(&self) -> bool {
        self.watched || self.flow.reached > 0
    }

    /// When to repeat the question, if the other board stays silent. On a busy bus answers take long, and questions
    /// would only keep it busier.
    fn ask_at_ns(&self) -> Option<u64> {
        let LinkTiming { ask_ns, probe_ns, retransmit_ns, .. } = self.timing;
        if let Some(question) = self.flow.outstanding {
            let patience_ns = self.flow.round_trip_ns.clamp(ask_ns, probe_ns);
            return self.is_awaited().then_some(question.at_ns + patience_ns);
        }
        let frames =
            (self.flow.sent > 0).then_some(self.flow.progress_ns + retransmit_ns.max(2 * self.flow.round_trip_ns));
        [frames, self.is_awaited().then_some(self.flow.received_ns + probe_ns)].into_iter().flatten().min()
    }

    /// When the other board is dead, if it stays silent.
    fn dead_at_ns(&self) -> Option<u64> {
        let stuck = (self.flow.reached > 0).then_some(self.flow.progress_ns + self.timing.dead_ns * STUCK_FACTOR);
        let silent = self.is_awaited().then_some(self.flow.received_ns + self.timing.dead_ns);
        [stuck, silent].into_iter().flatten().min()
    }

    /// When [`Session::expire`] has something to do.
    pub fn deadline_ns(&self) -> Option<u64> {
        match self.state {
            SessionState::Dead => (self.dead_hellos < DEAD_HELLOS_MAX).then_some(self.dead_hello_at_ns),
            SessionState::Hello => Some(self.hello_at_ns.min(self.hello_until_ns)),
            SessionState::Up => {
                [self.ask_at_ns(), self.dead_at_ns(), self.flow.acknowledge_at_ns].into_iter().flatten().min()
            }
        }
    }

    /// Does what is due at `now_ns`; false: the board is dead.
    pub fn expire(&mut self, now_ns: u64) -> bool {
        let due = |at_ns: Option<u64>| at_ns.is_some_and(|at_ns| at_ns <= now_ns);
        match self.state {
            SessionState::Dead => {
                // That board may run, not know that the session has ended, and keep its leases until it does.
                if self.dead_hellos < DEAD_HELLOS_MAX && due(Some(self.dead_hello_at_ns)) {
                    self.dead_hellos += 1;
                    self.dead_hello_at_ns = now_ns + (self.timing.dead_ns << self.dead_hellos);
                    self.offer_hello(now_ns);
                }
                return true;
            }
            SessionState::Hello => {
                if due(Some(self.hello_at_ns)) {
                    self.hello_due = true;
                    self.hello_at_ns = now_ns + self.timing.hello_ns;
                }
                return !due(Some(self.hello_until_ns));
            }
            SessionState::Up => {}
        }
        if due(self.flow.acknowledge_at_ns) {
            // Should the device be full now, its next room serves, not this deadline once more.
            (self.flow.acknowledge_now, self.flow.acknowledge_at_ns) = (true, None);
        }
        if due(self.ask_at_ns()) {
            self.ask(now_ns);
        }
        !due(self.dead_at_ns())
    }

    /// Puts a question, or the last one again.
    fn ask(&mut self, now_ns: u64) {
        let question = self.flow.outstanding.unwrap_or_else(|| {
            self.flow.question = (self.flow.question + 1) % Hello::QUESTIONS;
            Question { at_ns: now_ns, times: 0, behind: self.flow.base.wrapping_add(self.flow.sent) }
        });
        self.flow.outstanding = Some(Question { at_ns: now_ns, times: question.times.saturating_add(1), ..question });
        self.flow.ask_due = true;
    }
}
