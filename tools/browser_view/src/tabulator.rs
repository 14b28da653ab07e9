//! One pass over a trace: its events become the rows of [`RunTables`].
//!
//! Invariant: states and pairs of calls are those of `TraceMoment`, so the page says what `renga trace` says. Not here:
//! rows about states and cores (`state_rows`), about programs (`program_rows`), parts of calls (`call_parts`).

use crate::call_parts;
use crate::frame_role::FrameRole;
use crate::program_rows::ProgramRows;
use crate::state_rows::StateRows;
use crate::tables::{
    CALL_ABANDONED, CALL_FORWARDED, CALL_OPEN, CALL_RELEASED, CallRow, FrameRow, InstantRow, RunTables, TransferRow,
};
use renga_abi::ProcId;
use renga_trace::event::program_name;
use renga_trace::moment::TraceMoment;
use renga_trace::{Timed, TraceEvent, TraceHeader, TracedFrame};
use std::collections::HashMap;

/// Fills the tables.
pub struct TraceTabulator {
    tables: RunTables,
    moment: TraceMoment,
    states: StateRows,
    programs: ProgramRows,
    /// The row of each process's outstanding call.
    open: HashMap<ProcId, u32>,
    /// The last row of each call, by its place among all.
    row_of_call: Vec<u32>,
    /// Transfers under way: board and row.
    transfers: Vec<(u8, usize)>,
}

impl TraceTabulator {
    /// Of a run with these names, before it begins.
    pub fn new(header: TraceHeader) -> TraceTabulator {
        TraceTabulator {
            states: StateRows::new(&header),
            tables: RunTables { header, ..RunTables::default() },
            moment: TraceMoment::default(),
            programs: ProgramRows::default(),
            open: HashMap::new(),
            row_of_call: Vec::new(),
            transfers: Vec::new(),
        }
    }

    /// Takes the next event.
    pub fn take(&mut self, timed: &Timed) {
        let tables = &mut self.tables;
        if tables.events == 0 {
            tables.begin_ns = timed.time_ns;
        }
        tables.end_ns = tables.end_ns.max(timed.time_ns);
        tables.events += 1;
        let before = self.moment.running(timed.board, timed.core);
        let (row_of_call, calls) = (&self.row_of_call, &mut tables.calls);
        self.moment.take(&tables.header, timed, &mut |place, call| {
            let row = row_of_call.get(place).and_then(|row| calls.get_mut(*row as usize));
            row.into_iter().for_each(|row| row.flags |= if call.released_early { CALL_RELEASED } else { 0 });
        });
        self.call_event(timed);
        self.programs.take(&mut self.tables, timed);
        self.device_event(timed);
        self.states.take(&mut self.tables, &self.moment, timed, before);
    }

    /// The trace has no end.
    pub fn is_cut(&mut self) {
        self.tables.is_cut = true;
    }

    /// The tables.
    pub fn finish(mut self) -> RunTables {
        let end_ns = self.tables.end_ns;
        for row in self.open.into_values() {
            let call = &mut self.tables.calls[row as usize];
            (call.end_ns, call.flags) = (end_ns, call.flags | CALL_OPEN);
        }
        self.programs.finish(&mut self.tables);
        for (_, row) in self.transfers {
            self.tables.transfers[row].end_ns = end_ns;
        }
        call_parts::fill(&mut self.tables);
        self.tables
    }

    fn call_event(&mut self, timed: &Timed) {
        match timed.event {
            TraceEvent::Call { caller, .. } => self.begin_call(caller, timed.time_ns),
            TraceEvent::Forward { caller, .. } => {
                self.end_call(caller, timed.time_ns, CALL_FORWARDED);
                self.begin_call(caller, timed.time_ns);
            }
            TraceEvent::Accept { caller, .. } => {
                if let Some(row) = self.open.get(&caller) {
                    self.tables.calls[*row as usize].accept_ns.get_or_insert(timed.time_ns);
                }
            }
            TraceEvent::Reply { caller, .. } => self.end_call(caller, timed.time_ns, 0),
            TraceEvent::Started | TraceEvent::Stopped => {
                let gone: Vec<ProcId> = self.open.keys().copied().filter(|id| id.board.0 == timed.board).collect();
                gone.into_iter().for_each(|caller| self.end_call(caller, timed.time_ns, CALL_ABANDONED));
            }
            _ => {}
        }
    }

