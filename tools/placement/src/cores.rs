//! Processes that must share a core, since they reach the same cells (docs/design/rendezvous-and-cores.md), and those
//! that must be on the home core of the programs.
//!
//! Invariant: with every kind on one core nothing is refused here, whatever is shared.

use crate::checked::Group;
use crate::layout::line_of;
use crate::system::SystemDescription;
use crate::{KindFacts, PlacementError};

/// On each board, who shares something is on one core.
pub(crate) fn check_shared(
    system: &SystemDescription,
    kinds: &[KindFacts],
    groups: &[Group],
) -> Result<(), PlacementError> {
    for board in 0..system.boards.len() {
        let mut seen: Vec<(&str, &Group)> = Vec::new();
        for group in groups.iter().filter(|group| group.board == board) {
            for &shared in kinds[group.kind].shares {
                match seen.iter().find(|(name, _)| *name == shared) {
                    Some((_, other)) => check_pair(system, kinds, shared, [other, group])?,
                    None => {
                        check_pair(system, kinds, shared, [group, group])?;
                        seen.push((shared, group));
                    }
                }
            }
        }
    }
    Ok(())
}

/// All parts of the second group are where the first part of the first one is.
fn check_pair(
    system: &SystemDescription,
    kinds: &[KindFacts],
    shared: &'static str,
    [first, second]: [&Group; 2],
) -> Result<(), PlacementError> {
    let core = first.parts[0].core;
    let Some(apart) = second.parts.iter().find(|part| part.core != core) else { return Ok(()) };
    let kind = &kinds[second.kind];
    Err(PlacementError::MustShareCore {
        line: line_of(system, kind, second.board),
        kind: kind.name,
        core: apart.core,
        board: system.boards[second.board].name.clone(),
        shared,
        other: kinds[first.kind].name,
        other_core: core,
    })
}

fn of_programs<'g>(kinds: &[KindFacts], groups: &'g [Group], board: usize) -> Option<&'g Group> {
    groups.iter().find(|group| group.board == board && kinds[group.kind].is_home)
}

/// The core of the first of the programs' processes of `board`.
pub(crate) fn home(kinds: &[KindFacts], groups: &[Group], board: usize) -> u8 {
    of_programs(kinds, groups, board).map_or(0, |group| group.parts[0].core)
}

/// All cores of those, a bit each; core 0 where there are none.
pub(crate) fn homes(kinds: &[KindFacts], groups: &[Group], board: usize) -> u8 {
    let parts = of_programs(kinds, groups, board).map_or(&[][..], |group| &group.parts);
    if parts.is_empty() { 1 } else { parts.iter().fold(0, |homes, part| homes | 1 << part.core) }
}

/// Who needs what only the first home of a board has is there.
pub(crate) fn check_homes(
    system: &SystemDescription,
    kinds: &[KindFacts],
    groups: &[Group],
) -> Result<(), PlacementError> {
    for group in groups {
        let (kind, home) = (&kinds[group.kind], home(kinds, groups, group.board));
        let apart = group.parts.iter().find(|part| part.core != home);
        if let (Some(needs), Some(part)) = (kind.needs_home, apart) {
            return Err(PlacementError::MustBeAtHome {
                line: line_of(system, kind, group.board),
                kind: kind.name,
                core: part.core,
                board: system.boards[group.board].name.clone(),
                needs,
                home,
            });
        }
    }
    Ok(())
}
