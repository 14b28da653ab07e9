//! The servers of all protocols as the processes of one core find them.
//!
//! Invariant: a process of another core is found as a remote handle, so callers see no difference, and only the handle
//! reaches a header of another core. Not here: headers (`directory.rs`).

use crate::facts::FACTS;
use crate::kinds::Kind;
use crate::tables::System;
use renga_core::{Arena, Core, Process};
use renga_rt::given::Servers;
use renga_rt::{Members, ProcId};

/// One core's.
pub struct CoreDirectory {
    board: u8,
    own: &'static [&'static Process],
    /// By kind and board: those here, and those elsewhere that are called from here.
    members: &'static [&'static [Members]],
}

impl CoreDirectory {
    /// That of `core` of board `number`, whose processes are `own`.
    pub(crate) fn make(
        core: &'static Core,
        arena: &'static Arena,
        (system, number): (&'static System<'static>, u8),
        own: &'static [&'static Process],
    ) -> CoreDirectory {
        let board = &system.boards[usize::from(number)];
        let own: &'static [&'static Process] = match board.cores {
            1 => own,
            _ => arena.put_slice(own.len(), |index| {
                let entries = board.kind_at(index as u16).facts().serves().map_or(0, |protocol| protocol.entries);
                own[index].handle_on(core, arena, entries)
            }),
        };
        let router = board.has(Kind::Router).then(|| own[usize::from(board.range(Kind::Router).start)]);
        let elsewhere = |kind: Kind, other: u8| {
            let rows = || board.elsewhere.iter().filter(move |row| row.kind == kind && row.board == other);
            let (Some(router), Some(first)) = (router, rows().map(|row| row.first).min()) else { return Members::NONE };
            let count = rows().map(|row| row.count).sum();
            Members::Elsewhere { router, first: ProcId::new(other, first), count }
        };
        let members = arena.put_slice(FACTS.len(), |kind| {
            let kind = FACTS[kind].kind;
            let range = board.range(kind);
            &*arena.put_slice(system.boards.len(), |other| match other == usize::from(number) {
                true => Members::Here(&own[usize::from(range.start)..usize::from(range.end)]),
                false => elsewhere(kind, other as u8),
            })
        });
        CoreDirectory { board: number, own, members }
    }

    pub(crate) fn of_kind(&self, kind: Kind) -> &'static [Members] {
        self.members[kind as usize]
    }
}

impl Servers for CoreDirectory {
    fn board(&self) -> u8 {
        self.board
    }
    fn own(&self) -> &'static [&'static Process] {
        self.own
    }
    fn serving(&self, protocol: u32) -> &'static [Members] {
        match Kind::serving(protocol) {
            Some(kind) => self.of_kind(kind),
            None => panic!("no kind serves protocol {protocol}"),
        }
    }
}
