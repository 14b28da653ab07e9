//! The checked system as text, for `renga check`.
//!
//! Invariant: made for reading only; programs take the fields of [`Checked`]. Lines fit 100 columns
//! up to four boards of one core.

use crate::MessageForm;
use crate::checked::{Checked, CheckedCall, OnBehalfOf};
use std::fmt::Write;

/// Columns that lines are folded at.
const WIDTH: usize = 100;

impl Checked {
    /// The system as text: table, proof, bounds.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write_text(&mut out).unwrap_or_else(|_| unreachable!("a String takes all text"));
        out
    }

    fn write_text(&self, out: &mut String) -> std::fmt::Result {
        let boards = self.boards.iter().map(|board| match board.owns_disk {
            true => format!("{} (disk)", board.name),
            false => board.name.clone(),
        });
        writeln!(
            out,
            "System {}: boards {}; mode {}; messages {}\n",
            self.name,
            boards.collect::<Vec<_>>().join(", "),
            self.mode.name(),
            self.messages.name()
        )?;
        if let Some(what) = self.gives_up() {
            writeln!(out, "Given up: {what}.\n")?;
        }
        self.write_table(out)?;
        self.write_proof(out)?;
        self.write_remote(out)?;
        self.write_memory(out)
    }

    /// One column for each core of each board.
    fn columns(&self) -> Vec<(usize, u8)> {
        let cores = |board: usize| (0..self.boards[board].cores).map(move |core| (board, core));
        (0..self.boards.len()).flat_map(cores).collect()
    }

    /// How many of `kind` (of all kinds if none is given) are on a core.
    fn count(&self, kind: Option<usize>, (board, core): (usize, u8)) -> usize {
        let groups = self.groups_on(board).filter(|(_, group)| kind.is_none_or(|kind| group.kind == kind));
        let parts = groups.flat_map(|(_, group)| &group.parts).filter(|part| part.core == core);
        parts.map(|part| usize::from(part.count)).sum()
    }

    fn write_table(&self, out: &mut String) -> std::fmt::Result {
        let columns = self.columns();
        let width = self.kinds.iter().map(|kind| kind.name.len() + 2).max().unwrap_or(0);
        write!(out, "{:<width$}", "kind")?;
        for (board, core) in &columns {
            write!(out, "{:>10}", format!("{}.{core}", self.boards[*board].name))?;
        }
        writeln!(out, "{:>10}   serves", "total")?;
        for (index, kind) in self.kinds.iter().enumerate() {
            let counts: Vec<usize> = columns.iter().map(|column| self.count(Some(index), *column)).collect();
            if counts.iter().all(|count| *count == 0) {
                continue;
            }
            let name = if kind.computed() { format!("{} *", kind.name) } else { kind.name.to_string() };
            let serves = kind.serves.map_or("", |protocol| protocol.name);
            self.write_row(out, width, &name, &counts, serves)?;
        }
        let totals: Vec<usize> = columns.iter().map(|column| self.count(None, *column)).collect();
        self.write_row(out, width, "total", &totals, "")?;
        writeln!(out, "Columns are board.core; kinds with * are computed.")?;
        for (index, board) in self.boards.iter().enumerate() {
            let (home, homes, mask) = (self.home(index), self.homes(index), self.program_cores(index));
            let (name, cores) = (&board.name, |mask: u8| {
                let cores = (0..board.cores).filter(|core| mask >> core & 1 != 0);
                cores.map(|core| core.to_string()).collect::<Vec<_>>().join(", ")
            });
            if homes.count_ones() > 1 {
                let (allowed, homes) = (cores(mask), cores(homes));
                writeln!(
                    out,
                    "Programs of {name} run on cores {allowed}; their homes are cores {homes}, the devices' is core {home}."
                )?;
            } else if mask != 1 || home != 0 {
                writeln!(out, "Programs of {name} run on cores {}; their home is core {home}.", cores(mask))?;
            }
        }
        writeln!(out)
    }

    fn write_row(&self, out: &mut String, width: usize, name: &str, counts: &[usize], note: &str) -> std::fmt::Result {
        let mut row = format!("{name:<width$}");
        for count in counts {
            let cell = if *count == 0 { "-".to_string() } else { count.to_string() };
            write!(row, "{cell:>10}")?;
        }
        write!(row, "{:>10}   {note}", counts.iter().sum::<usize>())?;
        writeln!(out, "{}", row.trim_end())
    }

    fn write_proof(&self, out: &mut String) -> std::fmt::Result {
        let processes: usize = (0..self.boards.len()).map(|board| self.process_count(board)).sum();
        writeln!(
            out,
            "No process can deadlock: {processes} processes, {} possible waits, no cycle.",
            self.wait_count()
        )?;
        let labels: Vec<String> = self.longest_chain.iter().map(|group| self.label(*group)).collect();
        writeln!(out, "Longest chain of waits ({} processes):", labels.len())?;
        writeln!(out, "{}\n", fold(&labels, " -> "))
    }

    /// How many edges the waits-for graph of single processes has.
    ///
    /// A process has one proxy of its own on each other board, so a wait on it is one edge, not one to each of its
    /// group.
    pub fn wait_count(&self) -> u64 {
        let count = |group: usize| u64::from(self.groups[group].count());
        let edges = self.waits.iter().map(|&(from, to)| match self.groups[to].on_behalf_of {
            OnBehalfOf::Group(_) => count(from),
            OnBehalfOf::Itself | OnBehalfOf::Shared(_) | OnBehalfOf::Board(_) => count(from) * count(to),
        });
        edges.sum()
    }

    fn write_remote(&self, out: &mut String) -> std::fmt::Result {
        if self.boards.len() == 1 {
            return Ok(());
        }
        let two = if self.messages == MessageForm::Paired { "; with a plus: two rendezvous" } else { "" };
        writeln!(out, "Calls that routers let in from other boards ([X]: asynchronous, (X): could be{two}):")?;
        for caller in 0..self.groups.len() {
            for board in 0..self.boards.len() {
                let calls = self.calls.iter().filter(|call| {
                    call.caller == caller && self.is_remote(call) && self.groups[call.server].board == board
                });
                let mut calls = calls.filter(|call| call.entries != 0).peekable();
                if calls.peek().is_some() {
                    writeln!(out, "  {} -> {}:", self.label(caller), self.boards[board].name)?;
                }
                for call in calls {
                    writeln!(out, "{}", fold(&self.entry_names(call), ", "))?;
                }
            }
        }
        writeln!(out)
    }

    /// The entries of a call that may release their callers early, a bit each.
    pub fn could_be_async(&self, call: &CheckedCall) -> u32 {
        let protocol = self.kinds[self.groups[call.server].kind].serves;
        protocol.map_or(0, |protocol| call.entries & protocol.releases & !protocol.defers & !call.may_wait)
    }

    /// The server's kind and the entries, the first with the kind before it.
    fn entry_names(&self, call: &CheckedCall) -> Vec<String> {
        let protocol = self.kinds[self.groups[call.server].kind].serves;
        let entries = protocol.map_or(&[][..], |protocol| protocol.entries).iter();
        let called = entries.filter(|(op, _)| call.entries >> op & 1 != 0);
        let could_be = self.could_be_async(call);
        let paired = protocol.filter(|_| self.messages == MessageForm::Paired);
        let paired = paired.map_or(0, |protocol| protocol.returns_data);
        let marked = |(op, name): &(u32, &str)| match [call.async_entries, could_be, paired].map(|set| set >> op & 1) {
            [1, ..] => format!("[{name}]"),
            [_, 1, _] => format!("({name})"),
            [_, _, 1] => format!("{name}+"),
            _ => (*name).into(),
        };
        let mut names: Vec<String> = called.map(marked).collect();
        if let Some(first) = names.first_mut() {
            first.insert_str(0, &format!("{}: ", self.kind_name(call.server)));
        }
        names
    }

    fn write_memory(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "Memory that messages between boards can need at most:")?;
        for (board, memory) in self.boards.iter().zip(&self.message_memory) {
            let (bytes, kib) = (memory.total_bytes(), board.message_kib);
            writeln!(out, "  {}: {bytes} bytes of {kib} KiB allowed", board.name)?;
            writeln!(out, "    = {}", memory.terms().join("\n    + "))?;
        }
        writeln!(out, "Memory of the processes' futures:")?;
        for (index, board) in self.boards.iter().enumerate() {
            let bytes =
                |group: &crate::Group| u64::from(group.count()) * u64::from(self.kinds[group.kind].future_bytes);
            let total: u64 = self.groups_on(index).map(|(_, group)| bytes(group)).sum();
            writeln!(out, "  {}: {total} bytes", board.name)?;
        }
        Ok(())
    }
}

/// `items` joined, indented, in lines of at most [`WIDTH`] columns.
pub(crate) fn fold(items: &[String], joint: &str) -> String {
    let (mut text, mut column) = (String::from("    "), 4);
    for (index, item) in items.iter().enumerate() {
        let item = if index + 1 < items.len() { format!("{item}{joint}") } else { item.clone() };
        if column > 4 && column + item.trim_end().len() > WIDTH {
            text.truncate(text.trim_end().len());
            text += "\n    ";
            column = 4;
        }
        column += item.len();
        text += &item;
    }
    text
}
