//! `renga-sim-browser FOLDER`: builds the page of the simulator there, for `renga sim --browser` and `renga docs`.
#![forbid(unsafe_code)]

use anyhow::{Context, Result};
use renga_sim_browser::builder::build_page;
use renga_workspace::environment::Environment;
use renga_workspace::exit;
use renga_workspace::progress::ProgressLine;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::of(build)
}

fn build() -> Result<u8> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).context("a folder for the page is wanted")?;
    let progress = ProgressLine::start();
    let page = build_page(&Environment::read()?, &folder, &progress)?;
    progress.finish();
    println!("{}", page.display());
    Ok(0)
}
