//! What the figures of message memory are, for `renga check -v`.
//!
//! Invariant: each summand of the bound is explained: what it is, why there are so many, what makes them fewer. Not
//! here: how many there are (`memory.rs`).

use crate::checked::{Checked, OnBehalfOf};
use crate::text::fold;

/// What messages between boards need memory for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Proxies that the callers of a kind of another board share.
    SharedProxies,
    /// Proxies of single callers of other boards.
    Proxies,
    /// Proxies of asynchronous calls.
    AsyncProxies,
    /// Processes here that call other boards.
    Callers,
    /// Frames under way.
    Windows,
    /// Packing and unpacking answers.
    Packing,
    /// Calls under way to other boards.
    Calls,
    /// Asynchronous calls under way, to and from.
    Slots,
}

impl What {
    /// All, in the order in which they are explained.
    pub const ALL: [What; 8] = [
        What::SharedProxies,
        What::Proxies,
        What::AsyncProxies,
        What::Callers,
        What::Windows,
        What::Packing,
        What::Calls,
        What::Slots,
    ];

    /// As the formula calls it.
    pub const fn name(self) -> &'static str {
        match self {
            What::SharedProxies => "shared proxies",
            What::Proxies => "proxies",
            What::AsyncProxies => "asynchronous proxies",
            What::Callers => "callers",
            What::Windows => "windows",
            What::Packing => "packer",
            What::Calls => "calls",
            What::Slots => "slots",
        }
    }

    /// What it is, why there are so many, and what makes them fewer.
    pub const fn meaning(self) -> &'static str {
        match self {
            What::SharedProxies => {
                "Make calls here for all processes of a kind of another board, one at a time each, if these are answered \
                 without another client's doing; who finds none free waits at home. As many for each kind and board as \
                 [shared] says, 4 if it says nothing."
            }
            What::Proxies => {
                "Make calls here that may wait for another client (a pipe, the terminal, a child), for one process of \
                 another board each. Each such process has one call under way, so there is one for each: all of them may \
                 wait here at the same time. As many as [place] has of these kinds on the other boards."
            }
            What::AsyncProxies => {
                "Make asynchronous calls of another board here, in order for each server. As many for each other board as \
                 [async] proxies says."
            }
            What::Callers => {
                "Processes of this board that call other boards: the router keeps the one call that each may have under \
                 way. As many as [place] has of these kinds here."
            }
            What::Windows => "Frames sent to a board and not acknowledged: 8 for each board.",
            What::Packing => "Packs answers that shrink, and unpacks those of other boards, one after the other.",
            What::Calls => {
                "Calls of this board that may be under way: where they wait for the token. One for each proxy \
                 that this board has on others."
            }
            What::Slots => {
                "Copies of asynchronous calls on their way from or to a board, with a page each. [async] slots, each way, \
                 for each board."
            }
        }
    }
}

impl Checked {
    /// What each summand of the message memory is, and of which kinds of processes it comes.
    pub fn to_legend(&self) -> String {
        let mut out = String::from("What message memory consists of:\n");
        let shares = || self.message_memory.iter().flat_map(|memory| &memory.shares);
        for what in What::ALL.into_iter().filter(|what| shares().any(|share| share.what == *what)) {
            let words: Vec<String> = what.meaning().split(' ').map(str::to_string).collect();
            out += &format!("  {}\n{}\n", what.name(), fold(&words, " "));
            out += &self.origins(what);
        }
        out
    }

    /// Of which kinds the processes behind a summand are; boards with the same ones in one line.
    fn origins(&self, what: What) -> String {
        let mut lines: Vec<(Vec<&str>, String)> = Vec::new();
        for (number, board) in self.boards.iter().enumerate() {
            let origins = self.origins_on(number, what);
            let counts: Vec<String> = origins.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            match lines.iter_mut().find(|(_, line)| *line == counts.join(", ")) {
                _ if counts.is_empty() => {}
                Some((boards, _)) => boards.push(&board.name),
                None => lines.push((vec![&board.name], counts.join(", "))),
            }
        }
        lines.into_iter().map(|(boards, line)| format!("    {}: {line}\n", boards.join(", "))).collect()
    }

    /// The kinds for which there are proxies, or which call, and how many of them.
    fn origins_on(&self, board: usize, what: What) -> Vec<(&'static str, u64)> {
        let mut origins: Vec<(&'static str, u64)> = Vec::new();
        for (index, group) in self.groups_on(board) {
            let kind = match (what, group.on_behalf_of) {
                (What::SharedProxies, OnBehalfOf::Shared(caller)) | (What::Proxies, OnBehalfOf::Group(caller)) => {
                    self.kind_name(caller)
                }
                (What::Callers, OnBehalfOf::Itself) if self.calls_elsewhere(index) => self.kind_name(index),
                _ => continue,
            };
            match origins.iter_mut().find(|(name, _)| *name == kind) {
                Some((_, count)) => *count += u64::from(group.count()),
                None => origins.push((kind, u64::from(group.count()))),
            }
        }
        origins
    }
}
