//! Rows about states of processes and activities of cores: one for each change.

use crate::tables::{CoreActivity, CoreRow, RowState, RunTables, StateRow};
use renga_abi::ProcId;
use renga_trace::cores::{Doing, TracedCores};
use renga_trace::moment::{TraceMoment, TracedState};
use renga_trace::{Timed, TraceEvent, TraceHeader};

/// The last row of each process and core.
pub(crate) struct StateRows {
    cores: TracedCores,
    /// By process.
    states: Vec<RowState>,
    /// By core.
    activities: Vec<Option<(CoreActivity, Option<u32>)>>,
    /// By board: the place of its first core.
    first_core: Vec<u32>,
}

impl StateRows {
    pub(crate) fn new(header: &TraceHeader) -> StateRows {
        let mut count = 0;
        let mut first_core = Vec::new();
        for board in &header.boards {
            first_core.push(count);
            count += u32::from(board.cores());
        }
        let activities = vec![None; count as usize];
        StateRows { cores: TracedCores::new(header), states: Vec::new(), activities, first_core }
    }

    /// What has changed with this event; `before` had its core until then.
    pub(crate) fn take(&mut self, tables: &mut RunTables, moment: &TraceMoment, timed: &Timed, before: Option<ProcId>) {
        self.cores.take(timed);
        let running = moment.running(timed.board, timed.core);
        match timed.event {
            TraceEvent::Frame(_) | TraceEvent::Token {} => return,
            TraceEvent::Started | TraceEvent::Stopped => {
                let ids: Vec<ProcId> = tables.processes.ids().to_vec();
                for id in ids.into_iter().filter(|id| id.board.0 == timed.board) {
                    self.state(tables, moment, id, timed.time_ns);
                }
            }
            _ => {
                let named = named_processes(&timed.event);
                for id in named.into_iter().chain([before, running]).flatten() {
                    self.state(tables, moment, id, timed.time_ns);
                }
                let cores = || (0..self.activities.len() as u8).map(|core| moment.running(timed.board, core));
                let is_displaced = |id: &ProcId| {
                    moment.state(*id) == Some(TracedState::Program) && cores().all(|on_core| on_core != Some(*id))
                };
                let displaced = before.filter(is_displaced);
                displaced.into_iter().for_each(|id| self.push(tables, id, RowState::Ready, timed.time_ns));
            }
        }
        self.board(tables, moment, timed);
    }

    fn state(&mut self, tables: &mut RunTables, moment: &TraceMoment, id: ProcId, time_ns: u64) {
        let state = match moment.state(id) {
            None => RowState::Unknown,
            Some(TracedState::Runs) => RowState::Runs,
            Some(TracedState::Ready | TracedState::Waits("the ready queue")) => RowState::Ready,
            Some(TracedState::Waits("a call")) => RowState::WaitsForCall,
            Some(TracedState::Waits(_)) => RowState::WaitsForNotification,
            Some(TracedState::Program) => RowState::Program,
        };
        self.push(tables, id, state, time_ns);
    }

    /// A process is in this state, if it was in another one. A program that an interrupt has taken from its core is
    /// ready, which no event says.
    fn push(&mut self, tables: &mut RunTables, id: ProcId, state: RowState, time_ns: u64) {
        let process = tables.processes.place(id);
        if self.states.len() <= process as usize {
            self.states.resize(process as usize + 1, RowState::Unknown);
        }
        let last = &mut self.states[process as usize];
        if *last != state {
            *last = state;
            tables.states.push(StateRow { time_ns, process, state });
        }
    }

    /// The cores of the event's board.
    fn board(&mut self, tables: &mut RunTables, moment: &TraceMoment, timed: &Timed) {
        let Some(first) = self.first_core.get(usize::from(timed.board)).copied() else { return };
        let stopped = timed.event == TraceEvent::Stopped;
        let boots = stopped || timed.event == TraceEvent::Started;
        let doing = &self.cores.doing()[usize::from(timed.board)];
        for (number, doing) in (0u8..).zip(doing).filter(|(number, _)| boots || *number == timed.core) {
            let activity = match doing {
                _ if stopped => CoreActivity::Off,
                Doing::Idle => CoreActivity::Idle,
                Doing::System => CoreActivity::System,
                Doing::Program => CoreActivity::Program,
            };
            let running = moment.running(timed.board, number);
            let working = running.filter(|_| matches!(activity, CoreActivity::System | CoreActivity::Program));
            let process = working.map(|id| tables.processes.place(id));
            let core = first + u32::from(number);
            let last = &mut self.activities[core as usize];
            if *last != Some((activity, process)) {
                *last = Some((activity, process));
                tables.cores.push(CoreRow { time_ns: timed.time_ns, core, activity, process });
            }
        }
    }
}

/// The processes whose state an event may change.
fn named_processes(event: &TraceEvent) -> [Option<ProcId>; 2] {
    match *event {
        TraceEvent::Dispatch { process }
        | TraceEvent::Trap { process }
        | TraceEvent::Enter { process }
        | TraceEvent::WaitCall { process }
        | TraceEvent::WaitNotification { process }
        | TraceEvent::WaitTimeSlice { process }
        | TraceEvent::Notify { process } => [Some(process), None],
        TraceEvent::Accept { server, caller, .. } | TraceEvent::Reply { server, caller, .. } => {
            [Some(server), Some(caller)]
        }
        _ => [None, None],
    }
}
