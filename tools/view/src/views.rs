//! The views: figures and what processes do now, as sheets.
//!
//! Invariant: a table's rows have a value for each of its columns.

use crate::table::{Measure, TableRow, Value, ViewTable};
use renga_abi::ProcId;
use renga_trace::figures::{BoardFigures, CoreTime, Spent, TraceFigures, TracedProgram, Work};
use renga_trace::meter::Meter;
use renga_trace::moment::TracedState;
use renga_trace::summary::CallEdge;
use renga_trace::system_call_name;
use std::collections::{BTreeMap, HashMap};

/// The displayed table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewKind {
    /// Cores' time, calls, link and disk by board.
    Boards,
    /// User programs.
    Programs,
    /// System processes by kind.
    Processes,
    /// Callers and servers.
    Edges,
    /// Each core of each board.
    Cores,
}

impl ViewKind {
    /// All of them, in the order of their keys.
    pub const ALL: [ViewKind; 5] =
        [ViewKind::Boards, ViewKind::Programs, ViewKind::Processes, ViewKind::Edges, ViewKind::Cores];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ViewKind::Boards => "boards",
            ViewKind::Programs => "programs",
            ViewKind::Processes => "processes",
            ViewKind::Edges => "edges",
            ViewKind::Cores => "cores",
        }
    }

    /// The column by which it is sorted at first.
    pub fn sorted_by(self) -> usize {
        match self {
            ViewKind::Boards | ViewKind::Cores => 0,
            ViewKind::Programs | ViewKind::Processes => 3,
            ViewKind::Edges => 6,
        }
    }
}

/// Bytes of a page of a file.
const PAGE_BYTES: u64 = 4096;

/// A view of what `figures` add up to, and of what `meter` says about now.
pub fn table(view: ViewKind, meter: &Meter, figures: &TraceFigures) -> ViewTable {
    match view {
        ViewKind::Boards => boards(meter, figures),
        ViewKind::Programs => programs(meter, figures),
        ViewKind::Processes => processes(meter, figures),
        ViewKind::Edges => edges(meter, figures),
        ViewKind::Cores => cores(meter, figures),
    }
}

fn boards(meter: &Meter, figures: &TraceFigures) -> ViewTable {
    let columns = [
        ("board", Measure::Text),
        ("programs", Measure::Time),
        ("system", Measure::Time),
        ("idle", Measure::Time),
        ("local calls", Measure::Count),
        ("remote calls", Measure::Count),
        ("frames", Measure::Count),
        ("sent", Measure::Bytes),
        ("wire", Measure::Time),
        ("token wait", Measure::Mean),
        ("disk requests", Measure::Count),
        ("read", Measure::Bytes),
        ("written", Measure::Bytes),
        ("disk busy", Measure::Time),
        ("queue", Measure::Level),
    ];
    let mut table = ViewTable::new("boards", &columns, figures.span_ns());
    let queues = queues(meter, |id| meter.header().kind(id) == "disk");
    for (number, board) in (0u8..).zip(&figures.boards) {
        let queue: u64 = queues.iter().filter(|(id, _)| id.board.0 == number).map(|(_, length)| *length).sum();
        let BoardFigures { sent, disk, calls_local, calls_remote, .. } = *board;
        let core = board.all_cores();
        let values = vec![
            meter.header().board(number).into(),
            core.programs_ns.into(),
            core.system_ns.into(),
            core.idle_ns.into(),
            calls_local.into(),
            calls_remote.into(),
            sent.frames.into(),
            sent.bytes.into(),
            sent.wire_ns.into(),
            mean_value(sent.token_wait_ns, sent.frames),
            disk.requests.into(),
            (disk.pages_read * PAGE_BYTES).into(),
            (disk.pages_written * PAGE_BYTES).into(),
            disk.busy_ns.into(),
            queue.into(),
        ];
        table.rows.push(TableRow { boards: vec![number], values });
    }
    table
}

fn programs(meter: &Meter, figures: &TraceFigures) -> ViewTable {
    let columns = [
        ("pid", Measure::Level),
        ("name", Measure::Text),
        ("board", Measure::Text),
        ("itself", Measure::Time),
        ("on its behalf", Measure::Time),
        ("state", Measure::Text),
        ("system call", Measure::Text),
        ("waits for", Measure::Text),
    ];
    let mut table = ViewTable::new("programs", &columns, figures.span_ns());
    let mut nobodys = Spent::default();
    for (serial, program) in &figures.programs {
        let TracedProgram { process: Some(process), pid, name, spent, .. } = program else {
            nobodys.itself_ns += program.spent.itself_ns;
            nobodys.on_behalf_ns += program.spent.on_behalf_ns;
            continue;
        };
        let [state, call, chain] = doing(meter, figures, meter.program(*serial).unwrap_or(program));
        let values = vec![
            u64::from(*pid).into(),
            name.as_str().into(),
            meter.header().board(process.board.0).into(),
            spent.itself_ns.into(),
            spent.on_behalf_ns.into(),
            state,
            call,
            chain,
        ];
        table.rows.push(TableRow { boards: vec![process.board.0], values });
    }
    let system = Spent { itself_ns: 0, on_behalf_ns: figures.system_ns };
    for (name, spent) in [("(empty slots)", nobodys), ("(system)", system)] {
        let [itself, on_behalf] = [spent.itself_ns, spent.on_behalf_ns].map(Value::Figure);
        let [pid, board, state, call, chain] = [const { Value::Nothing }; 5];
        let values = vec![pid, name.into(), board, itself, on_behalf, state, call, chain];
        table.rows.push(TableRow { boards: (0..figures.boards.len() as u8).collect(), values });
    }
    table
}

