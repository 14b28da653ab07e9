//! The checked system as the tables that a board boots from.
//!
//! Invariant: the same system gives the same bytes. Not here: their fields (`renga_systems::tables`) and form
//! (`renga_systems::blob`).

use crate::checked::{Checked, Group, OnBehalfOf};
use crate::forwards;
use crate::memory::{has_slots, proxy_slices};
use crate::{MessageForm, ReleaseMode};
use renga_abi::PAGE_BYTES;
use renga_systems::tables::{AsyncEdge, Board, PeerSlots, Permit, Placed, Proxies, System};
use renga_systems::{Kind, RuleText, blob};

/// The rows of a board's table.
struct BoardRows {
    placed: Vec<Placed>,
    proxies: Vec<Proxies>,
    elsewhere: Vec<Placed>,
    peers: Vec<PeerSlots>,
    permits: Vec<Permit>,
}

impl Checked {
    /// Edges between kinds with asynchronous entries, each once.
    pub fn async_edges(&self) -> Vec<(&'static str, &'static str, u32)> {
        let mut edges = Vec::new();
        for call in self.calls.iter().filter(|call| call.async_entries != 0 && self.is_remote(call)) {
            let edge = (self.kind_name(call.caller), self.kind_name(call.server), call.async_entries);
            if !edges.contains(&edge) {
                edges.push(edge);
            }
        }
        edges
    }

    /// The groups of other boards that processes of `board` call.
    fn elsewhere(&self, board: usize) -> impl Iterator<Item = usize> {
        let remote = self.calls.iter().filter(|call| self.groups[call.caller].board == board && self.is_remote(call));
        let mut servers: Vec<usize> = remote.map(|call| call.server).collect();
        servers.sort_unstable();
        servers.dedup();
        servers.into_iter()
    }

    /// Checks the tables by the rules of the boards: among others, each call that they admit needs a proxy with enough
    /// pages. The check reads the finished tables, not the file behind them.
    ///
    /// # Errors
    /// The rule that they break, which is a bug of this tool.
    ///
    /// # Panics
    /// As [`Checked::to_blob`].
    pub fn validate(&self) -> Result<(), RuleText> {
        self.with_tables(renga_systems::check)
    }

    /// The tables as a boot loader puts them into a board's memory.
    ///
    /// # Panics
    /// If the system was checked against other kinds than the code's.
    pub fn to_blob(&self) -> Vec<u8> {
        self.with_tables(|system| {
            let mut body = Vec::new();
            blob::write(system, &mut |bytes| body.extend(bytes));
            [&blob::head(&body)[..], &body].concat()
        })
    }

