//! `renga-completions`: carries out `renga completions`.
#![forbid(unsafe_code)]

use anyhow::{Context, Result, bail};
use clap::CommandFactory;
use clap_complete::Shell;
use renga_cli::{Cli, CompletionKind, Completions, RengaCommand};
use renga_workspace::exit;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::of(|| match &Cli::read().command {
        RengaCommand::Completions(options) => print(options),
        other => Err(anyhow::anyhow!("{} is not for this binary", other.name())),
    })
}

fn print(options: &Completions) -> Result<u8> {
    let mut cli = Cli::command();
    let shell = match options.kind {
        CompletionKind::Bash => Shell::Bash,
        CompletionKind::Zsh => Shell::Zsh,
        CompletionKind::Fish => Shell::Fish,
        CompletionKind::Man => return manual(cli, options).map(|()| 0),
    };
    if options.out.is_some() {
        bail!("--out is for man: a shell's completions go to standard output");
    }
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut cli, "renga", &mut text);
    io::stdout().write_all(&text)?;
    Ok(0)
}

fn manual(cli: clap::Command, options: &Completions) -> Result<()> {
    match &options.out {
        Some(folder) => {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            clap_mangen::generate_to(cli, folder).with_context(|| format!("cannot write to {}", folder.display()))
        }
        None => Ok(clap_mangen::Man::new(cli).render(&mut io::stdout())?),
    }
}
