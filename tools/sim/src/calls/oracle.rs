//! The result of every call: the oracle of a run, which clients and servers consult as they run.
//!
//! Invariant: a record is kept from the moment before its call to the end of the run. The first violation is kept, and
//! ends the run. Not here: the calls' work.

use super::protocol::{answer, is_of_link, letter};
use crate::reach::SimReach;
use renga_rt::{Errno, ProcId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The result of a call.
pub type CallOutcome = Result<u64, Errno>;

/// What is known of one call.
#[derive(Clone, Copy, Debug)]
struct CallRecord {
    caller: ProcId,
    caller_boot: u8,
    server: ProcId,
    /// Whether its caller may continue before it is executed.
    releases: bool,
    begun: u64,
    began_ns: u64,
    /// When it ended: as a moment, in ns, and how.
    done: Option<(u64, u64, CallOutcome)>,
    executed: Option<u64>,
    answered: Option<CallOutcome>,
}

/// What a server has seen of one board.
#[derive(Clone, Copy, Default)]
struct SeenBoard {
    latest_begun: u64,
    latest_boot: u8,
}

#[derive(Default)]
struct Inner {
    records: Vec<CallRecord>,
    moments: u64,
    /// By server, its boot, and the caller's board.
    edges: BTreeMap<(ProcId, u8, u8), SeenBoard>,
    boots: [u8; 8],
    interrupted: BTreeMap<ProcId, u64>,
    calm: bool,
    broken: Option<String>,
}

/// Shared by all that takes part. Clones are the same.
#[derive(Clone, Default)]
pub struct Oracle(Rc<RefCell<Inner>>);

/// How calls ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Calls begun.
    pub calls: u64,
    /// Of these, ended with a reply.
    pub answered: u64,
    /// Ended with "the board is down", and with "the board was reset".
    pub down: u64,
    pub stale: u64,
    /// Released, and never executed.
    pub lost: u64,
}

impl Oracle {
    /// `calm`: nothing happens for which a call may fail.
    pub fn new(calm: bool) -> Oracle {
        Oracle(Rc::new(RefCell::new(Inner { calm, ..Inner::default() })))
    }

    /// Notes that a board boots.
    pub fn set_boot(&self, board: u8, boot: u8) {
        self.0.borrow_mut().boots[usize::from(board)] = boot;
    }
    /// Notes that a process is interrupted.
    pub fn interrupt(&self, process: ProcId) {
        *self.0.borrow_mut().interrupted.entry(process).or_default() += 1;
    }
    /// The first rule that was broken.
    pub fn broken(&self) -> Option<String> {
        self.0.borrow().broken.clone()
    }
    /// Breaks a rule.
    pub fn break_rule(&self, what: String) {
        self.0.borrow_mut().break_rule(what);
    }

    /// A call is about to start; its identity.
    pub fn begin(&self, now_ns: u64, caller: ProcId, server: ProcId, releases: bool) -> u64 {
        let mut inner = self.0.borrow_mut();
        let (begun, caller_boot) = (inner.moment(), inner.boots[usize::from(caller.board.0)]);
        let (done, executed, answered) = (None, None, None);
        let began_ns = now_ns;
        inner.records.push(CallRecord {
            caller,
            caller_boot,
            server,
            releases,
            begun,
            began_ns,
            done,
            executed,
            answered,
        });
        inner.records.len() as u64 - 1
    }

    /// A server has accepted call `id`.
    pub fn execute(&self, server: ProcId, caller: ProcId, id: u64) {
        self.0.borrow_mut().execute(server, caller, id);
    }

    /// A server is about to answer call `id`.
    pub fn answer(&self, id: u64, outcome: CallOutcome) {
        if let Some(record) = self.0.borrow_mut().records.get_mut(id as usize) {
            record.answered = Some(outcome);
        }
    }

    /// A caller has got the result of call `id`.
    pub fn end(&self, now_ns: u64, id: u64, outcome: CallOutcome) {
        self.0.borrow_mut().end(now_ns, id, outcome);
    }

    /// The first call between boards that ended later than `reach` allows.
    pub fn first_late(&self, reach: &SimReach) -> Option<String> {
        let inner = self.0.borrow();
        let late = inner.records.iter().enumerate().find(|(_, record)| {
            let (caller, server) = (record.caller.board.0, record.server.board.0);
            let ended = record.done.filter(|_| caller != server);
            ended.is_some_and(|(_, ended_ns, _)| reach.is_late(caller, server, record.began_ns, ended_ns))
        });
        late.map(|(id, record)| {
            let (from, to) = (record.caller, record.server);
            format!("call {id} of {from} to {to}, begun at {} ns, ended late: {:?}", record.began_ns, record.done)
        })
    }

