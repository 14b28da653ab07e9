//! `renga check`: who runs where, and why nobody can wait in a circle.

use crate::cli::Check;
use crate::environment::Environment;
use crate::system::SystemFile;
use anyhow::{Context, Result};

/// Checks a system file and prints what it means.
///
/// # Errors
/// If it is refused.
pub fn check(environment: &Environment, options: &Check) -> Result<u8> {
    let system = SystemFile::find(environment, &options.system)?;
    print!("{}", system.checked.to_text());
    if options.verbose {
        print!("\n{}", system.checked.to_legend());
    }
    if let Some(path) = &options.dot {
        std::fs::write(path, system.checked.to_dot()).with_context(|| format!("cannot write {}", path.display()))?;
        println!("\ngraph: {} (dot -Tsvg {0} > graph.svg)", path.display());
    }
    Ok(0)
}
