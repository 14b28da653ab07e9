//! The tables of a run as JSON with names and sums, and compressed columns with all numbers.

use crate::columns::{ColumnPlace, PackedColumns};
use crate::comparison::edge_name;
use crate::critical_path::{CAUSE_NAMES, CriticalSegment, PathFinder};
use crate::frame_role::ROLE_NAMES;
use crate::tables::{INSTANT_NAMES, RunTables};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use renga_trace::summary::TraceSummary;
use renga_trace::system_call_name;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// Edges of the summary in the page.
const EDGES_SHOWN_MAX: usize = 40;
/// No row.
const NONE: u32 = 0;

/// A run, as it stands in the page.
#[derive(Serialize)]
pub struct PackedRun {
    title: String,
    begin_ns: u64,
    end_ns: u64,
    events: u64,
    is_cut: bool,
    boards: Vec<PackedBoard>,
    kinds: Vec<PackedKind>,
    system_call_names: BTreeMap<u32, String>,
    program_names: Vec<String>,
    mark_names: Vec<String>,
    role_names: [&'static str; 13],
    cause_names: [&'static str; 10],
    instant_names: [&'static str; 8],
    summary: PackedSummary,
    /// What the first picture needs.
    first: PackedPart,
    /// Everything else, which the page reads when it has drawn that.
    rest: PackedPart,
}

/// Columns; their bytes stand in an element of their own, so that a browser need not read them as JSON.
#[derive(Serialize)]
struct PackedPart {
    columns: Vec<ColumnPlace>,
    byte_count: usize,
    /// As gzip and base64.
    #[serde(skip)]
    data: String,
}

#[derive(Serialize)]
struct PackedBoard {
    name: String,
    cores: u8,
}

#[derive(Serialize)]
struct PackedKind {
    name: String,
    entries: Vec<(u8, String)>,
}

#[derive(Serialize)]
struct PackedSummary {
    cores: Vec<(String, [u64; 3])>,
    overlap_ns: u64,
    disk_ns: u64,
    frames: [u64; 4],
    edges: Vec<(String, bool, u64, u64, u64)>,
}

impl PackedRun {
    /// The bytes of both parts, as gzip and base64.
    pub fn data(&self) -> [&str; 2] {
        [&self.first.data, &self.rest.data]
    }
}

/// Packs a run.
///
/// # Errors
/// If the columns cannot be compressed.
pub fn pack(title: &str, tables: &RunTables, summary: &TraceSummary) -> std::io::Result<PackedRun> {
    let header = &tables.header;
    let (mut first, mut rest) = (PackedColumns::default(), PackedColumns::default());
    processes(&mut first, tables);
    changes(&mut first, tables);
    link(&mut first, tables);
    programs(&mut first, tables);
    paths(&mut first, &mut rest, tables);
    calls(&mut rest, tables);
    states(&mut rest, tables);
    let kind = |kind: usize| PackedKind {
        name: header.kinds[kind].name.clone(),
        entries: header.kinds[kind]
            .serves
            .and_then(|at| header.protocols.get(at))
            .map_or(vec![], |p| p.entries.clone()),
    };
    let names = tables.system_calls.iter().map(|call| (call.number, system_call_name(call.number)));
    Ok(PackedRun {
        title: title.to_string(),
        begin_ns: tables.begin_ns,
        end_ns: tables.end_ns,
        events: tables.events,
        is_cut: tables.is_cut,
        boards: header.boards.iter().map(|b| PackedBoard { name: b.name.clone(), cores: b.cores() }).collect(),
        kinds: (0..header.kinds.len()).map(kind).collect(),
        system_call_names: names.collect(),
        program_names: tables.programs.iter().map(|program| program.name.clone()).collect(),
        mark_names: tables.marks.iter().map(|(_, name)| name.clone()).collect(),
        role_names: ROLE_NAMES,
        cause_names: CAUSE_NAMES,
        instant_names: INSTANT_NAMES,
        summary: sums(summary),
        first: part(first)?,
        rest: part(rest)?,
    })
}

fn part(packed: PackedColumns) -> std::io::Result<PackedPart> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&packed.bytes)?;
    let data = STANDARD.encode(encoder.finish()?);
    Ok(PackedPart { byte_count: packed.bytes.len(), columns: packed.places, data })
}

fn sums(summary: &TraceSummary) -> PackedSummary {
    let mut edges: Vec<_> = summary.edges.iter().collect();
    edges.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.total_ns));
    let edge = |(edge, sum): (&_, &renga_trace::summary::EdgeSum)| {
        let edge: &renga_trace::summary::CallEdge = edge;
        (edge_name(edge), edge.remote, sum.calls, sum.total_ns, sum.waiting_ns)
    };
    let cores = summary.cores.iter();
    PackedSummary {
        cores: cores.map(|(name, time)| (name.clone(), [time.programs_ns, time.system_ns, time.idle_ns])).collect(),
        overlap_ns: summary.overlap_ns,
        disk_ns: summary.disk_ns.0,
        frames: summary.frames,
        edges: edges.into_iter().take(EDGES_SHOWN_MAX).map(edge).collect(),
    }
}

