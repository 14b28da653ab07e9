//! Who must share a core: whoever reaches the same cells (decision 0065). And who must be on the first.
//!
//! Invariant: with every kind on one core nothing is refused here, whatever is shared.

use crate::checked::Group;
use crate::layout::line_of;
use crate::system::System;
use crate::{KindFacts, PlacementError};

/// On each board, who shares something is on one core.
pub(crate) fn check_shared(system: &System, kinds: &[KindFacts], groups: &[Group]) -> Result<(), PlacementError> {
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
    system: &System,
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

/// Who needs what only the first core of a board has is there.
pub(crate) fn check_first(system: &System, kinds: &[KindFacts], groups: &[Group]) -> Result<(), PlacementError> {
    for group in groups {
        let kind = &kinds[group.kind];
        let apart = group.parts.iter().find(|part| part.core != 0);
        if let (Some(needs), Some(part)) = (kind.needs_first_core, apart) {
            return Err(PlacementError::MustBeOnFirstCore {
                line: line_of(system, kind, group.board),
                kind: kind.name,
                core: part.core,
                board: system.boards[group.board].name.clone(),
                needs,
            });
        }
    }
    Ok(())
}
