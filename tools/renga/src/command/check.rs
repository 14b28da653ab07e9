//! `renga check`: the placement of processes, and the proof that no circle of waits exists.

use super::check_json;
use anyhow::{Context, Result};
use renga_cli::Check;
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;
use renga_workspace::output;
use std::io::Write;
use std::path::Path;

/// Checks a system file and prints what it means.
///
/// # Errors
/// If it is refused.
pub fn check(environment: &Environment, options: &Check) -> Result<u8> {
    let system = SystemFile::find(environment, &options.system)?;
    let json = options.json.as_deref();
    let is_text = json != Some(Path::new("-"));
    if is_text {
        print!("{}", system.checked.to_text());
        if options.verbose {
            print!("\n{}", system.checked.to_legend());
        }
    }
    if let Some(path) = json {
        writeln!(output::open(Some(path))?, "{:#}", check_json::facts(&system.checked))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &options.dot {
        std::fs::write(path, system.checked.to_dot()).with_context(|| format!("cannot write {}", path.display()))?;
        if is_text {
            println!("\ngraph: {} (dot -Tsvg {0} > graph.svg)", path.display());
        }
    }
    Ok(0)
}
