//! The link of one board: router, proxies and their memory, from the checked placement.
//!
//! Invariant: each process of another board that calls here has its own proxy, in the placement's
//! order. Not here: the bus.

use super::directory::Directory;
use renga_core::raw::{ExchangePort, RawClient};
use renga_core::{Arena, Port};
use renga_placement::{Checked, Group, OnBehalfOf};
use renga_router::{EdgeRule, Link, LinkPlan, LinkTiming, MembershipClients, Stats};
use renga_rt::ProcId;
use renga_systems::Kind;

use crate::cluster::Site;

/// Starts the link's processes; how many, and the router's counters. Nothing in a system of one board.
pub fn start(site: &mut Site, directory: &Directory) -> (usize, Option<&'static Stats>) {
    let Some(&router) = directory.of_kind(Kind::Router).first() else { return (0, None) };
    let (board, plan) = (site.board, plan(site, directory));
    let link = Link::new(board.arena, &plan, router);
    let device = board.arena.put(|| site.device());
    let (memory, frame, stats) = (link.memory, link.frame, link.stats);
    board.start(router, |me| {
        let exchange = ExchangePort::new(&me);
        renga_router::router(me, exchange, device, memory, frame)
    });
    site.serve_link(router);
    let own = directory.own();
    for (post, process) in link.posts.iter().zip(plan.proxies) {
        let bell = link.bell;
        board.start(process, |me| {
            let client = RawClient::new(&me, own);
            renga_router::proxy(me, client, post, bell)
        });
    }
    let membership = directory.of_kind(Kind::Membership);
    for process in membership {
        board.start(process, |me| {
            let clients = MembershipClients {
                procs: directory.local(&me, Kind::Procs),
                pipes: directory.local(&me, Kind::Pipe),
                files: directory.local(&me, Kind::File),
                inode_directory: directory.local(&me, Kind::InodeDirectory),
                console: directory.local(&me, Kind::Console),
                memory: directory.local(&me, Kind::Memory),
            };
            renga_router::membership(me, clients, link.ends)
        });
    }
    let status = directory.of_kind(Kind::LinkStatus);
    for process in status {
        board.start(process, |me| renga_router::link_status(Port::new(&me).0, stats));
    }
    (1 + plan.proxies.len() + membership.len() + status.len(), Some(stats))
}

fn indices(group: &Group) -> impl Iterator<Item = u16> + use<> {
    group.first..group.first + group.count()
}

fn leaked<T: Copy + 'static>(arena: &Arena, items: &[T]) -> &'static [T] {
    arena.put_slice(items.len(), |index| items[index])
}

fn plan(site: &Site, directory: &Directory) -> LinkPlan {
    let (checked, number, arena) = (directory.checked(), directory.number(), site.board.arena);
    let (mut remotes, mut proxies, mut async_proxies) = (Vec::new(), Vec::new(), Vec::new());
    for (_, group) in checked.groups_on(number) {
        match group.on_behalf_of {
            OnBehalfOf::Itself => {}
            OnBehalfOf::Group(caller) => {
                let caller = &checked.groups[caller];
                remotes.extend(indices(caller).map(|index| ProcId::new(caller.board as u8, index)));
                proxies.extend(indices(group).map(|index| directory.own()[usize::from(index)]));
            }
            OnBehalfOf::Board(_) => {
                async_proxies.extend(indices(group).map(|index| directory.own()[usize::from(index)]));
            }
        }
    }
    proxies.append(&mut async_proxies);
    let slots = if checked.async_edges().is_empty() { 1 } else { usize::from(checked.pool.slots) };
    LinkPlan {
        board: number as u8,
        boards: checked.boards.len() as u8,
        life: site.boots,
        callers: leaked(arena, &callers(checked, number)),
        remotes: leaked(arena, &remotes),
        proxies: leaked(arena, &proxies),
        slots,
        rules: leaked(arena, &rules(checked, number)),
        watch: directory.watch(),
        membership: directory.of_kind(Kind::Membership).first().copied(),
        timing: LinkTiming::PI3,
    }
}

/// The processes of `board` that call other boards.
fn callers(checked: &Checked, board: usize) -> Vec<u16> {
    let remote = checked.calls.iter().filter(|call| checked.is_remote(call));
    let groups = remote.map(|call| &checked.groups[call.caller]).filter(|caller| caller.board == board);
    let mut callers: Vec<u16> = groups.flat_map(indices).collect();
    callers.sort_unstable();
    callers.dedup();
    callers
}

/// One rule for each edge from `board` to another.
fn rules(checked: &Checked, board: usize) -> Vec<EdgeRule> {
    let leaves = |call: &&renga_placement::Call| checked.groups[call.caller].board == board && checked.is_remote(call);
    let rule = |call: &renga_placement::Call| {
        let (caller, server) = (&checked.groups[call.caller], &checked.groups[call.server]);
        EdgeRule {
            callers: (caller.first, caller.first + caller.count() - 1),
            board: server.board as u8,
            servers: (server.first, server.first + server.count() - 1),
            releases: checked.kinds[server.kind].serves.map_or(0, |protocol| protocol.releases),
            asynchronous: call.async_entries,
        }
    };
    checked.calls.iter().filter(leaves).map(rule).collect()
}
