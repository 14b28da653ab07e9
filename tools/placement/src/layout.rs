//! Where every placed process is: from the lines of `[place]` to groups with indices.
//!
//! Invariant: the processes of a board are numbered from 0 in the order of the code's kinds, within a kind
//! in the order of the file's lines; so the table depends on nothing but the file and the code.
//! Not here: computed processes (`proxies.rs`), who needs whom (`edges.rs`).

use crate::checked::{Group, GroupPart, OnBehalfOf};
use crate::system::{On, SystemBoard, SystemDescription, SystemPlace};
use crate::{BoardRule, KindFacts, PlacementError};

/// The placed groups, ordered by board and by kind.
pub(crate) fn layout(system: &SystemDescription, kinds: &[KindFacts]) -> Result<Vec<Group>, PlacementError> {
    let disk = disk_board(&system.boards)?;
    for place in &system.places {
        check_place(system, kinds, place)?;
    }
    let files = FilePlace::find(system, kinds, disk);
    files.check_leases(system)?;
    let mut groups = Vec::new();
    for board in 0..system.boards.len() {
        let mut first = 0;
        for (kind, facts) in kinds.iter().enumerate() {
            let parts = parts(system, facts, board)?;
            check_board(system, facts, board, (disk, &files), !parts.is_empty())?;
            if !parts.is_empty() {
                let group = Group { kind, board, first, parts, on_behalf_of: OnBehalfOf::Itself };
                first += group.count();
                groups.push(group);
            }
        }
    }
    Ok(groups)
}

/// The first line that places `kind` on `board`.
pub(crate) fn line_of(system: &SystemDescription, kind: &KindFacts, board: usize) -> usize {
    places_of(system, kind, board).map(|place| place.line).next().unwrap_or(0)
}

fn places_of<'s>(
    system: &'s SystemDescription,
    kind: &KindFacts,
    board: usize,
) -> impl Iterator<Item = &'s SystemPlace> {
    let (name, board) = (kind.name, &system.boards[board].name);
    system.places.iter().filter(move |place| {
        place.kind == name
            && match &place.on {
                On::Every => true,
                On::Board(on) => on == board,
            }
    })
}

fn disk_board(boards: &[SystemBoard]) -> Result<usize, PlacementError> {
    let mut owners = (0..boards.len()).filter(|board| boards[*board].owns_disk);
    let Some(first) = owners.next() else {
        return Err(PlacementError::NoDiskBoard { line: boards[0].line, known: names(boards) });
    };
    match owners.next() {
        None => Ok(first),
        Some(second) => Err(PlacementError::TwoDiskBoards {
            line: boards[second].line,
            first: boards[first].name.clone(),
            first_line: boards[first].line,
            second: boards[second].name.clone(),
        }),
    }
}

/// Where the file system is: where the first line of the file places a process of it.
struct FilePlace {
    board: usize,
    /// That process's kind, and the line; without one nothing is placed.
    first: Option<(&'static str, usize)>,
}

impl FilePlace {
    /// Without one, errors name the disk's board.
    fn find(system: &SystemDescription, kinds: &[KindFacts], disk: usize) -> FilePlace {
        let kind_of = |place: &SystemPlace| {
            kinds.iter().find(|kind| kind.name == place.kind && kind.board == BoardRule::FileOnly).map(|kind| kind.name)
        };
        let on = |place: &SystemPlace| match &place.on {
            On::Every => Some(0),
            On::Board(on) => system.boards.iter().position(|board| board.name == *on),
        };
        let mut places = system.places.iter();
        let first = places.find_map(|place| Some((kind_of(place)?, place.line, on(place)?)));
        FilePlace { board: first.map_or(disk, |(_, _, board)| board), first: first.map(|(kind, line, _)| (kind, line)) }
    }

