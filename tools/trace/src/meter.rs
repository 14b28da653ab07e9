//! Adds a trace up, event by event.
//!
//! Invariant: every nanosecond of every core is a program's, the system's or idle; room is bounded by processes, edges
//! and [`PROGRAMS_MAX`], not by the length of the trace. Not here: what the figures are (`figures`).

use crate::calls::TracedCall;
use crate::charges::{Charges, SYSTEM};
use crate::cores::{Doing, TracedCores};
use crate::event::{Timed, TraceEvent, TracedFrame, program_name};
use crate::figures::{Arrow, BoardFigures, EdgeSum, ProcessPlace, TraceFigures, TracedProgram, Work};
use crate::header::TraceHeader;
use crate::moment::TraceMoment;
use renga_abi::ProcId;
use std::collections::HashMap;

/// Programs that are remembered: those that ended first are forgotten first.
pub const PROGRAMS_MAX: usize = 4096;

/// What adds up.
#[derive(Clone)]
pub struct Meter {
    header: TraceHeader,
    figures: TraceFigures,
    moment: TraceMoment,
    cores: TracedCores,
    charges: Charges,
    /// Transfers under way, by board.
    transfers: Vec<u32>,
    /// The program of an account.
    programs: HashMap<u16, u64>,
    /// Programs that were ever seen.
    seen: u64,
    /// The system call of a program, and since when.
    system_calls: HashMap<ProcId, (u32, u64)>,
}

impl Meter {
    /// Of a run with these names, before it begins.
    pub fn new(header: TraceHeader) -> Meter {
        let (boards, cores) = (header.boards.len(), TracedCores::new(&header));
        let figures = TraceFigures { boards: vec![BoardFigures::default(); boards], ..TraceFigures::default() };
        Meter {
            header,
            figures,
            moment: TraceMoment::default(),
            cores,
            charges: Charges::default(),
            transfers: vec![0; boards],
            programs: HashMap::new(),
            seen: 0,
            system_calls: HashMap::new(),
        }
    }

    /// The names.
    pub fn header(&self) -> &TraceHeader {
        &self.header
    }

    /// What all processes do now.
    pub fn moment(&self) -> &TraceMoment {
        &self.moment
    }

    /// Transfers of the disk of `board` that are under way.
    pub fn transfers(&self, board: u8) -> u32 {
        self.transfers.get(usize::from(board)).copied().unwrap_or(0)
    }

    /// The system call in which a program is, and since when, ns.
    pub fn system_call(&self, process: ProcId) -> Option<(u32, u64)> {
        self.system_calls.get(&process).copied()
    }

    /// A program by its number among all ([`TraceFigures::programs`]), as it is now.
    pub fn program(&self, serial: u64) -> Option<&TracedProgram> {
        self.figures.programs.get(&serial)
    }

    /// What has added up until the last event; calls that were not answered count, without time.
    pub fn figures(&self) -> TraceFigures {
        let mut figures = self.figures.clone();
        for call in self.moment.calls().all_outstanding() {
            count(&self.header, &mut figures, call);
        }
        figures
    }

    /// Until when it has added up, ns.
    pub fn time_ns(&self) -> u64 {
        self.figures.time_ns
    }

    /// Adds up until `time_ns`; there must be no event before that. A trace begins with its first event.
    pub fn pass_until(&mut self, time_ns: u64) {
        let ns = time_ns.saturating_sub(self.figures.time_ns);
        if ns > 0 && self.figures.events > 0 {
            self.pass(ns);
            self.figures.time_ns = time_ns;
        }
    }

    /// Takes the next event.
    pub fn take(&mut self, timed: &Timed) {
        if self.figures.events == 0 {
            (self.figures.begin_ns, self.figures.time_ns) = (timed.time_ns, timed.time_ns);
        }
        self.pass_until(timed.time_ns);
        self.figures.events += 1;
        self.note(timed);
        self.cores.take(timed);
        self.charges.take(timed);
        let Meter { header, figures, moment, .. } = self;
        moment.take(header, timed, &mut |_, call| count(header, figures, call));
    }

