//! Two boards, the bus between them, a program on board 0 that calls a server on board 1.
//!
//! Invariant: the bus keeps the order of each direction; it loses and doubles frames as often as the search
//! allows, boards are reset, and boards take each other for dead, likewise.

use super::CallsMutant;
use super::board::{CallsBoard, CallsEvent, DEAD_NS, TICK_NS};
use super::frames::FrameInFlight;
use std::collections::VecDeque;

/// Frames on their way in one direction at most: what a device queues.
const BUS_FRAMES: usize = 2;
/// Steps in which boards that are left alone do all that is to be done, and answer one call more.
const RECOVERY_STEPS: u32 = 400;

/// What may happen, and how often.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallsLimits {
    /// Frames lost.
    pub losses: u8,
    /// Frames that arrive twice.
    pub doubles: u8,
    /// Boards reset.
    pub resets: u8,
    /// Boards taken for dead.
    pub deaths: u8,
    /// Timers that are due while frames are on their way.
    pub hastes: u8,
}

/// A change of the world.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallsChange {
    /// The next frame arrives at this board.
    Deliver(u8),
    /// It does not.
    Lose(u8),
    /// It does, and will again.
    Double(u8),
    /// This board sends a frame.
    Send(u8),
    /// The program makes its next call.
    Call,
    /// This board's timers are due.
    Tick(u8),
    /// This board takes the other for dead.
    Death(u8),
    /// This board is reset.
    Reset(u8),
    /// This board's servers have learned of the end of a session.
    Close(u8),
}

/// The state of everything.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallsWorld {
    /// The boards.
    pub boards: [CallsBoard; 2],
    /// Frames on their way to each.
    bus: [VecDeque<FrameInFlight>; 2],
    /// Calls begun.
    begun: u8,
    /// Calls that the server executed, in its order.
    executed: Vec<u8>,
    limits: CallsLimits,
    /// The promise that was broken.
    pub broken: Option<&'static str>,
}

/// Whether each call of the program is asynchronous.
pub type Program = &'static [bool];

/// A promise.
pub const ONCE: &str = "each call is made at most once, and in the order of its caller";
/// A promise.
pub const ANSWERED: &str = "a call that is answered was made";
/// A promise.
pub const FOREIGN: &str = "no frame of another session is taken";
/// A promise.
pub const REFUSED: &str = "no reply, credit or copy arrives unexpectedly";
/// A promise.
pub const INCARNATIONS: &str = "no call reaches an incarnation of the server that its caller does not know";

impl CallsWorld {
    /// Both boards have just been switched on.
    pub fn new(limits: CallsLimits, mutant: Option<CallsMutant>) -> CallsWorld {
        let boards = [0, 1].map(|me| CallsBoard::new(me, 0, u16::from(me) << 8, mutant));
        CallsWorld { boards, bus: Default::default(), begun: 0, executed: Vec::new(), limits, broken: None }
    }

    /// Whether nothing happens any more before a timer is due.
    fn is_quiet(&self) -> bool {
        self.bus.iter().all(VecDeque::is_empty) && !self.boards.iter().any(CallsBoard::has_to_send)
    }

    fn may_call(&self) -> bool {
        self.boards[0].waiting.is_none()
    }

    /// What may happen now.
    pub fn changes(&self, program: Program) -> Vec<CallsChange> {
        let mut changes = Vec::new();
        if self.broken.is_some() {
            return changes;
        }
        if self.may_call() && usize::from(self.begun) < program.len() {
            changes.push(CallsChange::Call);
        }
        let limits = self.limits;
        for me in 0..2 {
            let (board, place) = (&self.boards[usize::from(me)], usize::from(me));
            let arriving = !self.bus[place].is_empty();
            let timers = board.session.deadline_ns().is_some();
            let all = [
                (arriving, CallsChange::Deliver(me)),
                (arriving && limits.losses > 0, CallsChange::Lose(me)),
                (arriving && limits.doubles > 0, CallsChange::Double(me)),
                (board.has_to_send() && self.bus[1 - place].len() < BUS_FRAMES, CallsChange::Send(me)),
                (board.closing.is_some(), CallsChange::Close(me)),
                (timers && (limits.hastes > 0 || self.is_quiet()), CallsChange::Tick(me)),
                (timers && limits.deaths > 0, CallsChange::Death(me)),
                (limits.resets > 0, CallsChange::Reset(me)),
            ];
            changes.extend(all.into_iter().filter(|(may, _)| *may).map(|(_, change)| change));
        }
        changes
    }

