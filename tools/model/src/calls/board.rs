//! One modelled board: a real session, and what the router keeps of calls, in small.
//!
//! Correspondence with `sysprocs/router`: `receive` is `router.rs`, `take_call` and `receive_reply` are
//! `outgoing.rs`, `copy` and `receive_copy` are `asynchronous.rs`, `receive_call` is `incoming.rs`, `end` is
//! `session_end.rs`. A server answers at once; slices and interruptions are left out.

use super::CallsMutant;
use super::frames::{FrameInFlight, asked, put, request, spoil};
use renga_router::{CONTROL_BYTES_MAX, FrameOrder, LinkTiming, Session, SessionState};
use renga_wire::frame::Hello;
use renga_wire::{Cost, FrameKind, Head, LinkFrame};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Copies of asynchronous calls.
pub const SLOTS: usize = 2;
/// One tick: every timer but that of death.
pub const TICK_NS: u64 = 1;
/// When a silent board is dead.
pub const DEAD_NS: u64 = 2;
const TIMING: LinkTiming = LinkTiming {
    page_ns: TICK_NS,
    acknowledge_ns: TICK_NS,
    retransmit_ns: TICK_NS,
    hello_ns: TICK_NS,
    probe_ns: TICK_NS,
    ask_ns: TICK_NS,
    dead_ns: DEAD_NS,
};

/// Something to send.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallsOutput {
    /// The caller's call.
    Call,
    /// The reply to the other board's caller.
    Reply,
    /// A copied call.
    Copy(u8),
    /// The end of one of the other board's.
    Done(u8),
}

/// The events of a step, for the world's checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallsEvent {
    /// The server executed a call.
    Executed {
        /// Which.
        id: u8,
        /// The incarnation that its caller believes it to be.
        believes: Option<u8>,
    },
    /// This call of the caller was answered.
    Answered(u8),
    /// The caller's call failed; it may have been executed.
    Failed,
    /// The caller learned that it speaks to another incarnation.
    NewIncarnation,
    /// What came cannot be: a protocol that is right never sends it.
    Refused,
    /// A frame of another session was taken.
    Foreign,
}

/// A board.
#[derive(Clone)]
pub struct CallsBoard {
    /// The session with the other one.
    pub session: Arc<Session>,
    /// Times that it was started, from 0.
    pub incarnation: u8,
    /// Sessions, over all incarnations.
    pub number: u16,
    /// The other's, from its hello.
    pub peer: Option<u16>,
    /// The servers have not all learned of the end of the last session; the other board has sent a hello meanwhile.
    pub closing: Option<bool>,
    /// What is to be sent.
    pub jobs: VecDeque<CallsOutput>,
    /// The caller's call that waits, and its number.
    pub waiting: Option<u8>,
    /// As which session the caller knows the other board.
    pub knows: Option<u32>,
    /// The incarnation of the server that answered the caller last.
    pub believes: Option<u8>,
    /// Copies under way: the calls.
    pub copies: [Option<u8>; SLOTS],
    /// The reply to the other board's caller.
    pub reply: Option<u8>,
    /// The other board's copies that arrived and are not reported.
    pub arrived: [bool; SLOTS],
    /// How it is wrong.
    pub mutant: Option<CallsMutant>,
}

impl CallsBoard {
    /// Board `me`, in its incarnation `incarnation`, whose sessions are counted from `number`.
    pub fn new(me: u8, incarnation: u8, number: u16, mutant: Option<CallsMutant>) -> CallsBoard {
        let mut board = CallsBoard {
            session: Arc::new(Session::new(me, 1 - me, CallsBoard::first_epoch(incarnation, mutant), TIMING)),
            incarnation,
            number,
            peer: None,
            closing: None,
            jobs: VecDeque::new(),
            waiting: None,
            knows: None,
            believes: None,
            copies: [None; SLOTS],
            reply: None,
            arrived: [false; SLOTS],
            mutant,
        };
        board.session().forget_times();
        board
    }

    /// Far from those of the last incarnation's sessions.
    fn first_epoch(incarnation: u8, mutant: Option<CallsMutant>) -> u8 {
        if mutant == Some(CallsMutant::EpochOfBootKept) { 1 } else { 1 + incarnation * 64 }
    }

    pub(crate) fn session(&mut self) -> &mut Session {
        Arc::make_mut(&mut self.session)
    }

    fn is(&self, mutant: CallsMutant) -> bool {
        self.mutant == Some(mutant)
    }