    /// Time passes.
    fn pass(&mut self, ns: u64) {
        let (busy, disk) = (self.cores.busy(), self.cores.disk_works());
        self.figures.overlap_ns += if busy > 1 { ns } else { 0 };
        self.figures.disk_overlap_ns += if disk && busy > 0 { ns } else { 0 };
        for (number, board) in (0u8..).zip(0..self.figures.boards.len()) {
            self.figures.boards[board].disk.busy_ns += if self.transfers[board] > 0 { ns } else { 0 };
            for core in (0u8..).take(self.cores.doing()[board].len()) {
                self.pass_of((number, core), ns);
            }
        }
    }

    /// Time of a core passes.
    fn pass_of(&mut self, (board, core): (u8, u8), ns: u64) {
        let (board_at, core_at) = (usize::from(board), usize::from(core));
        let time = &mut self.figures.boards[board_at].cores[core_at];
        match self.cores.doing()[board_at][core_at] {
            Doing::Idle => time.idle_ns += ns,
            Doing::System => {
                time.system_ns += ns;
                self.charge((board, core), ns);
            }
            Doing::Program => {
                time.programs_ns += ns;
                let account = self.moment.running(board, core).map_or(SYSTEM, |id| self.charges.account_of(id));
                self.change(account, |program| program.spent.itself_ns += ns);
            }
        }
    }

    /// The system works on a core: any process, for its account.
    fn charge(&mut self, (board, core): (u8, u8), ns: u64) {
        let running = self.moment.running(board, core);
        if let Some(id) = running {
            self.figures.work.entry(id).or_default().core_ns += ns;
        }
        match running.map_or(SYSTEM, |id| self.charges.account_of(id)) {
            SYSTEM => self.figures.system_ns += ns,
            account => self.change(account, |program| program.spent.on_behalf_ns += ns),
        }
    }

    /// Changes the program of an account.
    fn change(&mut self, account: u16, change: impl FnOnce(&mut TracedProgram)) {
        let known = self.programs.get(&account).copied().filter(|serial| self.figures.programs.contains_key(serial));
        let serial = known.unwrap_or_else(|| self.begin(account, TracedProgram::default()));
        self.figures.programs.entry(serial).and_modify(change);
    }

    fn begin(&mut self, account: u16, program: TracedProgram) -> u64 {
        let serial = self.seen;
        self.seen += 1;
        self.programs.insert(account, serial);
        self.figures.programs.insert(serial, TracedProgram { begin_ns: self.figures.time_ns, ..program });
        if self.figures.programs.len() > PROGRAMS_MAX {
            let ended = self.figures.programs.iter().filter_map(|(serial, one)| Some((one.end_ns?, *serial))).min();
            let oldest = ended.map(|(_, serial)| serial).or(self.figures.programs.keys().next().copied());
            oldest.map(|serial| self.figures.programs.remove(&serial));
        }
        serial
    }

    /// What is not about calls and cores.
    fn note(&mut self, timed: &Timed) {
        let place = usize::from(timed.board);
        match &timed.event {
            TraceEvent::Frame(frame) => self.frame(place, frame),
            TraceEvent::Disk { blocks, writes, .. } => {
                let (Some(board), Some(under_way)) =
                    (self.figures.boards.get_mut(place), self.transfers.get_mut(place))
                else {
                    return;
                };
                *under_way += 1;
                board.disk.requests += 1;
                let pages = if *writes { &mut board.disk.pages_written } else { &mut board.disk.pages_read };
                *pages += u64::from(*blocks);
            }
            TraceEvent::DiskEnd { .. } => {
                self.transfers
                    .get_mut(place)
                    .into_iter()
                    .for_each(|under_way| *under_way = under_way.saturating_sub(1));
            }
            TraceEvent::SystemCall { process, number } => {
                self.system_calls.insert(*process, (*number, timed.time_ns));
            }
            TraceEvent::Enter { process } => {
                self.system_calls.remove(process);
            }
            TraceEvent::Program { process, pid, name, rest } => self.named(*process, *pid, [*name, *rest]),
            TraceEvent::ProgramEnd { process } => self.ended(*process),
            TraceEvent::Started | TraceEvent::Stopped => self.board_ended(timed.board),
            _ => {}
        }
    }

