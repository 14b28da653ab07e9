//! Rows about programs and their system calls.

use crate::tables::{ProgramRow, RunTables, SystemCallRow};
use renga_abi::ProcId;
use renga_trace::event::program_name;
use renga_trace::{Timed, TraceEvent};
use std::collections::HashMap;

/// Programs and system calls under way: their rows.
#[derive(Default)]
pub(crate) struct ProgramRows {
    programs: HashMap<ProcId, usize>,
    system_calls: HashMap<ProcId, usize>,
}

impl ProgramRows {
    /// Takes the next event.
    pub(crate) fn take(&mut self, tables: &mut RunTables, timed: &Timed) {
        let time_ns = timed.time_ns;
        match timed.event {
            TraceEvent::Program { process, pid, name, rest } => {
                self.program(tables, process, (pid, program_name([name, rest])), time_ns);
            }
            TraceEvent::ProgramEnd { process } => {
                self.end_program(tables, process, time_ns);
                self.end_system_call(tables, process, time_ns);
            }
            TraceEvent::SystemCall { process, number } => {
                self.end_system_call(tables, process, time_ns);
                self.system_calls.insert(process, tables.system_calls.len());
                let place = tables.processes.place(process);
                let row = SystemCallRow { process: place, number, begin_ns: time_ns, end_ns: time_ns };
                tables.system_calls.push(row);
            }
            TraceEvent::Enter { process } => self.end_system_call(tables, process, time_ns),
            TraceEvent::Started | TraceEvent::Stopped => {
                let on_board = |id: &ProcId| id.board.0 == timed.board;
                for (_, row) in self.programs.extract_if(|id, _| on_board(id)) {
                    tables.programs[row].end_ns = time_ns;
                }
                for (_, row) in self.system_calls.extract_if(|id, _| on_board(id)) {
                    tables.system_calls[row].end_ns = time_ns;
                }
            }
            _ => {}
        }
    }

    /// Ends what has not ended.
    pub(crate) fn finish(self, tables: &mut RunTables) {
        self.programs.into_values().for_each(|row| tables.programs[row].end_ns = tables.end_ns);
        self.system_calls.into_values().for_each(|row| tables.system_calls[row].end_ns = tables.end_ns);
    }

    fn program(&mut self, tables: &mut RunTables, process: ProcId, (pid, name): (u32, String), begin_ns: u64) {
        let known = self.programs.get(&process).map(|row| &tables.programs[*row]);
        if known.is_some_and(|known| known.pid == pid && known.name == name) {
            return;
        }
        self.end_program(tables, process, begin_ns);
        self.programs.insert(process, tables.programs.len());
        let place = tables.processes.place(process);
        tables.programs.push(ProgramRow { process: place, pid, name, begin_ns, end_ns: begin_ns });
    }

    fn end_program(&mut self, tables: &mut RunTables, process: ProcId, end_ns: u64) {
        self.programs.remove(&process).into_iter().for_each(|row| tables.programs[row].end_ns = end_ns);
    }

    fn end_system_call(&mut self, tables: &mut RunTables, process: ProcId, end_ns: u64) {
        self.system_calls.remove(&process).into_iter().for_each(|row| tables.system_calls[row].end_ns = end_ns);
    }
}