    fn figures(&self) -> impl Hash + Eq + use<'_> {
        let calls = (self.waiting, self.knows, self.believes, &self.copies, self.reply, &self.arrived);
        (&*self.session, self.incarnation, self.number, self.peer, self.closing, &self.jobs, calls)
    }

    /// Whether there is something to send.
    pub fn has_to_send(&self) -> bool {
        let room = self.session.state() == SessionState::Up && !self.jobs.is_empty();
        room || self.session.has_unsent() || self.session.control(false, &mut [0; CONTROL_BYTES_MAX]).is_some()
    }

    /// The next frame, if there is anything to send.
    pub fn transmit(&mut self) -> Option<FrameInFlight> {
        if !self.session.has_unsent() {
            self.build();
        }
        let (data, mut control) = (self.session.has_unsent(), [0; CONTROL_BYTES_MAX]);
        let bytes = if let Some(length) = self.session.control(data, &mut control) {
            self.session().set_control_sent(0);
            control[..length].to_vec()
        } else {
            let bytes = self.session().unsent()?.to_vec();
            self.session().set_sent(0);
            bytes
        };
        let bytes = if self.is(CallsMutant::AcknowledgesTooMuch) { spoil(self.mutant, &bytes, 0) } else { bytes };
        self.settle();
        Some(FrameInFlight { bytes, session: self.number, peer: self.peer })
    }

    fn build(&mut self) {
        let session = Arc::make_mut(&mut self.session);
        // Bounded by the jobs.
        while let Some(room) = session.room() {
            let Some(job) = self.jobs.pop_front() else { return };
            let head = match job {
                CallsOutput::Call => self.waiting.map(|id| {
                    let request = request(id, self.believes);
                    Head::Call { caller: 0, number: id, request }
                }),
                CallsOutput::Reply => self.reply.map(|id| {
                    let words = [u64::from(id), u64::from(self.incarnation), 0, 0, 0, 0];
                    Head::Reply { caller: 0, number: id, words, used_bytes: 0, plain_bytes: 0, cost: Cost::NONE }
                }),
                CallsOutput::Copy(slot) => self.copies[usize::from(slot)]
                    .map(|id| Head::Async { slot: slot.into(), request: request(id, self.believes) }),
                CallsOutput::Done(slot) => {
                    self.arrived[usize::from(slot)] = false;
                    Some(Head::Done { slot: slot.into(), errno: 0 })
                }
            };
            if let (CallsOutput::Copy(slot), Some(CallsMutant::CreditEarly)) = (job, self.mutant) {
                self.copies[usize::from(slot)] = None;
            }
            if let Some(head) = head {
                let bytes = put(head, room);
                return session.build(bytes);
            }
        }
    }

    /// Inputs of the session after each step.
    pub(crate) fn settle(&mut self) {
        let watched = self.waiting.is_some();
        self.session().set_watched(0, watched);
        self.session().forget_times();
    }

    /// The caller calls. Whether it goes on at once.
    pub fn call(&mut self, id: u8, asynchronous: bool) -> Option<CallsEvent> {
        let (state, number) = (self.session.state(), self.session.number());
        let new_incarnation = self.knows.is_some_and(|known| known != number);
        self.knows = Some(number);
        let event = if state == SessionState::Dead {
            self.session().offer_hello(0);
            Some(CallsEvent::Failed)
        } else if new_incarnation && !self.is(CallsMutant::IncarnationsNotReported) {
            self.believes = None;
            Some(CallsEvent::NewIncarnation)
        } else {
            let slot =
                self.copies.iter().position(Option::is_none).filter(|_| asynchronous && state == SessionState::Up);
            match slot {
                Some(slot) => {
                    self.copies[slot] = Some(id);
                    self.jobs.push_back(CallsOutput::Copy(slot as u8));
                }
                None => {
                    self.waiting = Some(id);
                    self.jobs.push_back(CallsOutput::Call);
                }
            }
            None
        };
        self.settle();
        event
    }

    /// Time passes without anything heard: until the timers are due, or until the other board is dead.
    pub fn expire(&mut self, until_ns: u64) -> Option<CallsEvent> {
        if self.session().expire(until_ns) {
            self.settle();
            return None;
        }
        let failed = self.end(SessionState::Dead);
        self.settle();
        failed
    }

    /// The servers have been notified.
    pub fn close(&mut self) {
        if self.closing.take() == Some(true) {
            self.session().answer_hello();
        }
        self.settle();
    }

    fn end(&mut self, state: SessionState) -> Option<CallsEvent> {
        let (was_up, epoch) = (self.session.state() == SessionState::Up, self.session.epoch());
        self.session().end(0, state);
        // Each end takes the next of the 256 epochs.
        while self.is(CallsMutant::EpochKept) && self.session.epoch() != epoch {
            self.session().end(0, state);
        }
        self.number += 1;
        (self.peer, self.closing) = (None, was_up.then_some(false).or(self.closing));
        if !self.is(CallsMutant::JobsKept) {
            self.jobs.clear();
        }
        self.copies = [None; SLOTS];
        self.reply = None;
        if !self.is(CallsMutant::CopiesKept) {
            self.arrived = [false; SLOTS];
        }
        if self.is(CallsMutant::CallsRepeated) && self.waiting.is_some() {
            self.jobs.push_back(CallsOutput::Call);
            return None;
        }
        self.waiting.take().map(|_| CallsEvent::Failed)
    }

    /// Takes a frame; what happened.
    pub fn receive(&mut self, sent: &FrameInFlight) -> Vec<CallsEvent> {
        let bytes = match self.mutant {
            Some(CallsMutant::KnownNotChecked) => spoil(self.mutant, &sent.bytes, self.session.epoch()),
            _ => sent.bytes.clone(),
        };
        let Ok(frame) = LinkFrame::parse(&bytes) else { panic!("the bus damages no frames") };
        let header = frame.header;
        let mut events = Vec::new();
        match header.kind {
            FrameKind::Hello => self.receive_hello(sent, frame, &mut events),
            FrameKind::Ack | FrameKind::Nak => {
                self.session().receive_acknowledgement(0, header, header.kind == FrameKind::Nak);
            }
            FrameKind::Data => {
                let up = self.session.state() == SessionState::Up;
                let verdict = self.session().receive_data(0, header, frame.payload[0]);
                let taken = match verdict {
                    FrameOrder::Next => true,
                    FrameOrder::Duplicate => self.is(CallsMutant::DuplicatesHandedOn),
                    FrameOrder::Stray => up && self.is(CallsMutant::GapsIgnored),
                };
                if taken {
                    if Some(sent.session) != self.peer || sent.peer != Some(self.number) {
                        events.push(CallsEvent::Foreign);
                    }
                    self.receive_fragment(&frame.payload[1..], &mut events);
                }
            }
            _ => panic!("no session sends that"),
        }
        self.settle();
        events
    }

    fn receive_hello(&mut self, sent: &FrameInFlight, frame: LinkFrame<'_>, events: &mut Vec<CallsEvent>) {
        let (header, Ok(hello)) = (frame.header, Hello::parse(frame.payload)) else {
            panic!("sessions send greetings")
        };
        let continues = self.session.continues(header.epoch, hello);
        if self.session.state() == SessionState::Up && !continues && !self.is(CallsMutant::NewBeginningsIgnored) {
            events.extend(self.end(SessionState::Hello));
        }
        if let Some(greeted) = &mut self.closing {
            *greeted = true;
            return;
        }
        if self.session.state() != SessionState::Up {
            self.peer = Some(sent.session);
        }
        self.session().receive_hello(0, header.epoch, header.sequence, hello);
    }

    fn receive_fragment(&mut self, fragment: &[u8], events: &mut Vec<CallsEvent>) {
        let Ok((head, _)) = Head::parse(fragment) else { panic!("boards send fragments") };
        match head {
            Head::Call { number, request, .. } => {
                if self.reply == Some(number) {
                    return self.jobs.push_back(CallsOutput::Reply);
                }
                let (id, believes) = asked(&request);
                events.push(CallsEvent::Executed { id, believes });
                self.reply = Some(number);
                self.jobs.push_back(CallsOutput::Reply);
            }
            Head::Reply { number, words, .. } if self.waiting == Some(number) => {
                self.waiting = None;
                self.believes = Some(words[1] as u8);
                events.push(CallsEvent::Answered(words[0] as u8));
            }
            Head::Async { slot, request } if !self.arrived[usize::from(slot)] => {
                let (id, believes) = asked(&request);
                events.push(CallsEvent::Executed { id, believes });
                self.arrived[usize::from(slot)] = true;
                self.jobs.push_back(CallsOutput::Done(slot as u8));
                if self.is(CallsMutant::CreditTwice) {
                    self.jobs.push_back(CallsOutput::Done(slot as u8));
                }
            }
            Head::Done { slot, .. } if self.copies[usize::from(slot)].is_some() => {
                self.copies[usize::from(slot)] = None
            }
            _ => events.push(CallsEvent::Refused),
        }
    }
}

impl Hash for CallsBoard {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.figures().hash(state);
    }
}

impl PartialEq for CallsBoard {
    fn eq(&self, other: &CallsBoard) -> bool {
        self.figures() == other.figures()
    }
}

impl Eq for CallsBoard {}

impl std::fmt::Debug for CallsBoard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let session = (self.session.state(), self.session.epoch());
        write!(
            f,
            "incarnation {} session {} {session:?} waits {:?} {:?}",
            self.incarnation, self.number, self.waiting, self.jobs
        )
    }
}
