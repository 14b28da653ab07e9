//! `renga trace`: what a trace says.

use crate::trace_report::WholeTrace;
use anyhow::{Context, Result, bail};
use renga_abi::ProcId;
use renga_cli as cli;
use renga_trace::event::{EventNumber, Timed};
use renga_trace::path::{SystemCall, path, system_calls, timeline, waits};
use renga_trace::{TraceEvent, TraceHeader, TraceReader, diff, perfetto};
use renga_workspace::output;
use renga_workspace::progress::ProgressLine;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Prints the summary of a trace, or the part that an option names; 1 if two traces differ.
///
/// # Errors
/// If a file cannot be read or written, or the trace has no such part.
pub fn trace(options: &cli::TraceArgs) -> Result<u8> {
    for file in [&options.perfetto, &options.json] {
        output::expect_file(file.as_deref())?;
    }
    let progress = ProgressLine::start();
    progress.step("reading the trace");
    let answer = read(&options.file).and_then(|(header, events)| answer(options, &header, &events));
    progress.finish();
    let (text, status) = answer?;
    match std::io::stdout().write_all(text.as_bytes()) {
        // A reader of the start only, as `head`, has what it wants.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(status),
    }
}

fn answer(options: &cli::TraceArgs, header: &TraceHeader, events: &[Timed]) -> Result<(String, u8)> {
    if let Some(other) = &options.diff {
        return difference(header, events, other);
    }
    if let Some(out) = &options.perfetto {
        let bytes = perfetto::encode(header, events);
        output::replace(out, &bytes)?;
        return Ok((format!("{} bytes in {}: open it at ui.perfetto.dev\n", bytes.len(), out.display()), 0));
    }
    if let Some(time_ns) = options.waits_at_ns {
        // Processes that wait for work have waited longest, and say least.
        let lines = waits(header, events, time_ns);
        return Ok((lines.iter().rev().fold(String::new(), |text, line| text + line + "\n"), 0));
    }
    if let Some(wanted) = &options.path {
        let call = chosen(header, events, wanted)?;
        let (took_ns, begin_ns) = (call.end_ns - call.begin_ns, call.begin_ns);
        let head = format!("{}, {took_ns} ns from {begin_ns} ns on\n", header.full_name(call.process));
        return Ok((head + &timeline(&path(header, events, call.process, begin_ns, call.end_ns)), 0));
    }
    let (json, whole) = (options.json.as_deref(), WholeTrace::of(header, events));
    if !output::leaves_text(json) {
        return Ok((serde_json::to_string_pretty(&whole.report())? + "\n", 0));
    }
    output::write_json(json, &whole.report())?;
    Ok((whole.to_string(), 0))
}

/// An event, with the names of processes.
fn named(header: &TraceHeader, event: &TraceEvent) -> String {
    let Some((kind, numbers)) = event.numbers() else { return format!("{event:?}") };
    let number = |(number, what): (&u64, &EventNumber)| match what {
        EventNumber::Id => header.full_name(ProcId::from_word(*number as u32)),
        EventNumber::Plain => number.to_string(),
    };
    let numbers: Vec<String> = numbers.iter().zip(kind.numbers()).map(number).collect();
    format!("{} {}", kind.name(), numbers.join(", "))
}

fn read(file: &Path) -> Result<(TraceHeader, Vec<Timed>)> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let reader = TraceReader::new(&bytes).with_context(|| file.display().to_string())?;
    let header = reader.header().clone();
    Ok((header, reader.collect::<Result<_, _>>().with_context(|| file.display().to_string())?))
}

/// The system call, or the time of the program, that is to be explained.
fn chosen(header: &TraceHeader, events: &[Timed], wanted: &str) -> Result<SystemCall> {
    let mut calls = system_calls(events);
    if let Some((board, ordinal)) = wanted.split_once(':') {
        let name = format!("{board}: user {ordinal}");
        calls.retain(|call| header.full_name(call.process) == name);
        let (first, last) = calls.first().zip(calls.last()).with_context(|| format!("no system call of {name}"))?;
        return Ok(SystemCall { end_ns: last.end_ns, ..first.clone() });
    }
    if wanted != "longest" {
        let Ok(number) = wanted.parse::<u32>() else { bail!("`{wanted}` is no system call's number") };
        calls.retain(|call| call.number == number);
    }
    let longest = calls.into_iter().max_by_key(|call| call.end_ns - call.begin_ns);
    longest.with_context(|| format!("no such system call came back: {wanted}"))
}

fn difference(header: &TraceHeader, events: &[Timed], other: &Path) -> Result<(String, u8)> {
    let (_, others) = read(other)?;
    let found = diff::difference(header, events, &others);
    let Some([left, right]) = found.first else { return Ok((format!("the same {} events\n", events.len()), 0)) };
    let side = |side: &str, event: &Option<Timed>| match event {
        Some(Timed { time_ns, board, core, event }) => {
            let place = header.core_name(*board, *core);
            format!("the {side}: {time_ns} ns, board {place}: {}\n", named(header, event))
        }
        None => format!("the {side} ends\n"),
    };
    let mut text = side("one", &left) + &side("other", &right);
    text += &format!("\n{:>9} {:>9} {:>15} {:>15}  edge\n", "calls", "other", "time, ns", "other");
    for (edge, [left, right]) in found.edges {
        let arrow = format!("{} -> {}, {}", edge.from, edge.to, edge.entry);
        text +=
            &format!("{:>9} {:>9} {:>15} {:>15}  {arrow}\n", left.calls, right.calls, left.total_ns, right.total_ns);
    }
    Ok((text, 1))
}

#[cfg(test)]
mod tests {
    use super::named;
    use renga_abi::ProcId;
    use renga_trace::{ProcessKind, TraceBoard, TraceEvent, TraceHeader};

    #[test]
    fn trace_events_have_process_names() {
        let mut board = TraceBoard { name: "a".to_string(), ..TraceBoard::default() };
        board.add(0, 0, 0);
        let kinds_of = vec![ProcessKind { name: "disk".to_string(), serves: None }];
        let header =
            TraceHeader { boards: vec![board], kinds: kinds_of, protocols: Vec::new(), ..TraceHeader::default() };
        let process = ProcId::new(0, 0);
        let disk = TraceEvent::Disk { process, first: 8, blocks: 2, writes: true };
        assert_eq!(named(&header, &disk), "disk a: disk 0, 8, 2, 1");
    }
}
