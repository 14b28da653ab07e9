//! `renga top`: what boards do, of a run that goes on or of one that is played again.
//!
//! Not here: the content and form of the display (`screen`, `plain`).

use crate::plain::{self, PlainOptions};
use crate::table::Scale;
use crate::{TracePlayer, ViewChoice, ViewKind, terminal};
use anyhow::{Context, Result};
use renga_cli::{self as cli, ViewName};
use renga_workspace::output;
use std::io::IsTerminal;

/// Shows or prints a trace.
///
/// # Errors
/// If the file cannot be read, is no trace, or is damaged.
pub fn top(options: &cli::Top) -> Result<u8> {
    let mut player = TracePlayer::open(&options.file, (options.interval_s * 1e9).round() as u64)?;
    let board = options.board.as_deref().map(|name| board(&player, name)).transpose()?;
    let views: Vec<ViewKind> = options.view.iter().map(|name| view(*name)).collect();
    let interactive = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    if !options.once && options.json.is_none() && interactive {
        let view = views.first().copied().unwrap_or(ViewKind::Boards);
        let mut choice = ViewChoice::new(view, scale(Scale::Rates, options.rescale), false);
        choice.board = board;
        if player.is_complete()? {
            player.play(options.speed);
        }
        return terminal::show(&mut player, &mut choice).map(|()| 0);
    }
    let wanted = PlainOptions {
        views: if views.is_empty() { ViewKind::ALL.to_vec() } else { views },
        board,
        json: options.json.is_some(),
        scale: scale(if options.once { Scale::Sums } else { Scale::Rates }, options.rescale),
    };
    let print = if options.once { plain::once } else { plain::each_interval };
    let mut out = output::open(options.json.as_deref())?;
    if !print(&mut player, &wanted, &mut *out)? {
        eprintln!("renga: {} has no end yet: its run goes on, or was stopped by force", options.file.display());
    }
    Ok(0)
}

fn view(name: ViewName) -> ViewKind {
    match name {
        ViewName::Boards => ViewKind::Boards,
        ViewName::Programs => ViewKind::Programs,
        ViewName::Processes => ViewKind::Processes,
        ViewName::Edges => ViewKind::Edges,
        ViewName::Cores => ViewKind::Cores,
    }
}

fn scale(usual: Scale, other: bool) -> Scale {
    match (usual, other) {
        (Scale::Rates, false) | (Scale::Sums, true) => Scale::Rates,
        (Scale::Sums, false) | (Scale::Rates, true) => Scale::Sums,
    }
}

/// The number of a board.
fn board(player: &TracePlayer, name: &str) -> Result<u8> {
    let header = player.meter().context("the trace does not say yet which boards there are")?.header();
    let found = header.boards.iter().position(|board| board.name == name);
    let known: Vec<&str> = header.boards.iter().map(|board| board.name.as_str()).collect();
    found
        .map(|number| number as u8)
        .with_context(|| format!("there is no board {name}; there are {}", known.join(", ")))
}
