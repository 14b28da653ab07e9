//! `renga bench report`: results as a page.

use crate::benches::{RowResult, Runner, html, markdown, sources};
use anyhow::{Context, Result, bail};
use renga_bench::rows::all;
use renga_cli::ReportArgs;
use renga_workspace::environment::Environment;
use renga_workspace::output;
use std::fs;

/// Writes the page, and the Markdown with its pictures.
///
/// # Errors
/// If there are no results, or the page cannot be written.
pub fn report(environment: &Environment, options: &ReportArgs) -> Result<u8> {
    let folder = Runner::folder(environment);
    let results = options.results.clone().unwrap_or_else(|| folder.join("results"));
    let mut results = RowResult::read_all(&results)?;
    results.retain(|result| result.short == options.short);
    results.sort_by_cached_key(|result| {
        (all().position(|row| row.id == result.row), std::cmp::Reverse(result.machine().to_string()))
    });
    if results.is_empty() {
        let short = if options.short { " --short" } else { "" };
        bail!("there are no such results yet: `./renga bench p1{short}` makes them");
    }
    let out = options.out.clone().unwrap_or_else(|| folder.join("report"));
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let now = sources::revision(environment);
    let (text, pictures) = markdown(&results, now.as_deref())?;
    let page = if options.markdown { None } else { Some(("report.html".to_string(), html(&results, now.as_deref())?)) };
    for (name, content) in page.into_iter().chain([("report.md".to_string(), text)]).chain(pictures) {
        output::replace(&out.join(&name), content.as_bytes())?;
    }
    let page = if options.markdown { "report.md" } else { "report.html" };
    println!("{} results: {}", results.len(), out.join(page).display());
    Ok(0)
}