    fn frame(&mut self, board: usize, frame: &TracedFrame) {
        let Some(BoardFigures { sent, .. }) = self.figures.boards.get_mut(board) else { return };
        sent.frames += 1;
        sent.bytes += frame.bytes.len() as u64;
        sent.wire_ns = sent.wire_ns.saturating_add(frame.wire_ns);
        sent.token_wait_ns = sent.token_wait_ns.saturating_add(frame.token_wait_ns);
    }

    /// A slot has this program: the one that it had, under this name, or another one.
    fn named(&mut self, process: ProcId, pid: u32, name: [u64; 2]) {
        let account = self.charges.account_of(process);
        let name = program_name(name);
        let known = self.programs.get(&account).and_then(|serial| self.figures.programs.get_mut(serial));
        match known {
            Some(program) if program.pid == pid && program.end_ns.is_none() => program.name = name,
            Some(program) if program.pid == 0 => {
                *program = TracedProgram { process: Some(process), pid, name, ..program.clone() };
            }
            _ => {
                self.begin(account, TracedProgram { process: Some(process), pid, name, ..TracedProgram::default() });
            }
        }
    }

    fn ended(&mut self, process: ProcId) {
        let account = self.charges.account_of(process);
        let time_ns = self.figures.time_ns;
        let program = self.programs.get(&account).and_then(|serial| self.figures.programs.get_mut(serial));
        program.into_iter().for_each(|program| program.end_ns = Some(time_ns));
    }

    fn board_ended(&mut self, board: u8) {
        let time_ns = self.figures.time_ns;
        if let Some(under_way) = self.transfers.get_mut(usize::from(board)) {
            *under_way = 0;
        }
        self.system_calls.retain(|process, _| process.board.0 != board);
        for program in self.figures.programs.values_mut() {
            if program.process.is_some_and(|process| process.board.0 == board) {
                program.end_ns.get_or_insert(time_ns);
            }
        }
    }
}

/// Counts a call that is over, or has started.
fn count(header: &TraceHeader, figures: &mut TraceFigures, call: &TracedCall) {
    let place = |id: ProcId| ProcessPlace { board: id.board.0, kind: header.kind_number(id) };
    let arrow = Arrow { from: place(call.caller), to: place(call.server), op: call.op };
    let mut sum = EdgeSum { calls: 1, ..EdgeSum::default() };
    if let Some(end_ns) = call.end_ns {
        let accept_ns = call.accept_ns.unwrap_or(end_ns);
        sum.answered = 1;
        sum.total_ns = end_ns.saturating_sub(call.begin_ns);
        sum.waiting_ns = accept_ns.saturating_sub(call.begin_ns);
    }
    if let Some(board) = figures.boards.get_mut(usize::from(call.caller.board.0)) {
        match arrow.is_remote() {
            true => board.calls_remote += 1,
            false => board.calls_local += 1,
        }
    }
    if !arrow.is_remote() && sum.answered > 0 {
        let work: &mut Work = figures.work.entry(call.server).or_default();
        work.served += 1;
        work.served_ns = work.served_ns.saturating_add(sum.total_ns - sum.waiting_ns);
        work.waited_ns = work.waited_ns.saturating_add(sum.waiting_ns);
    }
    figures.edges.entry(arrow).or_default().add(sum);
}