    fn with_tables<R>(&self, body: impl FnOnce(&System<'_>) -> R) -> R {
        let rows: Vec<BoardRows> = (0..self.boards.len()).map(|board| self.rows(board)).collect();
        let boards: Vec<Board<'_>> = rows.iter().enumerate().map(|(board, rows)| self.board(board, rows)).collect();
        let edge =
            |(caller, server, entries)| AsyncEdge { caller: kind_named(caller), server: kind_named(server), entries };
        let async_edges: Vec<AsyncEdge> = self.async_edges().into_iter().map(edge).collect();
        let paired = self.messages == MessageForm::Paired;
        let ends_awaited = self.mode == ReleaseMode::Sync;
        body(&System { name: &self.name, boards: &boards, async_edges: &async_edges, paired, ends_awaited })
    }

    fn board<'t>(&'t self, board: usize, rows: &'t BoardRows) -> Board<'t> {
        let facts = &self.boards[board];
        Board {
            name: &facts.name,
            owns_disk: facts.owns_disk,
            leases: facts.leases,
            cores: facts.cores,
            program_cores: self.program_cores(board),
            memory_mib: facts.memory_mib,
            processes: self.process_count(board) as u16,
            placed: &rows.placed,
            proxies: &rows.proxies,
            elsewhere: &rows.elsewhere,
            peers: &rows.peers,
            permits: &rows.permits,
            message_bytes: self.message_memory[board].total_bytes() as u32,
        }
    }

    fn rows(&self, board: usize) -> BoardRows {
        let own = |(_, group): &(usize, &Group)| group.on_behalf_of == OnBehalfOf::Itself;
        let mut callers: Vec<usize> = self
            .groups_on(board)
            .filter_map(|(_, group)| match group.on_behalf_of {
                OnBehalfOf::Group(caller) | OnBehalfOf::Shared(caller) => Some(caller),
                OnBehalfOf::Itself | OnBehalfOf::Board(_) => None,
            })
            .collect();
        callers.dedup(); // both of a caller's are neighbours
        BoardRows {
            placed: self.groups_on(board).filter(own).flat_map(|(_, group)| self.placed_rows(group)).collect(),
            proxies: callers.into_iter().map(|caller| self.proxies_row(board, caller)).collect(),
            elsewhere: self.elsewhere(board).flat_map(|server| self.placed_rows(&self.groups[server])).collect(),
            peers: (0..self.boards.len()).filter(|peer| *peer != board).map(|peer| self.peer(board, peer)).collect(),
            permits: self.permits(board),
        }
    }

    /// What processes of other boards may call on `board`, by caller.
    fn permits(&self, board: usize) -> Vec<Permit> {
        let here = self.calls.iter().filter(|call| self.is_remote(call) && self.groups[call.server].board == board);
        let permits = here.filter(|call| call.entries != 0).map(|call| Permit {
            caller_board: self.groups[call.caller].board as u8,
            caller_kind: kind_named(self.kind_name(call.caller)),
            server: kind_named(self.kind_name(call.server)),
            entries: call.entries,
        });
        permits.collect()
    }

    fn placed_rows(&self, group: &Group) -> Vec<Placed> {
        let (kind, board, mut first) = (kind_named(self.kinds[group.kind].name), group.board as u8, group.first);
        let may_wait = forwards::may_wait(&self.kinds, group.kind);
        let mut rows = Vec::new();
        for part in &group.parts {
            rows.push(Placed { kind, board, first, count: part.count, core: part.core, may_wait });
            first += part.count;
        }
        rows
    }

    /// The proxies on `board` of the group `caller`: first those that it shares, then those of its own.
    fn proxies_row(&self, board: usize, caller: usize) -> Proxies {
        let (shared_bytes, own_bytes) = proxy_slices(self, caller, board);
        let find = |whom: OnBehalfOf| self.groups_on(board).map(|(_, g)| g).find(|group| group.on_behalf_of == whom);
        let (shared, own) = (find(OnBehalfOf::Shared(caller)), find(OnBehalfOf::Group(caller)));
        let Some(any) = shared.or(own) else { unreachable!("the caller has proxies here") };
        let pages = |bytes: u64| bytes.div_ceil(PAGE_BYTES as u64) as u8;
        let group = &self.groups[caller];
        Proxies {
            caller_kind: kind_named(self.kind_name(caller)),
            caller_board: group.board as u8,
            caller_first: group.first,
            callers: group.count(),
            first: any.first,
            shared: shared.map_or(0, Group::count),
            own: own.map_or(0, Group::count),
            core: any.parts[0].core,
            shared_pages: pages(shared_bytes),
            own_pages: pages(own_bytes),
        }
    }

    fn peer(&self, board: usize, peer: usize) -> PeerSlots {
        let slots = |from: usize, to: usize| if has_slots(self, from, to) { self.pool.slots } else { 0 };
        let (slots_out, slots_in) = (slots(board, peer), slots(peer, board));
        let proxies = self.groups_on(board).find(|(_, group)| group.on_behalf_of == OnBehalfOf::Board(peer));
        let (async_first, async_proxies, async_core) =
            proxies.map_or((0, 0, 0), |(_, group)| (group.first, group.count(), group.parts[0].core));
        let board = peer as u8;
        PeerSlots { board, slots_out, slots_in, async_first, async_proxies, async_core }
    }
}

fn kind_named(name: &str) -> Kind {
    Kind::named(name).unwrap_or_else(|| panic!("the code has no kind `{name}`"))
}
