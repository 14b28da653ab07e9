//! The link's processes of this board: router, proxies, and their plan from the placement.
//!
//! Invariant: who may call whom, and what may be asynchronous, is the placement's; nothing is decided
//! here. Not here: what they do (`sysprocs/router`).

use super::Boot;
use crate::directory::SYSTEM;
use crate::link_device::LinkDevice;
use crate::{fault, hardware};
use renga_board_rpi::emulator_link::EmulatorLink;
use renga_core::raw::{ExchangePort, RawClient};
use renga_core::{Arena, Protocol};
use renga_proto::console::Console;
use renga_proto::file::File;
use renga_proto::inode::{Inode, InodeDirectory};
use renga_proto::memory::Memory;
use renga_proto::path::Path;
use renga_proto::pipe::Pipe;
use renga_proto::procs::Procs;
use renga_router::{EdgeRule, Link, LinkPlan, LinkTiming, MembershipClients};
use renga_rt::ProcId;
use renga_systems::Kind;
use renga_systems::tables::{AsyncEdge, Placed, Proxies};

impl Boot {
    /// Router, proxies and their memory; nothing in a system of one board.
    pub(super) fn start_link(&mut self, emulator: Option<EmulatorLink>, wanted: &str, timing: &str) {
        let Some(process) = self.directory.of_kind(Kind::Router).first() else { return };
        let Some(timing) = LinkTiming::named(timing) else {
            fault::refuse(format_args!("there are no link times `{timing}`"))
        };
        // Without an emulator nobody counts a board's starts, but no two take the same time to come here.
        let starts = emulator.as_ref().map_or_else(|| hardware::now_ns() as u32, EmulatorLink::starts);
        let plan = self.link_plan(timing, starts as u8);
        let link = Link::new(self.arena, &plan, process);
        let board = self.directory.board();
        let device = self.arena.put(|| LinkDevice::choose(emulator, wanted, board));
        let (memory, frame) = (link.memory, link.frame);
        self.start(process, |me| {
            let exchange = ExchangePort::new(&me);
            renga_router::router(me, exchange, device, memory, frame)
        });
        let own = self.directory.own();
        for (post, process) in link.posts.iter().zip(plan.proxies) {
            let bell = link.bell;
            self.start(process, |me| {
                let client = RawClient::new(&me, own);
                renga_router::proxy(me, client, post, bell)
            });
        }
        if let Some(process) = self.directory.of_kind(Kind::Membership).first() {
            let (arena, directory, ends) = (self.arena, self.directory, link.ends);
            self.start(process, |me| {
                let clients = MembershipClients {
                    procs: directory.local(arena, &me, Kind::Procs),
                    pipes: directory.local(arena, &me, Kind::Pipe),
                    files: directory.local(arena, &me, Kind::File),
                    inode_directory: directory.local(arena, &me, Kind::InodeDirectory),
                    console: directory.local(arena, &me, Kind::Console),
                    memory: directory.local(arena, &me, Kind::Memory),
                };
                renga_router::membership(me, clients, ends)
            });
        }
        let stats = link.stats;
        self.servers(Kind::LinkStatus, |_, _me, port, _| renga_router::link_status(port, stats));
    }

    fn link_plan(&self, timing: LinkTiming, life: u8) -> LinkPlan {
        let (arena, board) = (self.arena, self.board);
        let number = self.directory.board();
        let rows = || board.proxies.iter();
        let remotes: u16 = rows().map(|row| row.count).sum();
        let remote = |mut index: u16| {
            for row in rows() {
                if index < row.count {
                    return (ProcId::new(row.caller_board, row.caller_first + index), row.first + index);
                }
                index -= row.count;
            }
            unreachable!("counted above")
        };
        let asynchronous: u16 = board.peers.iter().map(|peer| peer.async_proxies).sum();
        let async_proxy = |mut index: u16| {
            for peer in board.peers {
                if index < peer.async_proxies {
                    return peer.async_first + index;
                }
                index -= peer.async_proxies;
            }
            unreachable!("counted above")
        };
        let proxies = arena.put_slice(usize::from(remotes + asynchronous), |index| {
            let index = index as u16;
            self.directory.at(if index < remotes { remote(index).1 } else { async_proxy(index - remotes) })
        });
        LinkPlan {
            board: number,
            boards: SYSTEM.boards.len() as u8,
            life,
            callers: callers_of(arena, number),
            remotes: arena.put_slice(usize::from(remotes), |index| remote(index as u16).0),
            proxies,
            slots: board
                .peers
                .iter()
                .map(|peer| usize::from(peer.slots_out.max(peer.slots_in)))
                .max()
                .unwrap_or(0)
                .max(1),
            rules: self.edge_rules(),
            watch: self.watch,
            membership: self.directory.of_kind(Kind::Membership).first().copied(),
            timing,
        }
    }

    /// The asynchronous edges from this board's processes to others', row by row.
    fn edge_rules(&self) -> &'static [EdgeRule] {
        let number = self.directory.board();
        let callers_at =
            |board: u8| SYSTEM.boards[usize::from(board)].proxies.iter().filter(move |row| row.caller_board == number);
        let pairs =
            || self.board.stubs.iter().flat_map(|stub| callers_at(stub.board).map(move |caller| (stub, caller)));
        let mut next = pairs();
        self.arena.put_slice(pairs().count(), |_| match next.next() {
            Some((servers, callers)) => edge_rule(servers, callers),
            None => unreachable!("counted above"),
        })
    }
}

fn edge_rule(servers: &Placed, callers: &Proxies) -> EdgeRule {
    let edge = |edge: &&AsyncEdge| edge.caller == callers.caller_kind && edge.server == servers.kind;
    EdgeRule {
        callers: (callers.caller_first, callers.caller_first + callers.count - 1),
        board: servers.board,
        servers: (servers.first, servers.first + servers.count - 1),
        releases: releases(servers.kind),
        asynchronous: SYSTEM.async_edges.iter().find(edge).map_or(0, |edge| edge.entries),
    }
}

/// The entries without a result of what `kind` serves, of those kinds that other boards call.
fn releases(kind: Kind) -> u32 {
    match kind {
        Kind::Console => Console::RELEASES,
        Kind::File => File::RELEASES,
        Kind::Inode => Inode::RELEASES,
        Kind::InodeDirectory => InodeDirectory::RELEASES,
        Kind::Memory => Memory::RELEASES,
        Kind::Path => Path::RELEASES,
        Kind::Pipe => Pipe::RELEASES,
        Kind::Procs => Procs::RELEASES,
        _ => 0,
    }
}

/// The processes of board `number` that have proxies on other boards: those that call them.
fn callers_of(arena: &'static Arena, number: u8) -> &'static [u16] {
    let rows = || SYSTEM.boards.iter().flat_map(|board| board.proxies).filter(|row| row.caller_board == number);
    let calls = |index: u16| rows().any(|row| (row.caller_first..row.caller_first + row.count).contains(&index));
    let processes = SYSTEM.boards[usize::from(number)].processes;
    let count = (0..processes).filter(|&index| calls(index)).count();
    let mut next = 0;
    arena.put_slice(count, |_| {
        while !calls(next) {
            next += 1;
        }
        next += 1;
        next - 1
    })
}
