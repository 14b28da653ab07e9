//! A placement of the system's processes on four boards, and all that there are.
//!
//! Invariant: kinds that may not be apart move together. Not here: times.

use crate::moved_kinds::{self, MovedKind};
use crate::run::BenchSystem;
use anyhow::{Result, anyhow};
use renga_placement::KindFacts;
use std::{fmt, thread};

/// The boards.
pub(super) const BOARDS: [&str; 4] = ["a", "b", "c", "d"];
pub(super) const BOARDS_COUNT: u8 = BOARDS.len() as u8;

/// The system whose kinds move: messages have room wherever these are.
pub(super) const SYSTEM: BenchSystem = BenchSystem {
    label: "placed",
    base: "quad",
    edits: &[
        ("{ name = \"a\", disk = true, message_kib = 2048 },", "{ name = \"a\", disk = true, message_kib = 4096 },"),
        ("{ name = \"b\", message_kib = 2048 },", "{ name = \"b\", message_kib = 4096 },"),
        ("{ name = \"c\", message_kib = 2048 },", "{ name = \"c\", message_kib = 4096 },"),
        ("{ name = \"d\", message_kib = 2048 },", "{ name = \"d\", message_kib = 4096 },"),
    ],
};
const SYSTEM_TEXT: &str = include_str!("../../../sysprocs/systems/quad.toml");

/// The file system: inodes go with their directory, since calls are passed on from it.
const FILES: [&str; 16] = [
    "metadata_writeback",
    "data_reader",
    "data_writeback",
    "allocator",
    "name_index",
    "inode_directory",
    "inode",
    "inode_reclaimer",
    "committer",
    "revocations",
    "commit_timer",
    "locks",
    "path_lookup",
    "lookup_worker",
    "fifos",
    "regulator",
];
const BUFFERS: [&str; 2] = ["buffer_directory", "buffer"];
const CONSOLE: [&str; 2] = ["console", "keyboard"];

/// Where the movable kinds are: boards by number, sets of boards as a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OsPlacement {
    pub(super) files: u8,
    pub(super) disk: u8,
    pub(super) buffers: u8,
    pub(super) console: u8,
    /// Boards with a cache of names; the one of the files always has one.
    pub(super) names: u8,
    /// Boards that read ahead from the owner; the same.
    pub(super) prefetch: u8,
}

impl fmt::Display for OsPlacement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |board: u8| BOARDS[usize::from(board)];
        write!(out, "files {}, disk {}", name(self.files), name(self.disk))?;
        write!(out, ", buffers {}, console {}", name(self.buffers), name(self.console))?;
        write!(out, ", names {}, ahead {}", boards(self.names).concat(), boards(self.prefetch).concat())
    }
}

/// Whether a set has a board.
pub(super) fn has(set: u8, board: u8) -> bool {
    set >> board & 1 != 0
}

fn boards(set: u8) -> Vec<&'static str> {
    (0..BOARDS_COUNT).filter(|board| has(set, *board)).map(|board| BOARDS[usize::from(board)]).collect()
}

impl OsPlacement {
    /// As the system's file has it.
    pub(super) const SHIPPED: OsPlacement =
        OsPlacement { files: 0, disk: 0, buffers: 0, console: 0, names: 0b1111, prefetch: 0b1111 };

    /// All: four boards for each of four groups, and each other board with or without a cache of names and reading
    /// ahead.
    pub(super) fn all() -> impl Iterator<Item = OsPlacement> {
        let sets = 1u8 << BOARDS_COUNT;
        let every = |number: u32| {
            let digit = |place: u32| (number >> (2 * place)) as u8 % BOARDS_COUNT;
            let [files, disk, buffers, console] = [3, 2, 1, 0].map(digit);
            OsPlacement { files, disk, buffers, console, names: 0, prefetch: 0 }
        };
        let groups = (0..1u32 << (2 * BOARDS_COUNT)).map(every);
        let with_sets = move |placed: OsPlacement| {
            let of_files = move |set: &u8| has(*set, placed.files);
            let names = (0..sets).filter(of_files);
            names.flat_map(move |names| {
                (0..sets).filter(of_files).map(move |prefetch| OsPlacement { names, prefetch, ..placed })
            })
        };
        groups.flat_map(with_sets)
    }

    /// What differs from the system's file.
    pub(super) fn moved(&self) -> Vec<MovedKind> {
        let on = |board: u8| vec![BOARDS[usize::from(board)]];
        let group = |kinds: &'static [&'static str], board: u8| kinds.iter().map(move |kind| (*kind, on(board)));
        let groups = group(&FILES, self.files).chain(group(&BUFFERS, self.buffers));
        let groups = groups.chain(group(&CONSOLE, self.console)).chain(group(&["disk"], self.disk));
        let sets = [("name_cache", boards(self.names)), ("prefetcher", boards(self.prefetch))];
        groups.chain(sets).map(|(kind, boards)| MovedKind { kind, boards }).collect()
    }

    /// Whether the placement tool accepts it: no circle of waits, among others.
    ///
    /// # Errors
    /// If the system's file does not have the lines that move.
    fn is_accepted(&self, system: &str, kinds: &[KindFacts]) -> Result<bool> {
        let text = moved_kinds::moved(system, &self.moved())?;
        let described = renga_placement::parse(&text).map_err(|refusal| anyhow!("{refusal}"))?;
        Ok(renga_placement::check(&described, kinds).is_ok())
    }
}

/// Those of `all` that the placement tool accepts, in their order.
///
/// # Errors
/// If the system's file does not have the lines that move.
pub(super) fn accepted(all: &[OsPlacement]) -> Result<Vec<OsPlacement>> {
    let (system, kinds) = (SYSTEM.text(SYSTEM_TEXT)?, renga_placement::code_kinds());
    let of_part = |part: &[OsPlacement]| {
        let judged = part.iter().map(|placement| Ok((*placement, placement.is_accepted(&system, &kinds)?)));
        let accepted = judged.filter(|judged| !matches!(judged, Ok((_, false))));
        accepted.map(|judged| judged.map(|(placement, _)| placement)).collect::<Result<Vec<_>>>()
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let parts = all.chunks(all.len().div_ceil(workers).max(1));
    thread::scope(|scope| {
        let working: Vec<_> = parts.map(|part| scope.spawn(|| of_part(part))).collect();
        let done = working.into_iter().map(|worker| worker.join().map_err(|_| anyhow!("a check panicked"))?);
        Ok(done.collect::<Result<Vec<_>>>()?.concat())
    })
}

#[cfg(test)]
mod tests {
    use super::{OsPlacement, accepted};

    #[test]
    fn os_placements_are_many_and_differ() {
        let mut names: Vec<String> = OsPlacement::all().map(|placement| placement.to_string()).collect();
        assert_eq!(names.len(), 16_384);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 16_384);
        assert_eq!(names[0], "files a, disk a, buffers a, console a, names a, ahead a");
    }

    #[test]
    fn os_placements_are_checked_by_the_tool() {
        // Every thousandth; all of them are in the row.
        let mut some: Vec<OsPlacement> = OsPlacement::all().step_by(1_000).collect();
        assert_eq!(accepted(&some).unwrap(), some);
        let without_names = OsPlacement { names: 0, ..some[5] };
        some.insert(5, without_names);
        assert!(!accepted(&some).unwrap().contains(&without_names), "leases on names are revoked at their caches");
    }
}
