//! What UNIX calls and commands take, beside Linux on the same emulated board and beside what is aimed at.
//!
//! Invariant: the same programs and the same input measure both systems, in virtual time. Not here: the measuring
//! itself (`userland/src/bin/unix`, `userland/src/bin/measure.rs`), the table of what is measured (`rows`).

mod input;
mod linux;
mod report;
mod rows;

use super::measured::Fixture;
use anyhow::{Result, bail};
use renga_cli::{ClusterArgs, Unix};
use renga_images::artifacts::KernelFlavour;
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;
use renga_workspace::output;
use report::UnixFigures;
use rows::{BOARDS, ROWS, UnixRow};

/// Prints the table; in the short form 1 if a figure is worse than its bound.
///
/// # Errors
/// If the run fails or does not say what it measured.
pub fn measure(environment: &Environment, options: &Unix) -> Result<u8> {
    output::expect_file(options.json.as_deref())?;
    let machine = ClusterArgs::usual("pair");
    let system = SystemFile::find(environment, &machine.system)?;
    let fixture = Fixture::make(environment, &machine)?;
    let kernel = fixture.kernel(KernelFlavour::Plain)?;
    let rows: Vec<&UnixRow> = ROWS.iter().filter(|row| !options.short || row.is_bounded()).collect();
    let run = fixture.run_with(&system, &kernel, &script(&rows), false, input::files())?;
    fixture.progress.finish();
    if run.outcome.status != 0 {
        bail!("a measurement failed with status {}:\n{}", run.outcome.status, run.text);
    }
    let mut figures = UnixFigures::read(&run.text, &rows)?;
    // The short form compares with bounds alone.
    if !options.short {
        figures.add_linux(linux::measure(environment, &rows)?);
    }
    report::print(&rows, &figures);
    output::write_json(options.json.as_deref(), &report::json(&rows, &figures))?;
    let worse = if options.short { report::print_worse(&rows, &figures) } else { 0 };
    Ok(u8::from(worse > 0))
}

/// Measures `rows`; before each command stands `on`, which says where it runs.
fn measure_on(on: &str, rows: &[&UnixRow]) -> String {
    let calls: Vec<&str> = rows.iter().filter(|row| row.command.is_none()).map(|row| row.name).collect();
    let mut script = String::new();
    if !calls.is_empty() {
        script += &format!("{on}/usr/lib/renga/unix {} || exit 1\n", calls.join(" "));
    }
    for row in rows {
        if let Some(command) = row.command {
            let timed = format!("{on}/usr/lib/renga/measure {} sh -c '{command}' || exit 1\n", row.name);
            // The second time counts: files and programs are then cached. It finds what the first time found.
            script += &format!("{timed}{undo}{timed}{undo}", undo = input::UNDO);
        }
    }
    script
}

/// Measures `rows` on one board after the other.
fn script(rows: &[&UnixRow]) -> String {
    let mut script = input::PREPARE.to_string();
    for board in BOARDS {
        script += &format!("echo board {board}\n{}", measure_on(&format!("remote -b {board} "), rows));
    }
    script
}
