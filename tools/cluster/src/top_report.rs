//! What `top` prints in a session: figures of an interval, busiest first.
//!
//! Not here: the figures (`renga_trace::meter`), `renga top` with all of them (`renga-view`).

use renga_abi::ProcId;
use renga_trace::TraceHeader;
use renga_trace::figures::{CoreTime, TraceFigures};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Rows of the tables of programs and of system processes.
const ROWS_MAX: usize = 6;
/// Bytes of a page of a file.
const PAGE_BYTES: u64 = 4096;

/// The figures of an interval, for boards of these names.
pub fn text(header: &TraceHeader, figures: &TraceFigures) -> String {
    let span_ns = figures.span_ns();
    if span_ns == 0 {
        return "renga: no virtual time has passed since the last `top`".to_owned();
    }
    let mut text = format!("{} s of virtual time, until {} s\n", seconds(span_ns), seconds(figures.time_ns));
    cores(&mut text, header, figures);
    boards(&mut text, header, figures);
    programs(&mut text, header, figures);
    processes(&mut text, header, figures);
    text.truncate(text.trim_end().len());
    text
}

fn seconds(ns: u64) -> String {
    format!("{}.{:03}", ns / 1_000_000_000, ns / 1_000_000 % 1000)
}

fn milliseconds(ns: u64) -> String {
    format!("{}.{:03} ms", ns / 1_000_000, ns / 1000 % 1000)
}

/// A part of a time in tenths of a percent.
fn share(part_ns: u64, all_ns: u64) -> String {
    let tenths = u128::from(part_ns) * 1000 / u128::from(all_ns.max(1));
    format!("{}.{}%", tenths / 10, tenths % 10)
}

// Writing to a string cannot fail: results of `writeln!` are dropped below.

fn cores(text: &mut String, header: &TraceHeader, figures: &TraceFigures) {
    let _ = writeln!(text, "{:<8}{:>5}{:>8}{:>10}{:>8}", "board", "core", "busy", "programs", "system");
    for (board, sums) in header.boards.iter().zip(&figures.boards) {
        for (core, time) in sums.cores.iter().enumerate().take(usize::from(board.cores())) {
            let CoreTime { programs_ns, system_ns, .. } = *time;
            let [busy, programs, system] =
                [programs_ns + system_ns, programs_ns, system_ns].map(|part_ns| share(part_ns, figures.span_ns()));
            let _ = writeln!(text, "{:<8}{core:>5}{busy:>8}{programs:>10}{system:>8}", board.name);
        }
    }
}

fn boards(text: &mut String, header: &TraceHeader, figures: &TraceFigures) {
    let (requests, read, written) = ("requests", "bytes read", "bytes written");
    let _ = writeln!(text, "{:<8}{:>8}{:>10}{requests:>10}{read:>14}{written:>14}", "board", "frames", "bytes");
    for (board, sums) in header.boards.iter().zip(&figures.boards) {
        let (sent, disk) = (sums.sent, sums.disk);
        let [read, written] = [disk.pages_read, disk.pages_written].map(|pages| pages * PAGE_BYTES);
        let (frames, bytes, requests) = (sent.frames, sent.bytes, disk.requests);
        let _ = writeln!(text, "{:<8}{frames:>8}{bytes:>10}{requests:>10}{read:>14}{written:>14}", board.name);
    }
}

fn programs(text: &mut String, header: &TraceHeader, figures: &TraceFigures) {
    let known = figures.programs.values().filter_map(|program| Some((program.process?, program)));
    let mut rows: Vec<_> = known
        .map(|(process, program)| (program.spent.itself_ns + program.spent.on_behalf_ns, process, program))
        .filter(|(total_ns, ..)| *total_ns > 0)
        .collect();
    rows.sort_by_key(|(total_ns, process, _)| (u64::MAX - total_ns, process.board.0, process.index));
    let _ = writeln!(text, "{:<8}{:>8}  {:<16}{:>14}{:>14}", "board", "pid", "program", "time", "of it itself");
    for (total_ns, process, program) in rows.into_iter().take(ROWS_MAX) {
        let [total, itself] = [total_ns, program.spent.itself_ns].map(milliseconds);
        let board = header.board(process.board.0);
        let _ = writeln!(text, "{board:<8}{:>8}  {:<16}{total:>14}{itself:>14}", program.pid, program.name);
    }
}

fn processes(text: &mut String, header: &TraceHeader, figures: &TraceFigures) {
    let mut kinds: BTreeMap<(u8, &str), (u64, u64)> = BTreeMap::new();
    let place = |id: &ProcId| (id.board.0, header.kind(*id));
    for (id, work) in &figures.work {
        let (core_ns, served) = kinds.entry(place(id)).or_default();
        (*core_ns, *served) = (*core_ns + work.core_ns, *served + work.served);
    }
    let mut rows: Vec<_> = kinds.into_iter().filter(|(_, (core_ns, _))| *core_ns > 0).collect();
    rows.sort_by_key(|(place, (core_ns, _))| (u64::MAX - core_ns, *place));
    let (kind, served) = ("system processes", "calls served");
    let _ = writeln!(text, "{:<8}{:>8}  {kind:<16}{:>14}{served:>14}", "board", "", "time");
    for ((board, kind), (core_ns, served)) in rows.into_iter().take(ROWS_MAX) {
        let (board, time) = (header.board(board), milliseconds(core_ns));
        let _ = writeln!(text, "{board:<8}{:>8}  {kind:<16}{time:>14}{served:>14}", "");
    }
}