    fn check_leases(&self, system: &SystemDescription) -> Result<(), PlacementError> {
        let board = &system.boards[self.board];
        if board.leases {
            return Ok(());
        }
        Err(PlacementError::FileBoardLeases { line: board.line, board: board.name.clone() })
    }
}

fn names(boards: &[SystemBoard]) -> String {
    boards.iter().map(|board| board.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// What a line says by itself: names that exist, of a kind that may be placed.
fn check_place(system: &SystemDescription, kinds: &[KindFacts], place: &SystemPlace) -> Result<(), PlacementError> {
    let line = place.line;
    let Some(kind) = kinds.iter().find(|kind| kind.name == place.kind) else {
        let mut known: Vec<_> = kinds.iter().filter(|kind| !kind.computed()).map(|kind| kind.name).collect();
        known.sort_unstable();
        return Err(PlacementError::UnknownKind { line, kind: place.kind.clone(), known: known.join(", ") });
    };
    if kind.computed() {
        return Err(PlacementError::ComputedKind { line, kind: kind.name });
    }
    if kind.board == BoardRule::EveryLinked && system.boards.len() == 1 {
        return Err(PlacementError::LinkKindAlone { line, kind: kind.name });
    }
    match &place.on {
        On::Board(on) if !system.boards.iter().any(|board| board.name == *on) => Err(PlacementError::UnknownBoard {
            line,
            kind: place.kind.clone(),
            board: on.clone(),
            known: names(&system.boards),
        }),
        _ => Ok(()),
    }
}

/// The cores of `kind` on `board`, and how many are on each.
fn parts(system: &SystemDescription, kind: &KindFacts, board: usize) -> Result<Vec<GroupPart>, PlacementError> {
    let SystemBoard { name, cores, .. } = &system.boards[board];
    let (mut parts, mut total): (Vec<GroupPart>, i64) = (Vec::new(), 0);
    for &SystemPlace { count, core, line, .. } in places_of(system, kind, board) {
        let (kind, max, board) = (kind.name, kind.count_max, name.clone());
        total = total.saturating_add(count);
        if !(1..=i64::from(max)).contains(&count) {
            return Err(PlacementError::BadCount { line, kind, board, count, max });
        }
        if total > i64::from(max) {
            return Err(PlacementError::BadCount { line, kind, board, count: total, max });
        }
        if !(0..i64::from(*cores)).contains(&core) {
            return Err(PlacementError::NoSuchCore { line, kind, board, core, cores: *cores });
        }
        if parts.iter().any(|part| i64::from(part.core) == core) {
            return Err(PlacementError::PlacedTwice { line, kind, board, core });
        }
        parts.push(GroupPart { core: core as u8, count: count as u16 });
    }
    Ok(parts)
}

fn is_nowhere(system: &SystemDescription, kind: &KindFacts) -> bool {
    !system.places.iter().any(|place| place.kind == kind.name)
}

/// Whether `kind` may be, or must be, on `board`.
fn check_board(
    system: &SystemDescription,
    kind: &KindFacts,
    board: usize,
    (disk, files): (usize, &FilePlace),
    placed: bool,
) -> Result<(), PlacementError> {
    let (line, name) = (system.boards[board].line, system.boards[board].name.clone());
    let linked = system.boards.len() > 1;
    match kind.board {
        BoardRule::DiskOnly if placed && board != disk => Err(PlacementError::DiskKindElsewhere {
            line: line_of(system, kind, board),
            kind: kind.name,
            board: name,
            disk: system.boards[disk].name.clone(),
        }),
        BoardRule::FileOnly if placed && board != files.board => {
            let (other, other_line) = files.first.unwrap_or((kind.name, line));
            Err(PlacementError::FileKindElsewhere {
                line: line_of(system, kind, board),
                kind: kind.name,
                board: name,
                other,
                other_line,
                files: system.boards[files.board].name.clone(),
            })
        }
        BoardRule::DiskOnly if !placed && board == disk && is_nowhere(system, kind) => {
            Err(PlacementError::KindMissing { kind: kind.name, needs: "the board that owns the disk", board: name })
        }
        BoardRule::FileOnly if !placed && board == files.board && is_nowhere(system, kind) => {
            Err(PlacementError::KindMissing { kind: kind.name, needs: "the file system", board: name })
        }
        BoardRule::Every if !placed => Err(PlacementError::MissingOnBoard { line, kind: kind.name, board: name }),
        BoardRule::EveryLinked if !placed && linked => {
            Err(PlacementError::MissingOnBoard { line, kind: kind.name, board: name })
        }
        _ => Ok(()),
    }
}
