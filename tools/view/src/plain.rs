//! Views as plain text, for a person without a terminal, and as JSON, for programs.
//!
//! A line of JSON is an object for an interval or the whole trace: `from_ns`, `until_ns`, `events`, and for each view
//! an array of rows, whose figures are exact: counts, bytes, ns.

use crate::choice::is_text;
use crate::player::{PlayerState, TracePlayer};
use crate::table::{Scale, Value, ViewTable};
use crate::views;
use crate::views::ViewKind;
use anyhow::{Result, bail};
use renga_trace::figures::TraceFigures;
use renga_trace::meter::Meter;
use renga_trace::summary::exact_us;
use serde_json::{Map, json};
use std::io::{ErrorKind, Write};
use std::time::Duration;

/// How often a growing trace is polled.
const LOOK_PERIOD: Duration = Duration::from_millis(50);

/// What is printed.
#[derive(Clone, Debug)]
pub struct PlainOptions {
    /// Which views.
    pub views: Vec<ViewKind>,
    /// Of one board.
    pub board: Option<u8>,
    /// As JSON.
    pub json: bool,
    /// Rates or sums; JSON has sums.
    pub scale: Scale,
}

/// Prints what the whole trace says, as far as it is written; whether its end was there.
///
/// # Errors
/// If it cannot be read, or is wrong: behind what it says until there.
pub fn once(player: &mut TracePlayer, wanted: &PlainOptions, out: &mut dyn Write) -> Result<bool> {
    // Bounded by the trace's length.
    while !player.advance()? {}
    if let (Some(meter), Some(figures)) = (player.meter(), player.figures()) {
        printed(print(meter, figures, wanted, out))?;
    }
    verdict(player)
}

/// Prints each interval from that of the first event on, until the trace ends; waits for a trace that grows.
///
/// # Errors
/// If it cannot be read, or is wrong: behind what it says until there.
pub fn each_interval(player: &mut TracePlayer, wanted: &PlainOptions, out: &mut dyn Write) -> Result<bool> {
    // Bounded by the run: it ends with the trace.
    loop {
        let end_ns = (player.next_ns() / player.interval_ns() + 1) * player.interval_ns();
        player.go_to(end_ns);
        while !player.advance()? {}
        let over = *player.state() == PlayerState::Ended || player.trouble().is_some();
        if (over || player.time_ns() >= end_ns)
            && let (Some(meter), Some(figures)) = (player.meter(), player.interval())
            && !printed(print(meter, &figures, wanted, out))?
        {
            return Ok(true);
        }
        if over {
            return verdict(player);
        }
        if player.time_ns() < end_ns {
            std::thread::sleep(LOOK_PERIOD);
        }
    }
}

/// False if the reader has gone.
fn printed(result: Result<()>) -> Result<bool> {
    match result {
        Err(error)
            if error.downcast_ref().is_some_and(|error: &std::io::Error| error.kind() == ErrorKind::BrokenPipe) =>
        {
            Ok(false)
        }
        other => other.map(|()| true),
    }
}

fn verdict(player: &TracePlayer) -> Result<bool> {
    match player.trouble() {
        Some(trouble) => bail!("{trouble}"),
        None => Ok(*player.state() == PlayerState::Ended),
    }
}

/// Prints what figures say.
///
/// # Errors
/// If it cannot be written.
pub fn print(meter: &Meter, figures: &TraceFigures, wanted: &PlainOptions, out: &mut dyn Write) -> Result<()> {
    let sheets = wanted.views.iter().map(|view| {
        let mut table = views::table(*view, meter, figures);
        wanted.board.into_iter().for_each(|board| table.only(board));
        table.sort(view.sorted_by(), false);
        table
    });
    if wanted.json {
        let mut line = Map::new();
        line.insert("from_ns".into(), figures.begin_ns.into());
        line.insert("until_ns".into(), figures.time_ns.into());
        line.insert("events".into(), figures.events.into());
        sheets.for_each(|table| drop(line.insert(table.name.into(), rows(&table))));
        writeln!(out, "{}", serde_json::Value::from(line))?;
    } else {
        writeln!(
            out,
            "{} us to {} us: {} events",
            exact_us(figures.begin_ns),
            exact_us(figures.time_ns),
            figures.events
        )?;
        for table in sheets {
            writeln!(out, "\n{}", text(&table, wanted.scale).trim_end())?;
        }
        writeln!(out)?;
    }
    out.flush()?;
    Ok(())
}

fn rows(table: &ViewTable) -> serde_json::Value {
    let row = |values: &[Value]| {
        let named = table.columns.iter().zip(values).map(|(column, value)| {
            let value = match value {
                Value::Text(text) => json!(text),
                Value::Figure(figure) => json!(figure),
                Value::Nothing => serde_json::Value::Null,
            };
            (column.key(), value)
        });
        serde_json::Value::Object(named.collect())
    };
    table.rows.iter().map(|one| row(&one.values)).collect()
}

/// A table as lines, its columns beside each other.
pub fn text(table: &ViewTable, scale: Scale) -> String {
    let titles: Vec<String> = table.columns.iter().map(|column| column.title(scale)).collect();
    let mut lines = vec![titles];
    lines.extend(table.rows.iter().map(|row| table.formatted(row, scale)));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&table.columns).zip(&widths).map(|((cell, column), width)| {
            if is_text(column.measure) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