/// Row numbers from 1 on, so that 0 is none.
fn reference(row: Option<u32>) -> u32 {
    row.map_or(NONE, |row| row + 1)
}

fn processes(packed: &mut PackedColumns, tables: &RunTables) {
    let (ids, header) = (tables.processes.ids(), &tables.header);
    packed.small("process.board", ids.iter().map(|id| u32::from(id.board.0)));
    packed.small("process.kind", ids.iter().map(|id| header.kind_number(*id).map_or(NONE, |kind| kind as u32 + 1)));
    packed.small("process.number", ids.iter().map(|id| header.ordinal(*id).map_or(0, u32::from)));
    packed.small("process.proxy", ids.iter().map(|id| u32::from(header.is_proxy(*id))));
}

fn calls(packed: &mut PackedColumns, tables: &RunTables) {
    let calls = &tables.calls;
    packed.small("call.caller", calls.iter().map(|call| call.caller));
    packed.small("call.server", calls.iter().map(|call| call.server));
    packed.small("call.entry", calls.iter().map(|call| u32::from(call.op)));
    packed.rising("call.begin", calls.iter().map(|call| call.begin_ns));
    // After its beginning, from 1 on: 0 is none.
    let accept = |call: &crate::tables::CallRow| call.accept_ns.map_or(0, |accept_ns| accept_ns - call.begin_ns + 1);
    packed.wide("call.accept", calls.iter().map(accept));
    packed.wide("call.ns", calls.iter().map(|call| call.ns()));
    packed.small("call.made_for", calls.iter().map(|call| reference(call.made_for)));
    packed.small("call.made_by", calls.iter().map(|call| reference(call.made_by)));
    packed.small("call.flags", calls.iter().map(|call| u32::from(call.flags)));
    packed.wide("call.server_ns", calls.iter().map(|call| call.parts_ns[0]));
    packed.wide("call.wire_ns", calls.iter().map(|call| call.parts_ns[1]));
    packed.wide("call.token_ns", calls.iter().map(|call| call.parts_ns[2]));
}

fn states(packed: &mut PackedColumns, tables: &RunTables) {
    packed.rising("state.time", tables.states.iter().map(|state| state.time_ns));
    packed.small("state.process", tables.states.iter().map(|state| state.process));
    packed.small("state.state", tables.states.iter().map(|state| state.state as u32));
}