    /// The outstanding call of `caller` has just begun, or gone to another server.
    fn begin_call(&mut self, caller: ProcId, begin_ns: u64) {
        self.end_call(caller, begin_ns, CALL_ABANDONED);
        let Some((place, call)) = self.moment.calls().numbered(caller) else { return };
        let row = self.tables.calls.len() as u32;
        let made_for = call.made_for.and_then(|place| self.row_of_call.get(place).copied());
        if self.row_of_call.len() <= place {
            // Each call is seen when it begins, so there is one to add.
            self.row_of_call.resize(place + 1, row);
        }
        self.row_of_call[place] = row;
        if let Some(carried) = made_for {
            self.tables.calls[carried as usize].made_by.get_or_insert(row);
        }
        let processes = &mut self.tables.processes;
        let (caller_place, server) = (processes.place(caller), processes.place(call.server));
        self.tables.calls.push(CallRow {
            caller: caller_place,
            server,
            op: call.op,
            begin_ns,
            accept_ns: None,
            end_ns: begin_ns,
            made_for,
            made_by: None,
            flags: 0,
            parts_ns: [0; 3],
        });
        self.open.insert(caller, row);
    }

    fn end_call(&mut self, caller: ProcId, end_ns: u64, flags: u8) {
        let Some(row) = self.open.remove(&caller) else { return };
        let call = &mut self.tables.calls[row as usize];
        (call.end_ns, call.flags) = (end_ns, call.flags | flags);
    }

    fn device_event(&mut self, timed: &Timed) {
        let Timed { time_ns, board, ref event, .. } = *timed;
        let instant = |kind, process, number| InstantRow { time_ns, board, kind, process, number };
        let tables = &mut self.tables;
        match event {
            TraceEvent::Frame(frame) => self.frame(timed, frame),
            TraceEvent::Token {} => tables.tokens.push((time_ns, board)),
            TraceEvent::Disk { first, blocks, writes, .. } => {
                self.transfers.push((board, tables.transfers.len()));
                let (first, blocks, writes) = (*first, *blocks, *writes);
                tables.transfers.push(TransferRow { begin_ns: time_ns, end_ns: time_ns, board, first, blocks, writes });
            }
            TraceEvent::DiskEnd { .. } => {
                if let Some(at) = self.transfers.iter().position(|(disk, _)| *disk == board) {
                    tables.transfers[self.transfers.remove(at).1].end_ns = time_ns;
                }
            }
            TraceEvent::Mark { name, rest, .. } => tables.marks.push((time_ns, program_name([*name, *rest]))),
            TraceEvent::Fault { process, address, .. } => {
                let process = tables.processes.place(*process);
                tables.instants.push(instant(0, Some(process), *address));
            }
            TraceEvent::Commit { process } | TraceEvent::CommitEnd { process } => {
                let kind = if matches!(event, TraceEvent::Commit { .. }) { 1 } else { 2 };
                let process = tables.processes.place(*process);
                tables.instants.push(instant(kind, Some(process), 0));
            }
            TraceEvent::Lease { ino, .. } => tables.instants.push(instant(3, None, u64::from(*ino))),
            TraceEvent::Revoke { ino, .. } => tables.instants.push(instant(4, None, u64::from(*ino))),
            TraceEvent::RevokeEnd { ino, .. } => tables.instants.push(instant(5, None, u64::from(*ino))),
            TraceEvent::Started | TraceEvent::Stopped => {
                let kind = if *event == TraceEvent::Stopped { 6 } else { 7 };
                tables.instants.push(instant(kind, None, 0));
                for (_, row) in self.transfers.extract_if(.., |(disk, _)| *disk == board) {
                    tables.transfers[row].end_ns = time_ns;
                }
            }
            _ => {}
        }
    }

    fn frame(&mut self, timed: &Timed, frame: &TracedFrame) {
        let FrameRole { role, caller } = FrameRole::of(&frame.bytes);
        let call = caller.and_then(|caller| self.open.get(&caller).copied());
        self.tables.frames.push(FrameRow {
            time_ns: timed.time_ns,
            from: timed.board,
            to: frame.destination,
            token_wait_ns: frame.token_wait_ns,
            wire_ns: frame.wire_ns,
            arrives_after_ns: frame.arrives_after_ns,
            bytes: frame.bytes.len() as u32,
            role,
            call: call.filter(|row| self.is_remote(*row)),
        });
    }

    fn is_remote(&self, row: u32) -> bool {
        let (call, processes) = (&self.tables.calls[row as usize], &self.tables.processes);
        processes.id(call.caller).board != processes.id(call.server).board
    }
}
