//! The who-calls-whom graph as a DOT drawing.
//!
//! One box per board, one node per group with its number; a call to another board goes dashed to the
//! caller's proxies there. Red: waits in the longest chain. Not here: the proof (`graph.rs`).

use crate::BoardRule;
use crate::checked::{Checked, OnBehalfOf};
use std::fmt::Write;

const COLOUR_DEVICE: &str = "#f6d2a2";
const COLOUR_EVERY: &str = "#cfe3f7";
const COLOUR_PLACED: &str = "#d7efd0";
const COLOUR_LINK: &str = "#e3e3e3";
const COLOUR_ASYNC: &str = "#8040c0";
const COLOUR_CHAIN: &str = "#c02020";

impl Checked {
    /// The drawing, for `dot -Tsvg`.
    pub fn to_dot(&self) -> String {
        let mut out = String::new();
        self.write_dot(&mut out).unwrap_or_else(|_| unreachable!("a String takes all text"));
        out
    }

    fn write_dot(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "digraph {:?} {{", self.name)?;
        writeln!(out, "    rankdir=LR; ranksep=0.8; nodesep=0.12; newrank=true; fontname=\"sans-serif\"; labelloc=t;")?;
        writeln!(
            out,
            "    label=\"system {}: who may wait for whom\\ndashed: to another board; red: longest chain; violet: asynchronous\";",
            self.name
        )?;
        writeln!(out, "    node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\", fontsize=11];")?;
        writeln!(out, "    edge [color=\"#707070\", arrowsize=0.6];")?;
        for board in 0..self.boards.len() {
            self.write_dot_board(out, board)?;
        }
        for (from, to) in &self.waits {
            writeln!(out, "    g{from} -> g{to}{};", self.dot_edge(*from, *to))?;
        }
        writeln!(out, "}}")
    }

    fn write_dot_board(&self, out: &mut String, board: usize) -> std::fmt::Result {
        let facts = &self.boards[board];
        let disk = if facts.owns_disk { " (disk)" } else { "" };
        writeln!(out, "    subgraph cluster_{board} {{")?;
        writeln!(out, "        label=\"board {}{disk}\"; style=rounded; color=\"#404040\"; fontsize=16;", facts.name)?;
        for (index, group) in self.groups_on(board) {
            let colour = match self.kinds[group.kind].board {
                BoardRule::DiskOnly => COLOUR_DEVICE,
                BoardRule::Every => COLOUR_EVERY,
                BoardRule::FileOnly | BoardRule::Any | BoardRule::Optional => COLOUR_PLACED,
                BoardRule::EveryLinked | BoardRule::PerRemoteCaller | BoardRule::PerAsyncBoard => COLOUR_LINK,
            };
            let mut label = self.kind_name(index).to_string();
            if group.count() > 1 {
                label += &format!(" x{}", group.count());
            }
            match group.on_behalf_of {
                OnBehalfOf::Itself => {}
                OnBehalfOf::Group(caller) => label += &format!("\\nof {}", self.label(caller)),
                OnBehalfOf::Shared(caller) => label += &format!("\\nshared, of {}", self.label(caller)),
                OnBehalfOf::Board(caller) => label += &format!("\\nof board {}", self.boards[caller].name),
            }
            writeln!(out, "        g{index} [label=\"{label}\", fillcolor=\"{colour}\"];")?;
        }
        writeln!(out, "    }}")
    }

    fn dot_edge(&self, from: usize, to: usize) -> String {
        let mut attributes = Vec::new();
        if self.groups[from].board != self.groups[to].board {
            attributes.push("style=dashed, penwidth=1.4".to_string());
        }
        let is_async = |group: usize| matches!(self.groups[group].on_behalf_of, OnBehalfOf::Board(_));
        if self.longest_chain.windows(2).any(|pair| pair == [from, to]) {
            attributes.push(format!("color=\"{COLOUR_CHAIN}\""));
        } else if is_async(from) || is_async(to) {
            attributes.push(format!("color=\"{COLOUR_ASYNC}\""));
        }
        if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) }
    }
}
