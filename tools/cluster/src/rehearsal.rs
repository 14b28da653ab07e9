//! Rehearsals: a run carried out first to find the instants of its events.
//!
//! Invariant: a rehearsal changes nothing that the run reads. Called by: `renga run`, `renga crash`. Not here: which
//! events there are (`event_instants`).

use crate::event_instants::EventInstants;
use crate::session::ClusterSession;
use anyhow::{Context, Result, bail};
use renga_emu::PowerOrder;
use std::fs;
use std::path::Path;

/// Gives each order at an event its instant, in the order in which they were given; `folder` is for copies of the disk.
///
/// # Errors
/// If the input of the run does not repeat, or it has fewer such events.
pub fn resolve_events(session: &mut ClusterSession<'_>, folder: &Path) -> Result<()> {
    let orders = std::mem::take(&mut session.disturbance.at_events);
    if !orders.is_empty() && (session.keys.is_some() || session.cards.is_some()) {
        bail!("an order at an event needs a run that repeats: a script (-c or -f), and no --cards");
    }
    let disk = folder.join("rehearsal.img");
    for order in orders {
        fs::copy(&session.disk, &disk).with_context(|| format!("cannot write {}", disk.display()))?;
        let console_board = session.system.checked.console_board();
        let mut instants =
            EventInstants::new(&session.kernel.elf, Some(order.board), order.moment.event, console_board)?;
        let ended = session.rehearsal(disk.clone()).run(&mut instants);
        let found = instants.time_ns(order.moment.number);
        // How the rehearsal ends after the event does not matter.
        let time_ns = if found.is_err() { ended.and(found) } else { found }?;
        session.disturbance.power.push(PowerOrder { board: order.board, time_ns, change: order.change });
    }
    session.disturbance.power.sort_by_key(|order| order.time_ns);
    Ok(())
}
