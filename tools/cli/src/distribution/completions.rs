//! `renga completions`: options.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `renga completions`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// A shell, or `man` for the manual page
    #[arg(value_enum, value_name = "SHELL|man")]
    pub kind: CompletionKind,
    /// With `man`: write a page for each command into this folder
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  source <(./renga completions bash)
  ./renga completions man | man -l -
  ./renga completions man --out ~/.local/share/man/man1";

/// What can be printed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// For bash
    Bash,
    /// For zsh
    Zsh,
    /// For fish
    Fish,
    /// The manual page
    Man,
}
