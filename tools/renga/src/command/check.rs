//! `renga check`: the placement of processes, and the proof that no circle of waits exists.

use super::check_report::CheckReport;
use anyhow::Result;
use renga_cli::Check;
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;
use renga_workspace::output;

/// Checks a system file and prints what it means.
///
/// # Errors
/// If it is refused.
pub fn check(environment: &Environment, options: &Check) -> Result<u8> {
    let system = SystemFile::find(environment, &options.system)?;
    let is_text = output::leaves_text(options.json.as_deref());
    if is_text {
        print!("{}", system.checked.to_text());
        if options.verbose {
            print!("\n{}", system.checked.to_legend());
        }
    }
    output::write_json(options.json.as_deref(), &CheckReport::of(&system.checked))?;
    if let Some(path) = &options.dot {
        output::replace(path, system.checked.to_dot().as_bytes())?;
        if is_text {
            println!("\ngraph: {} (dot -Tsvg {0} > graph.svg)", path.display());
        }
    }
    Ok(0)
}
