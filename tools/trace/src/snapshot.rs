//! How things stand at an instant, as the events that say so: with them a trace may begin in the middle of a run.
//!
//! Invariant: a process, a core, a call and a program have one event of each aspect, the last; so there is room for as
//! many as there are processes. What was under way seems to begin with the trace. Not here: what follows from events
//! (`moment`, `meter`).

use crate::event::{Timed, TraceEvent};
use renga_abi::ProcId;
use std::collections::{BTreeMap, HashMap};

/// What an event is the last one of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Aspect {
    /// Whether the board runs.
    Board(u8),
    /// What a core does.
    Core(u8, u8),
    /// That a core had no process.
    Idle(u8, u8),
    /// What a process does.
    State(ProcId),
    /// The account of a process.
    Account(ProcId),
    /// The call that a server works for.
    Accepted(ProcId),
    /// The outstanding call of a caller.
    Call(ProcId),
    /// Its last server, if it was forwarded.
    Forward(ProcId),
    /// That a server has it.
    Taken(ProcId),
    /// The system call of a program.
    SystemCall(ProcId),
    /// The program of a slot.
    Program(ProcId),
    /// Its end, until the slot waits for another one.
    ProgramEnd(ProcId),
    /// The transfer of a disk.
    Disk(ProcId),
    /// The commit of a process.
    Commit(ProcId),
    /// The free frames of a board.
    FreeFrames(u8),
    /// The token.
    Token,
}

impl Aspect {
    fn board(self) -> Option<u8> {
        match self {
            Aspect::Board(board) | Aspect::Core(board, _) | Aspect::Idle(board, _) | Aspect::FreeFrames(board) => {
                Some(board)
            }
            Aspect::Token => None,
            Aspect::State(id)
            | Aspect::Account(id)
            | Aspect::Accepted(id)
            | Aspect::Call(id)
            | Aspect::Forward(id)
            | Aspect::Taken(id)
            | Aspect::SystemCall(id)
            | Aspect::Program(id)
            | Aspect::ProgramEnd(id)
            | Aspect::Disk(id)
            | Aspect::Commit(id) => Some(id.board.0),
        }
    }
}

/// The last events.
#[derive(Clone, Default)]
pub struct TraceSnapshot {
    last: HashMap<Aspect, (u64, Timed)>,
    taken: u64,
}

impl TraceSnapshot {
    /// Takes the next event.
    pub fn take(&mut self, timed: &Timed) {
        self.taken += 1;
        let (sets, ends) = aspects(timed);
        if matches!(timed.event, TraceEvent::Started | TraceEvent::Stopped) {
            self.last.retain(|aspect, _| aspect.board() != Some(timed.board));
        }
        for aspect in ends.into_iter().flatten() {
            self.last.remove(&aspect);
        }
        for aspect in sets.into_iter().flatten() {
            self.last.insert(aspect, (self.taken, timed.clone()));
        }
        if let TraceEvent::WaitCall { process } | TraceEvent::WaitNotification { process } = timed.event
            && self.last.remove(&Aspect::ProgramEnd(process)).is_some()
        {
            self.last.remove(&Aspect::Program(process));
        }
    }

    /// Those events, in their order, as of `time_ns`.
    pub fn events(&self, time_ns: u64) -> Vec<Timed> {
        let in_order: BTreeMap<u64, &Timed> = self.last.values().map(|(number, timed)| (*number, timed)).collect();
        in_order.into_values().map(|timed| Timed { time_ns, ..timed.clone() }).collect()
    }
}

/// What an event is the last one of, and of what there is none any more.
fn aspects(timed: &Timed) -> ([Option<Aspect>; 4], [Option<Aspect>; 3]) {
    use Aspect as A;
    let (none, mut ends) = (None, [None; 3]);
    let sets = match timed.event {
        TraceEvent::Stopped => return ([Some(A::Board(timed.board)), none, none, none], ends),
        TraceEvent::Token {} => return ([Some(A::Token), none, none, none], ends),
        TraceEvent::Started | TraceEvent::Frame(_) => return ([none; 4], ends),
        TraceEvent::Call { caller, .. } => {
            ends = [Some(A::Forward(caller)), Some(A::Taken(caller)), none];
            [Some(A::Call(caller)), none, none]
        }
        TraceEvent::Forward { caller, .. } => [Some(A::Forward(caller)), none, none],
        TraceEvent::Accept { server, caller, .. } => {
            [Some(A::Accepted(server)), Some(A::Taken(caller)), Some(A::State(server))]
        }
        TraceEvent::Reply { caller, .. } => {
            ends = [Some(A::Call(caller)), Some(A::Forward(caller)), Some(A::Taken(caller))];
            [Some(A::State(caller)), none, none]
        }
        TraceEvent::WaitCall { process } => {
            ends[0] = Some(A::Accepted(process));
            [Some(A::State(process)), none, none]
        }
        TraceEvent::WaitNotification { process }
        | TraceEvent::WaitTimeSlice { process }
        | TraceEvent::Notify { process }
        | TraceEvent::Dispatch { process }
        | TraceEvent::Trap { process } => [Some(A::State(process)), none, none],
        TraceEvent::Enter { process } => {
            ends[0] = Some(A::SystemCall(process));
            [Some(A::State(process)), none, none]
        }
        TraceEvent::Account { process, .. } => [Some(A::Account(process)), none, none],
        TraceEvent::SystemCall { process, .. } => [Some(A::SystemCall(process)), none, none],
        TraceEvent::Program { process, .. } => {
            ends[0] = Some(A::ProgramEnd(process));
            [Some(A::Program(process)), none, none]
        }
        TraceEvent::ProgramEnd { process } => [Some(A::ProgramEnd(process)), none, none],
        TraceEvent::Disk { process, .. } => [Some(A::Disk(process)), none, none],
        TraceEvent::DiskEnd { process } => {
            ends[0] = Some(A::Disk(process));
            [none; 3]
        }
        TraceEvent::Commit { process } => [Some(A::Commit(process)), none, none],
        TraceEvent::CommitEnd { process } => {
            ends[0] = Some(A::Commit(process));
            [none; 3]
        }
        TraceEvent::FreeFrames { .. } => [Some(A::FreeFrames(timed.board)), none, none],
        TraceEvent::Idle {} => [Some(A::Idle(timed.board, timed.core)), none, none],
        TraceEvent::Fault { .. }
        | TraceEvent::Alarm {}
        | TraceEvent::Devices { .. }
        | TraceEvent::Lease { .. }
        | TraceEvent::Revoke { .. }
        | TraceEvent::RevokeEnd { .. }
        | TraceEvent::Mark { .. } => [none; 3],
    };
    let [first, second, third] = sets;
    // Whatever happens on a core says whether it is idle.
    ([first, second, third, Some(A::Core(timed.board, timed.core))], ends)
}
