//! The checked system as Rust constants, for the image.
//!
//! The text is one `pub const SYSTEM: System = System { .. };` in the types of `renga_systems::tables`, where each
//! field is explained. The image's build script writes it to `OUT_DIR`; the image includes it below
//! `use renga_systems::{Kind, tables::{AsyncEdge, Board, Peer, Placed, Proxies, System}}`. A kind is named by the
//! variant of `Kind` that is its name in camel case (`buffer_directory` is `Kind::BufferDirectory`), so a
//! kind that the image does not know does not compile. Core, count and first index are per row; a kind
//! on several cores has several rows, neighbours in the table.
//!
//! Invariant: the same system gives the same text, byte for byte; constant data only. Not here: who includes
//! it (`kernel/image`).

use crate::checked::{Checked, Group, OnBehalfOf};
use crate::memory::{proxy_slices, slot_slice};
use std::fmt::Write;

/// A kind's name as a variant of the enum `Kind`.
fn variant(name: &str) -> String {
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    name.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}

impl Checked {
    /// Constants in the types of `renga_systems::tables`.
    pub fn to_rust(&self) -> String {
        let mut out = String::new();
        self.write_rust(&mut out).unwrap_or_else(|_| unreachable!("a String takes all text"));
        out
    }

    fn write_rust(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "// Written by the placement tool from the system file `{}`; do not edit.", self.name)?;
        writeln!(out, "/// The system `{}`.", self.name)?;
        writeln!(out, "pub const SYSTEM: System = System {{")?;
        writeln!(out, "    name: {:?},", self.name)?;
        writeln!(out, "    boards: &[")?;
        for board in 0..self.boards.len() {
            self.write_board(out, board)?;
        }
        writeln!(out, "    ],")?;
        writeln!(out, "    async_edges: &[")?;
        for (caller, server, entries) in self.async_edges() {
            let (caller, server) = (variant(caller), variant(server));
            writeln!(
                out,
                "        AsyncEdge {{ caller: Kind::{caller}, server: Kind::{server}, entries: {entries:#b} }},"
            )?;
        }
        writeln!(out, "    ],\n}};")
    }

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
    pub fn stubs(&self, board: usize) -> Vec<usize> {
        let remote = self.calls.iter().filter(|call| self.groups[call.caller].board == board && self.is_remote(call));
        let mut servers: Vec<usize> = remote.map(|call| call.server).collect();
        servers.sort_unstable();
        servers.dedup();
        servers
    }

    fn write_board(&self, out: &mut String, board: usize) -> std::fmt::Result {
        let facts = &self.boards[board];
        writeln!(out, "        Board {{")?;
        writeln!(out, "            name: {:?},", facts.name)?;
        writeln!(out, "            owns_disk: {},", facts.owns_disk)?;
        writeln!(out, "            cores: {},", facts.cores)?;
        writeln!(out, "            processes: {},", self.process_count(board))?;
        writeln!(out, "            placed: &[")?;
        for (_, group) in self.groups_on(board).filter(|(_, group)| group.on_behalf_of == OnBehalfOf::Itself) {
            self.write_placed(out, group)?;
        }
        writeln!(out, "            ],\n            proxies: &[")?;
        for (_, group) in self.groups_on(board) {
            if let OnBehalfOf::Group(caller) = group.on_behalf_of {
                self.write_proxies(out, group, caller)?;
            }
        }
        writeln!(out, "            ],\n            stubs: &[")?;
        for server in self.stubs(board) {
            self.write_placed(out, &self.groups[server])?;
        }
        writeln!(out, "            ],\n            peers: &[")?;
        for peer in (0..self.boards.len()).filter(|peer| *peer != board) {
            self.write_peer(out, board, peer)?;
        }
        writeln!(out, "            ],")?;
        writeln!(out, "            message_bytes: {},", self.message_memory[board].total_bytes())?;
        writeln!(out, "        }},")
    }

    fn write_placed(&self, out: &mut String, group: &Group) -> std::fmt::Result {
        let (kind, board) = (variant(self.kinds[group.kind].name), group.board);
        let mut first = group.first;
        for part in &group.parts {
            let (count, core) = (part.count, part.core);
            writeln!(
                out,
                "                Placed {{ kind: Kind::{kind}, board: {board}, first: {first}, count: {count}, core: {core} }},"
            )?;
            first += count;
        }
        Ok(())
    }

    fn write_proxies(&self, out: &mut String, group: &Group, caller: usize) -> std::fmt::Result {
        let (given, taken) = proxy_slices(self, caller, group.board);
        let caller_kind = variant(self.kind_name(caller));
        let Group { board, first, .. } = &self.groups[caller];
        writeln!(out, "                Proxies {{")?;
        writeln!(out, "                    caller_kind: Kind::{caller_kind},")?;
        writeln!(out, "                    caller_board: {board},")?;
        writeln!(out, "                    caller_first: {first},")?;
        writeln!(out, "                    first: {},", group.first)?;
        writeln!(out, "                    count: {},", group.count())?;
        writeln!(out, "                    core: {},", group.parts[0].core)?;
        writeln!(out, "                    given_bytes: {given},")?;
        writeln!(out, "                    taken_bytes: {taken},")?;
        writeln!(out, "                }},")
    }

    fn write_peer(&self, out: &mut String, board: usize, peer: usize) -> std::fmt::Result {
        let slots = |slice: Option<u64>| slice.map_or((0, 0), |bytes| (self.pool.slots, bytes));
        let ((slots_out, out_bytes), (slots_in, in_bytes)) =
            (slots(slot_slice(self, board, peer)), slots(slot_slice(self, peer, board)));
        let proxies = self.groups_on(board).find(|(_, group)| group.on_behalf_of == OnBehalfOf::Board(peer));
        let (first, count, core) =
            proxies.map_or((0, 0, 0), |(_, group)| (group.first, group.count(), group.parts[0].core));
        writeln!(out, "                Peer {{")?;
        writeln!(out, "                    board: {peer},")?;
        writeln!(out, "                    slots_out: {slots_out},")?;
        writeln!(out, "                    out_bytes: {out_bytes},")?;
        writeln!(out, "                    slots_in: {slots_in},")?;
        writeln!(out, "                    in_bytes: {in_bytes},")?;
        writeln!(out, "                    async_first: {first},")?;
        writeln!(out, "                    async_proxies: {count},")?;
        writeln!(out, "                    async_core: {core},")?;
        writeln!(out, "                }},")
    }
}