    /// Counts, and for each board in its last incarnation how many calls it released that were never executed.
    pub fn tally(&self) -> (Tally, [u64; 8]) {
        let inner = self.0.borrow();
        let (mut tally, mut lost) = (Tally { calls: inner.records.len() as u64, ..Tally::default() }, [0; 8]);
        for record in &inner.records {
            match record.done {
                Some((.., Err(Errno::EHOSTDOWN))) => tally.down += 1,
                Some((.., Err(Errno::ESTALE))) => tally.stale += 1,
                Some((.., Ok(_))) if record.executed.is_none() => {
                    tally.lost += 1;
                    let board = usize::from(record.caller.board.0);
                    lost[board] += u64::from(record.caller_boot == inner.boots[board]);
                }
                Some(_) => tally.answered += 1,
                None => {}
            }
        }
        (tally, lost)
    }
}

impl Inner {
    fn moment(&mut self) -> u64 {
        self.moments += 1;
        self.moments
    }

    fn break_rule(&mut self, what: String) {
        self.broken.get_or_insert(what);
    }

    fn execute(&mut self, server: ProcId, caller: ProcId, id: u64) {
        let (moment, boot) = (self.moment(), self.boots[usize::from(server.board.0)]);
        let Some(record) = self.records.get(id as usize).copied() else {
            return self.break_rule(format!("{server} got call {id}, which no caller made"));
        };
        let what = format!("call {id} of {} to {}", record.caller, record.server);
        if record.executed.is_some() {
            return self.break_rule(format!("{what} was made twice"));
        }
        // A call that comes from another board has its proxy's name there.
        let local = caller == record.caller;
        if record.server != server || !(local || caller.board == server.board) {
            return self.break_rule(format!("{what} came to {server} from {caller}"));
        }
        if let Some((.., Err(Errno::ESTALE))) = record.done {
            return self.break_rule(format!("{what} was made, though its caller got an error"));
        }
        let edge = self.edges.entry((server, boot, record.caller.board.0)).or_default();
        let late = record.done.is_some_and(|(done, ..)| done < edge.latest_begun);
        let ghost = record.caller_boot < edge.latest_boot;
        edge.latest_begun = edge.latest_begun.max(record.begun);
        edge.latest_boot = edge.latest_boot.max(record.caller_boot);
        if late {
            self.break_rule(format!("{what} was made after a call that {} began later", letter(record.caller)));
        } else if ghost {
            self.break_rule(format!("{what} was made after calls of a later boot of {}", letter(record.caller)));
        }
        self.records[id as usize].executed = Some(moment);
    }

    fn end(&mut self, now_ns: u64, id: u64, outcome: CallOutcome) {
        let moment = self.moment();
        let Some(record) = self.records.get(id as usize).copied() else { return };
        let what = format!("call {id} of {} to {}", record.caller, record.server);
        let remote = record.caller.board != record.server.board;
        let interrupted = self.interrupted.contains_key(&record.caller);
        let wrong = match outcome {
            _ if record.done.is_some() => Some("ended twice"),
            Err(errno) if is_of_link(errno) && !remote => Some("failed as if its server were on another board"),
            Err(errno) if is_of_link(errno) && self.calm => Some("failed, though the link is fine"),
            Err(Errno::ESTALE) if record.executed.is_some() => Some("was made, though its caller got ESTALE"),
            Err(errno) if is_of_link(errno) => None,
            Ok(_) if record.releases && remote && record.executed.is_none() => None,
            _ if record.executed.is_none() => Some("was answered without being made"),
            Err(Errno::EINTR) if !interrupted => Some("failed with EINTR without an interruption"),
            _ if record.releases && remote => None,
            _ if record.answered != Some(outcome) => Some("got another answer than its server gave"),
            Ok(value) if !record.releases && value != answer(id) => Some("got a wrong answer"),
            _ => None,
        };
        if let Some(wrong) = wrong {
            self.break_rule(format!("{what} {wrong}: {outcome:?}, the server said {:?}", record.answered));
        }
        self.records[id as usize].done = Some((moment, now_ns, outcome));
    }
}
