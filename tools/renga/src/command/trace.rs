//! `renga trace`: what a trace says.

use crate::cli;
use anyhow::{Context, Result, bail};
use prost::Message;
use renga_trace::event::Timed;
use renga_trace::path::{SystemCall, path, system_calls, timeline, waits};
use renga_trace::{Header, Reader, diff, perfetto, summary};
use std::fs;
use std::path::Path;

/// Tells what is asked about a trace; 1 if two differ.
///
/// # Errors
/// If a file cannot be read or written, or what is asked for is not in it.
pub fn trace(options: &cli::Trace) -> Result<u8> {
    let (header, events) = read(&options.file)?;
    if let Some(other) = &options.diff {
        return difference(&header, &events, other);
    }
    if let Some(out) = &options.perfetto {
        let bytes = perfetto::export(&header, &events).encode_to_vec();
        fs::write(out, &bytes).with_context(|| format!("cannot write {}", out.display()))?;
        println!("{} bytes in {}: open it at ui.perfetto.dev", bytes.len(), out.display());
        return Ok(0);
    }
    if let Some(time_ns) = options.waits {
        waits(&header, &events, time_ns).iter().for_each(|line| println!("{line}"));
        return Ok(0);
    }
    if let Some(wanted) = &options.path {
        let call = chosen(&header, &events, wanted)?;
        println!("{}, {} ns from {} ns on", header.full_name(call.process), call.end_ns - call.begin_ns, call.begin_ns);
        print!("{}", timeline(&path(&header, &events, call.process, call.begin_ns, call.end_ns)));
        return Ok(0);
    }
    print!("{}", summary::summary(&header, &events));
    Ok(0)
}

fn read(file: &Path) -> Result<(Header, Vec<Timed>)> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let reader = Reader::new(&bytes).with_context(|| file.display().to_string())?;
    let header = reader.header().clone();
    Ok((header, reader.collect::<Result<_, _>>().with_context(|| file.display().to_string())?))
}

/// The system call, or the time of the program, that is to be explained.
fn chosen(header: &Header, events: &[Timed], wanted: &str) -> Result<SystemCall> {
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

fn difference(header: &Header, events: &[Timed], other: &Path) -> Result<u8> {
    let (_, others) = read(other)?;
    let found = diff::difference(header, events, &others);
    let Some([left, right]) = found.first else {
        println!("the same {} events", events.len());
        return Ok(0);
    };
    for (side, event) in [("one", left), ("other", right)] {
        match event {
            Some(Timed { time_ns, board, event }) => {
                println!("the {side}: {time_ns} ns, board {}: {event:?}", header.board(board));
            }
            None => println!("the {side} ends"),
        }
    }
    println!("\n{:>9} {:>9} {:>15} {:>15}  edge", "calls", "other", "time, ns", "other");
    for (edge, [left, right]) in found.edges {
        let arrow = format!("{} -> {}, {}", edge.from, edge.to, edge.entry);
        println!("{:>9} {:>9} {:>15} {:>15}  {arrow}", left.calls, right.calls, left.total_ns, right.total_ns);
    }
    Ok(1)
}