/// A program's present activity: its state, its system call and for how long, and what that waits for.
fn doing(meter: &Meter, figures: &TraceFigures, program: &TracedProgram) -> [Value; 3] {
    let (None, Some(process)) = (program.end_ns, program.process) else {
        return ["ended".into(), Value::Nothing, Value::Nothing];
    };
    let moment = meter.moment();
    let call = meter.system_call(process);
    let state = match moment.state(process) {
        Some(TracedState::Program) => "runs",
        _ if moment.calls().outstanding(process).is_some() => "waits",
        Some(TracedState::Waits("the ready queue")) => "ready",
        Some(TracedState::Waits(_)) => "waits",
        Some(TracedState::Runs | TracedState::Ready) if call.is_some() => "in a call",
        _ => "ready",
    };
    let Some((number, since_ns)) = call else { return [state.into(), Value::Nothing, Value::Nothing] };
    let for_ns = figures.time_ns.saturating_sub(since_ns);
    let said = format!("{} for {} us", system_call_name(number), for_ns / 1000);
    // The chain begins with the program itself.
    let chain = moment.chain(meter.header(), process);
    let rest = chain.split_once(" -> ").map_or(Value::Nothing, |(_, rest)| rest.into());
    [state.into(), Value::Text(said), rest]
}

fn processes(meter: &Meter, figures: &TraceFigures) -> ViewTable {
    let columns = [
        ("board", Measure::Text),
        ("kind", Measure::Text),
        ("active", Measure::Level),
        ("core", Measure::Time),
        ("served", Measure::Count),
        ("service", Measure::Mean),
        ("wait", Measure::Mean),
        ("queue", Measure::Level),
    ];
    let mut table = ViewTable::new("processes", &columns, figures.span_ns());
    let mut kinds: BTreeMap<(u8, &str), (u64, Work, u64)> = BTreeMap::new();
    for (id, work) in &figures.work {
        let (active, sum, _) = kinds.entry((id.board.0, meter.header().kind(*id))).or_default();
        *active += 1;
        sum.core_ns += work.core_ns;
        sum.served += work.served;
        sum.served_ns = sum.served_ns.saturating_add(work.served_ns);
        sum.waited_ns = sum.waited_ns.saturating_add(work.waited_ns);
    }
    for (id, length) in queues(meter, |_| true) {
        kinds.entry((id.board.0, meter.header().kind(id))).or_default().2 += length;
    }
    for ((board, kind), (active, work, queue)) in kinds {
        let values = vec![
            meter.header().board(board).into(),
            kind.into(),
            active.into(),
            work.core_ns.into(),
            work.served.into(),
            mean_value(work.served_ns, work.served),
            mean_value(work.waited_ns, work.served),
            queue.into(),
        ];
        table.rows.push(TableRow { boards: vec![board], values });
    }
    table
}

/// Calls of the board that servers have not taken yet, by server.
fn queues(meter: &Meter, of: impl Fn(ProcId) -> bool) -> HashMap<ProcId, u64> {
    let mut lengths = HashMap::new();
    for call in meter.moment().calls().all_outstanding() {
        if !call.is_remote() && call.accept_ns.is_none() && of(call.server) {
            *lengths.entry(call.server).or_default() += 1;
        }
    }
    lengths
}

fn edges(meter: &Meter, figures: &TraceFigures) -> ViewTable {
    let columns = [
        ("from", Measure::Text),
        ("to", Measure::Text),
        ("entry", Measure::Text),
        ("link", Measure::Text),
        ("calls", Measure::Count),
        ("answered", Measure::Count),
        ("time", Measure::Time),
        ("waiting", Measure::Time),
        ("latency", Measure::Mean),
    ];
    let mut table = ViewTable::new("edges", &columns, figures.span_ns());
    let mut edges: Vec<_> = figures.edges.iter().collect();
    edges.sort_unstable_by_key(|(arrow, _)| **arrow);
    for (arrow, sum) in edges {
        let edge = CallEdge::of(meter.header(), arrow);
        let values = vec![
            Value::Text(edge.from),
            Value::Text(edge.to),
            Value::Text(edge.entry),
            if edge.remote { "crosses" } else { "-" }.into(),
            sum.calls.into(),
            sum.answered.into(),
            sum.total_ns.into(),
            sum.waiting_ns.into(),
            mean_value(sum.total_ns, sum.answered),
        ];
        table.rows.push(TableRow { boards: vec![arrow.from.board, arrow.to.board], values });
    }
    table
}

fn cores(meter: &Meter, figures: &TraceFigures) -> ViewTable {
    let columns = [
        ("board", Measure::Text),
        ("core", Measure::Level),
        ("programs", Measure::Time),
        ("system", Measure::Time),
        ("idle", Measure::Time),
    ];
    let mut table = ViewTable::new("cores", &columns, figures.span_ns());
    for ((number, board), figures) in (0u8..).zip(&meter.header().boards).zip(&figures.boards) {
        for (core, time) in (0..u64::from(board.cores())).zip(&figures.cores) {
            let CoreTime { programs_ns, system_ns, idle_ns } = *time;
            let times = [programs_ns, system_ns, idle_ns].map(Value::Figure);
            let values = [board.name.as_str().into(), core.into()].into_iter().chain(times).collect();
            table.rows.push(TableRow { boards: vec![number], values });
        }
    }
    table
}

fn mean_value(total: u64, count: u64) -> Value {
    total.checked_div(count).map_or(Value::Nothing, Value::Figure)
}