fn changes(packed: &mut PackedColumns, tables: &RunTables) {
    packed.rising("core.time", tables.cores.iter().map(|core| core.time_ns));
    packed.small("core.core", tables.cores.iter().map(|core| core.core));
    packed.small("core.activity", tables.cores.iter().map(|core| core.activity as u32));
    packed.small("core.process", tables.cores.iter().map(|core| reference(core.process)));
    packed.rising("instant.time", tables.instants.iter().map(|instant| instant.time_ns));
    packed.small("instant.board", tables.instants.iter().map(|instant| u32::from(instant.board)));
    packed.small("instant.kind", tables.instants.iter().map(|instant| u32::from(instant.kind)));
    packed.small("instant.process", tables.instants.iter().map(|instant| reference(instant.process)));
    packed.wide("instant.number", tables.instants.iter().map(|instant| instant.number));
    packed.rising("mark.time", tables.marks.iter().map(|(time_ns, _)| *time_ns));
}

fn link(packed: &mut PackedColumns, tables: &RunTables) {
    let frames = &tables.frames;
    packed.rising("frame.time", frames.iter().map(|frame| frame.time_ns));
    packed.small("frame.from", frames.iter().map(|frame| u32::from(frame.from)));
    packed.small("frame.to", frames.iter().map(|frame| u32::from(frame.to)));
    packed.wide("frame.token_wait", frames.iter().map(|frame| frame.token_wait_ns));
    packed.wide("frame.wire", frames.iter().map(|frame| frame.wire_ns));
    packed.wide("frame.arrives", frames.iter().map(|frame| frame.arrives_after_ns));
    packed.small("frame.bytes", frames.iter().map(|frame| frame.bytes));
    packed.small("frame.role", frames.iter().map(|frame| u32::from(frame.role)));
    packed.small("frame.call", frames.iter().map(|frame| reference(frame.call)));
    packed.rising("token.time", tables.tokens.iter().map(|(time_ns, _)| *time_ns));
    packed.small("token.board", tables.tokens.iter().map(|(_, board)| u32::from(*board)));
    let transfers = &tables.transfers;
    packed.rising("transfer.begin", transfers.iter().map(|transfer| transfer.begin_ns));
    packed.wide("transfer.ns", transfers.iter().map(|transfer| transfer.end_ns - transfer.begin_ns));
    packed.small("transfer.board", transfers.iter().map(|transfer| u32::from(transfer.board)));
    packed.wide("transfer.first", transfers.iter().map(|transfer| transfer.first));
    packed.small("transfer.blocks", transfers.iter().map(|transfer| transfer.blocks));
    packed.small("transfer.writes", transfers.iter().map(|transfer| u32::from(transfer.writes)));
}

fn programs(packed: &mut PackedColumns, tables: &RunTables) {
    let programs = &tables.programs;
    packed.small("program.process", programs.iter().map(|program| program.process));
    packed.small("program.pid", programs.iter().map(|program| program.pid));
    packed.rising("program.begin", programs.iter().map(|program| program.begin_ns));
    packed.wide("program.ns", programs.iter().map(|program| program.end_ns - program.begin_ns));
    let calls = &tables.system_calls;
    packed.small("system_call.process", calls.iter().map(|call| call.process));
    packed.small("system_call.number", calls.iter().map(|call| call.number));
    packed.rising("system_call.begin", calls.iter().map(|call| call.begin_ns));
    packed.wide("system_call.ns", calls.iter().map(|call| call.end_ns - call.begin_ns));
}

/// The critical path of each program, one after the other: a segment begins where the one before ends.
fn paths(first: &mut PackedColumns, rest: &mut PackedColumns, tables: &RunTables) {
    let finder = PathFinder::new(tables);
    let path = |program: &crate::tables::ProgramRow| finder.path(program.process, program.begin_ns, program.end_ns);
    let paths: Vec<Vec<CriticalSegment>> = tables.programs.iter().map(path).collect();
    first.small("path.count", paths.iter().map(|path| path.len() as u32));
    let all = || paths.iter().flatten();
    first.wide("path.ns", all().map(|segment| segment.end_ns - segment.begin_ns));
    first.small("path.cause", all().map(|segment| segment.cause as u32));
    rest.small("path.process", all().map(|segment| segment.process));
    rest.small("path.call", all().map(|segment| reference(segment.call)));
}