    /// The world after a change.
    pub fn next(&self, change: CallsChange, program: Program) -> CallsWorld {
        let mut world = self.clone();
        match change {
            CallsChange::Deliver(me) => {
                if let Some(sent) = world.bus[usize::from(me)].pop_front() {
                    world.deliver(me, &sent);
                }
            }
            CallsChange::Lose(me) => {
                world.limits.losses -= 1;
                world.bus[usize::from(me)].pop_front();
            }
            CallsChange::Double(me) => {
                world.limits.doubles -= 1;
                if let Some(sent) = self.bus[usize::from(me)].front() {
                    world.deliver(me, sent);
                }
            }
            CallsChange::Send(me) => {
                let sent = world.boards[usize::from(me)].transmit();
                world.bus[1 - usize::from(me)].extend(sent);
            }
            CallsChange::Call => {
                let asynchronous = program.get(usize::from(world.begun)).is_some_and(|asynchronous| *asynchronous);
                world.begun += 1;
                let event = world.boards[0].call(world.begun, asynchronous);
                world.check(event);
            }
            CallsChange::Tick(me) => {
                world.limits.hastes = world.limits.hastes.saturating_sub(u8::from(!self.is_quiet()));
                let never = world.boards[usize::from(me)].mutant == Some(CallsMutant::NeverAsks);
                if !never || world.boards[usize::from(me)].session.state() != renga_router::SessionState::Up {
                    let event = world.boards[usize::from(me)].expire(TICK_NS);
                    world.check(event);
                }
            }
            CallsChange::Death(me) => {
                world.limits.deaths -= 1;
                let event = world.boards[usize::from(me)].expire(DEAD_NS);
                world.check(event);
            }
            CallsChange::Reset(me) => {
                world.limits.resets -= 1;
                let board = &mut world.boards[usize::from(me)];
                *board = CallsBoard::new(me, board.incarnation + 1, board.number + 1, board.mutant);
            }
            CallsChange::Close(me) => world.boards[usize::from(me)].close(),
        }
        world
    }

    fn deliver(&mut self, me: u8, sent: &FrameInFlight) {
        for event in self.boards[usize::from(me)].receive(sent) {
            self.check(Some(event));
        }
    }

    fn check(&mut self, event: Option<CallsEvent>) {
        let broken = match event {
            Some(CallsEvent::Executed { id, believes }) => {
                let late = self.executed.last().is_some_and(|last| *last >= id);
                self.executed.push(id);
                let stranger = believes.is_some_and(|incarnation| incarnation != self.boards[1].incarnation);
                late.then_some(ONCE).or(stranger.then_some(INCARNATIONS))
            }
            Some(CallsEvent::Answered(id)) => (!self.executed.contains(&id)).then_some(ANSWERED),
            Some(CallsEvent::Foreign) => Some(FOREIGN),
            Some(CallsEvent::Refused) => Some(REFUSED),
            Some(CallsEvent::Failed | CallsEvent::NewIncarnation) | None => None,
        };
        self.broken = self.broken.or(broken);
    }

    /// Whether the boards, if nothing more goes wrong, finish all calls, get all credits back, and then
    /// answer a call once more.
    pub fn recovers(&self, program: Program) -> bool {
        let (mut world, mut extra_call) = (self.clone(), None);
        world.limits = CallsLimits { losses: 0, doubles: 0, resets: 0, deaths: 0, hastes: 0 };
        let mut ticking = 0;
        for _ in 0..RECOVERY_STEPS {
            let board = &world.boards[0];
            let over = usize::from(world.begun) >= program.len() && world.may_call();
            if over && board.copies.iter().all(Option::is_none) && extra_call.is_some() && board.believes.is_some() {
                return true;
            }
            let changes = world.changes(program);
            let first = |is: fn(&CallsChange) -> bool| changes.iter().copied().find(is);
            let change = first(|change| matches!(change, CallsChange::Deliver(_)))
                .or(first(|change| matches!(change, CallsChange::Send(_))))
                .or(first(|change| matches!(change, CallsChange::Close(_))));
            let change = match change {
                Some(change) => change,
                // One call more than the program has, until one of these is answered.
                None if world.may_call() && world.begun < u8::MAX => {
                    if usize::from(world.begun) >= program.len() {
                        (extra_call, world.boards[0].believes) = (Some(()), None);
                    }
                    CallsChange::Call
                }
                None => {
                    ticking = 1 - ticking;
                    CallsChange::Tick(ticking)
                }
            };
            world = world.next(change, program);
            if world.broken.is_some() {
                return true; // another promise's affair
            }
        }
        false
    }
}
