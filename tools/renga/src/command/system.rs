//! `renga system new`: a system file for so many boards.

use anyhow::{Context, Result, bail};
use renga_cli::{SystemArgs, SystemCommand, SystemNew};
use renga_images::system::SystemFile;
use renga_placement::{SystemForm, code_kinds, generate};
use renga_workspace::environment::Environment;
use std::fs;
use std::io::Write;

/// The name of a system that is printed.
const NAME: &str = "cluster";

/// Carries out what is asked about system files.
///
/// # Errors
/// If no such file can be made or written.
pub fn system(environment: &Environment, options: &SystemArgs) -> Result<u8> {
    let SystemCommand::New(options) = &options.what;
    let stem = options.out.as_ref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
    let text = text(environment, options, &stem.unwrap_or_else(|| NAME.to_string()))?;
    let Some(path) = &options.out else {
        print!("{text}");
        return Ok(0);
    };
    if path.exists() {
        bail!("{} exists: remove it, or choose another name", path.display());
    }
    let mut file = fs::File::create_new(path).with_context(|| format!("cannot write {}", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}: {} boards; ./renga check {0}", path.display(), options.boards);
    Ok(0)
}

/// The text of a system file for so many boards; the system is called `name`.
///
/// # Errors
/// If there is no such system to make it of, or it cannot be made.
pub(super) fn text(environment: &Environment, options: &SystemNew, name: &str) -> Result<String> {
    let from = options.from.as_deref().unwrap_or(match options.boards {
        1 => "solo",
        2 => "pair",
        3 | 4 => "quad",
        _ => "octet",
    });
    let base = SystemFile::find(environment, from)?;
    let base_text = fs::read_to_string(&base.path).with_context(|| format!("cannot read {}", base.path.display()))?;
    let disk_board = options.disk_board.as_deref();
    let form = SystemForm { name, boards: options.boards.into(), from: (from, &base_text), disk_board };
    generate(form, &code_kinds()).with_context(|| format!("cannot make a system of {}", base.path.display()))
}
