//! The checked system as the tables that a board boots from.
//!
//! Invariant: the same system gives the same tables. They live as long as the program that asks for them: a few
//! kilobytes for a system. Not here: their fields (`renga_systems::tables`).

use crate::checked::{Checked, Group, OnBehalfOf};
use crate::memory::{proxy_slices, slot_slice};
use renga_systems::Kind;
use renga_systems::tables::{AsyncEdge, Board, Peer, Placed, Proxies, System};

impl Checked {
    /// The tables of all boards.
    ///
    /// # Panics
    /// If the system was checked against other kinds than the code's.
    pub fn tables(&self) -> &'static System {
        let edges = self.async_edges().into_iter();
        let edge =
            |(caller, server, entries)| AsyncEdge { caller: kind_named(caller), server: kind_named(server), entries };
        Box::leak(Box::new(System {
            name: leaked_text(&self.name),
            boards: leaked((0..self.boards.len()).map(|board| self.board_table(board))),
            async_edges: leaked(edges.map(edge)),
        }))
    }

    fn board_table(&self, board: usize) -> Board {
        let facts = &self.boards[board];
        let own = |(_, group): &(usize, &Group)| group.on_behalf_of == OnBehalfOf::Itself;
        let proxies = self.groups_on(board).filter_map(|(_, group)| match group.on_behalf_of {
            OnBehalfOf::Group(caller) => Some(self.proxies_row(group, caller)),
            OnBehalfOf::Itself | OnBehalfOf::Board(_) => None,
        });
        Board {
            name: leaked_text(&facts.name),
            owns_disk: facts.owns_disk,
            cores: facts.cores,
            processes: self.process_count(board) as u16,
            placed: leaked(self.groups_on(board).filter(own).flat_map(|(_, group)| self.placed_rows(group))),
            proxies: leaked(proxies),
            stubs: leaked(self.stubs(board).into_iter().flat_map(|server| self.placed_rows(&self.groups[server]))),
            peers: leaked((0..self.boards.len()).filter(|peer| *peer != board).map(|peer| self.peer(board, peer))),
            message_bytes: self.message_memory[board].total_bytes() as u32,
        }
    }

    fn placed_rows(&self, group: &Group) -> Vec<Placed> {
        let (kind, board, mut first) = (kind_named(self.kinds[group.kind].name), group.board as u8, group.first);
        let mut rows = Vec::new();
        for part in &group.parts {
            rows.push(Placed { kind, board, first, count: part.count, core: part.core });
            first += part.count;
        }
        rows
    }

    fn proxies_row(&self, group: &Group, caller: usize) -> Proxies {
        let (given, taken) = proxy_slices(self, caller, group.board);
        let Group { board, first, .. } = &self.groups[caller];
        Proxies {
            caller_kind: kind_named(self.kind_name(caller)),
            caller_board: *board as u8,
            caller_first: *first,
            first: group.first,
            count: group.count(),
            core: group.parts[0].core,
            given_bytes: given as u32,
            taken_bytes: taken as u32,
        }
    }

    fn peer(&self, board: usize, peer: usize) -> Peer {
        let slots = |slice: Option<u64>| slice.map_or((0, 0), |bytes| (self.pool.slots, bytes as u32));
        let (slots_out, out_bytes) = slots(slot_slice(self, board, peer));
        let (slots_in, in_bytes) = slots(slot_slice(self, peer, board));
        let proxies = self.groups_on(board).find(|(_, group)| group.on_behalf_of == OnBehalfOf::Board(peer));
        let (async_first, async_proxies, async_core) =
            proxies.map_or((0, 0, 0), |(_, group)| (group.first, group.count(), group.parts[0].core));
        let board = peer as u8;
        Peer { board, slots_out, out_bytes, slots_in, in_bytes, async_first, async_proxies, async_core }
    }
}

fn kind_named(name: &str) -> Kind {
    Kind::named(name).unwrap_or_else(|| panic!("the code has no kind `{name}`"))
}

fn leaked<T: 'static>(items: impl Iterator<Item = T>) -> &'static [T] {
    items.collect::<Vec<T>>().leak()
}

fn leaked_text(text: &str) -> &'static str {
    text.to_string().leak()
}
