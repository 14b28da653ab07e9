//! The person's terminal: shows the screen, hears the keys, lets real time pass.
//!
//! Invariant: the terminal is as it was when this returns, also after a panic (`ratatui::init` sees to that).

use crate::choice::{ViewChoice, action};
use crate::player::TracePlayer;
use crate::screen::draw;
use anyhow::Result;
use ratatui::crossterm::event::{Event, KeyEventKind, poll, read};
use std::time::{Duration, Instant};

/// How often the screen is rendered between keys.
const PERIOD: Duration = Duration::from_millis(100);

/// Shows a trace until the person leaves.
///
/// # Errors
/// If the terminal or the trace cannot be read.
pub fn show(player: &mut TracePlayer, choice: &mut ViewChoice) -> Result<()> {
    let mut terminal = ratatui::try_init()?;
    let result = until_left(&mut terminal, player, choice);
    ratatui::restore();
    result
}

fn until_left(
    terminal: &mut ratatui::DefaultTerminal,
    player: &mut TracePlayer,
    choice: &mut ViewChoice,
) -> Result<()> {
    let mut passed = Instant::now();
    // Bounded by the person.
    loop {
        player.pass(passed.elapsed());
        passed = Instant::now();
        let there = player.advance()?;
        terminal.draw(|frame| draw(frame, choice, player))?;
        if poll(if there { PERIOD } else { Duration::ZERO })?
            && let Event::Key(key) = read()?
            && key.kind == KeyEventKind::Press
            && let Some(action) = action(key)
            && !choice.act(action, player)
        {
            return Ok(());
        }
    }
}
