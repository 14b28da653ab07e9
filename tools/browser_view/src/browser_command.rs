//! `renga view`: reads one trace or two, and writes the page.

use crate::comparison::{FirstDifference, RunComparison, edge_changes, first_difference};
use crate::packing::{PackedRun, pack};
use crate::page::{PageData, page};
use crate::page_file;
use crate::tabulator::TraceTabulator;
use anyhow::{Context, Result};
use renga_cli::ViewArgs;
use renga_trace::meter::Meter;
use renga_trace::summary::TraceSummary;
use renga_trace::{BadTrace, Timed, TraceReader};
use renga_workspace::progress::ProgressLine;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the page of a trace, or of two beside each other.
///
/// # Errors
/// If a trace cannot be read or is damaged, or the page cannot be written, is there already, or would replace a trace.
pub fn view(options: &ViewArgs) -> Result<u8> {
    let out = options.out.clone().unwrap_or_else(|| page_beside(&options.file));
    let inputs: Vec<&Path> =
        [Some(&options.file), options.diff.as_ref()].into_iter().flatten().map(PathBuf::as_path).collect();
    page_file::check(&out, &inputs, options.force)?;
    let progress = ProgressLine::start();
    let text = text(options, &progress);
    progress.finish();
    let text = text?;
    page_file::write(&out, &text, options.force)?;
    println!("{} bytes in {}: open it in a browser", text.len(), out.display());
    Ok(0)
}

/// The page's usual name: the trace's, with another ending.
fn page_beside(trace: &Path) -> PathBuf {
    let mut name = trace.as_os_str().to_owned();
    name.push(".html");
    PathBuf::from(name)
}

fn text(options: &ViewArgs, progress: &ProgressLine) -> Result<String> {
    let (one, summary) = run(&options.file, progress)?;
    let data = match &options.diff {
        None => PageData { runs: vec![one], comparison: None },
        Some(other) => {
            let (two, other_summary) = run(other, progress)?;
            progress.step("comparing the traces");
            let edges = edge_changes(&summary, &other_summary);
            let (first, other_names) = difference(&options.file, other)?;
            let comparison = RunComparison { first, other_names, edges };
            PageData { runs: vec![one, two], comparison: Some(comparison) }
        }
    };
    progress.step("writing the page");
    Ok(page(&data)?)
}

/// Reads and packs a run.
fn run(file: &Path, progress: &ProgressLine) -> Result<(PackedRun, TraceSummary)> {
    progress.step(&format!("reading {}", file.display()));
    let bytes = read(file)?;
    let reader = reader(&bytes, file)?;
    let header = reader.header().clone();
    let (mut meter, mut tabulator) = (Meter::new(header.clone()), TraceTabulator::new(header.clone()));
    for timed in reader {
        match timed {
            Ok(timed) => {
                meter.take(&timed);
                tabulator.take(&timed);
            }
            Err(bad) if bad.early => {
                eprintln!("renga: {} has no end: its run goes on, or was stopped by force", file.display());
                tabulator.is_cut();
            }
            Err(bad) => return Err(bad).with_context(|| file.display().to_string()),
        }
    }
    progress.step(&format!("packing {}", file.display()));
    let summary = TraceSummary::of(&header, &meter.figures());
    let title = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    Ok((pack(&title, &tabulator.finish(), &summary)?, summary))
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

fn reader<'a>(bytes: &'a [u8], file: &Path) -> Result<TraceReader<'a>> {
    TraceReader::new(bytes).with_context(|| file.display().to_string())
}

/// The first event that differs, and whether the names do.
fn difference(one: &Path, other: &Path) -> Result<(Option<FirstDifference>, bool)> {
    let (one_bytes, other_bytes) = (read(one)?, read(other)?);
    let (one_reader, other_reader) = (reader(&one_bytes, one)?, reader(&other_bytes, other)?);
    let headers = [&one_reader, &other_reader].map(|reader| reader.header().clone());
    // What is cut has ended for this purpose.
    let whole = |timed: &Result<Timed, BadTrace>| !matches!(timed, Err(bad) if bad.early);
    let first = first_difference(headers.each_ref(), one_reader.filter(whole), other_reader.filter(whole))?;
    Ok((first, headers[0] != headers[1]))
}
