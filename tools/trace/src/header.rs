//! The boards of a traced run, their processes, and the entries that these serve: all names that a trace needs.

use renga_abi::ProcId;
use serde::{Deserialize, Serialize};

/// Cores that a board may have.
pub const CORES_MAX: u8 = 4;

/// The names of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceHeader {
    /// The boards, by number.
    pub boards: Vec<TraceBoard>,
    /// The kinds of processes.
    pub kinds: Vec<ProcessKind>,
    /// The protocols.
    pub protocols: Vec<TracedProtocol>,
    /// The parameters of the machine that are not as usual, as `--set` has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
}

/// A board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceBoard {
    /// Its name.
    pub name: String,
    /// Its processes, by index.
    pub processes: Vec<ProcessRun>,
    /// Its cores beside the first.
    #[serde(default, skip_serializing_if = "is_none")]
    pub more_cores: u8,
}

fn has_none(entries: &u32) -> bool {
    *entries == 0
}

fn is_none(more_cores: &u8) -> bool {
    *more_cores == 0
}

/// Processes of one kind with consecutive indices and ordinals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRun {
    /// The index of the first.
    pub index: u16,
    /// Which of those of its kind on its board the first is.
    pub ordinal: u16,
    /// How many.
    pub count: u16,
    /// What they are: a place in [`TraceHeader::kinds`].
    pub kind: usize,
    /// Of proxies: their clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_for: Option<CallsFor>,
}

/// The clients of proxies: processes of another board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallsFor {
    /// Each for one: the first proxy for the process with this index, and so on.
    Own(u8, u16),
    /// Each for any of so many from this index on.
    Shared(u8, u16, u16),
    /// For all, when their callers have gone on.
    Released(u8),
}

/// A kind of process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessKind {
    /// Its name.
    pub name: String,
    /// Which protocol it serves: a place in [`TraceHeader::protocols`].
    pub serves: Option<usize>,
}

/// A protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedProtocol {
    /// Its name.
    pub name: String,
    /// Its entries: number and name.
    pub entries: Vec<(u8, String)>,
    /// Entries (a bit each) that return no result and wait for no other client: their callers may continue early.
    #[serde(default, skip_serializing_if = "has_none")]
    pub releasable: u32,
}

impl TraceBoard {
    /// How many cores it has.
    pub fn cores(&self) -> u8 {
        self.more_cores.saturating_add(1).min(CORES_MAX)
    }

    /// Adds a process, whose index is the next one.
    pub fn add(&mut self, index: u16, ordinal: u16, kind: usize) {
        match self.processes.last_mut() {
            Some(run) if run.kind == kind && run.index + run.count == index && run.ordinal + run.count == ordinal => {
                run.count += 1;
            }
            _ => self.processes.push(ProcessRun { index, ordinal, count: 1, kind, calls_for: None }),
        }
    }

    /// Adds proxies: so many from this index on.
    pub fn add_proxies(&mut self, index: u16, count: u16, kind: usize, calls_for: CallsFor) {
        self.processes.push(ProcessRun { index, ordinal: 0, count, kind, calls_for: Some(calls_for) });
    }

    /// The run of the process with this index, and its place in it.
    fn run(&self, index: u16) -> Option<(&ProcessRun, u16)> {
        let behind = self.processes.partition_point(|run| run.index <= index);
        let run = self.processes.get(behind.checked_sub(1)?)?;
        let place = index - run.index;
        (place < run.count).then_some((run, place))
    }

    /// Kind and ordinal of the process with this index.
    fn find(&self, index: u16) -> Option<(usize, u16)> {
        let (run, place) = self.run(index)?;
        Some((run.kind, run.ordinal.wrapping_add(place)))
    }
}

impl TraceHeader {
    /// The kind of a process, and which of them it is.
    fn process(&self, id: ProcId) -> Option<(&ProcessKind, u16)> {
        let (kind, ordinal) = self.boards.get(usize::from(id.board.0))?.find(id.index)?;
        Some((self.kinds.get(kind)?, ordinal))
    }

    /// Whether `proxy` makes the calls of `caller`: those that wait for the answer, or those that do not.
    pub fn calls_for(&self, proxy: ProcId, caller: ProcId, released: bool) -> bool {
        let run = self.boards.get(usize::from(proxy.board.0)).and_then(|board| board.run(proxy.index));
        let Some((ProcessRun { calls_for: Some(whom), .. }, place)) = run else { return false };
        match *whom {
            CallsFor::Own(board, first) => {
                !released && board == caller.board.0 && first.wrapping_add(place) == caller.index
            }
            CallsFor::Shared(board, first, count) => {
                !released && board == caller.board.0 && caller.index.checked_sub(first).is_some_and(|at| at < count)
            }
            CallsFor::Released(board) => released && board == caller.board.0,
        }
    }

    /// Whether a process makes calls for others.
    pub fn is_proxy(&self, id: ProcId) -> bool {
        let run = self.boards.get(usize::from(id.board.0)).and_then(|board| board.run(id.index));
        run.is_some_and(|(run, _)| run.calls_for.is_some())
    }

    /// The name of board `number`.
    pub fn board(&self, number: u8) -> &str {
        self.boards.get(usize::from(number)).map_or("?", |board| &board.name)
    }

    /// The name of a core: its board's, and its number where there are several.
    pub fn core_name(&self, board: u8, core: u8) -> String {
        let several = self.boards.get(usize::from(board)).is_some_and(|board| board.cores() > 1);
        if several { format!("{} {core}", self.board(board)) } else { self.board(board).to_string() }
    }

    /// Kind and number: `inode 3`.
    pub fn name(&self, id: ProcId) -> String {
        self.process(id).map_or("?".to_string(), |(kind, ordinal)| format!("{} {ordinal}", kind.name))
    }

    /// Board, kind and number: `a: inode 3`.
    pub fn full_name(&self, id: ProcId) -> String {
        format!("{}: {}", self.board(id.board.0), self.name(id))
    }

    /// The kind of a process.
    pub fn kind(&self, id: ProcId) -> &str {
        self.process(id).map_or("?", |(kind, _)| &kind.name)
    }

    /// The kind of a process, as a place in [`TraceHeader::kinds`].
    pub fn kind_number(&self, id: ProcId) -> Option<usize> {
        self.boards.get(usize::from(id.board.0))?.find(id.index).map(|(kind, _)| kind)
    }

    /// Which of its kind on its board a process is.
    pub fn ordinal(&self, id: ProcId) -> Option<u16> {
        self.boards.get(usize::from(id.board.0))?.find(id.index).map(|(_, ordinal)| ordinal)
    }

    /// Whether the caller of entry `op` of `server` may continue before the call is carried out.
    pub fn is_releasable(&self, server: ProcId, op: u8) -> bool {
        let serves = self.process(server).and_then(|(kind, _)| self.protocols.get(kind.serves?));
        serves.is_some_and(|protocol| protocol.releasable.checked_shr(op.into()).is_some_and(|set| set & 1 != 0))
    }

    /// The name of a kind.
    pub fn kind_name(&self, kind: Option<usize>) -> &str {
        kind.and_then(|kind| self.kinds.get(kind)).map_or("?", |kind| &kind.name)
    }

    /// Entry `op` of what `server` serves.
    pub fn entry(&self, server: ProcId, op: u8) -> &str {
        self.kind_entry(self.kind_number(server), op)
    }

    /// Entry `op` of what processes of `kind` serve.
    pub fn kind_entry(&self, kind: Option<usize>, op: u8) -> &str {
        let protocol = kind.and_then(|kind| self.protocols.get(self.kinds.get(kind)?.serves?));
        let entry = protocol.and_then(|protocol| protocol.entries.iter().find(|(number, _)| *number == op));
        entry.map_or("?", |(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_names_processes_by_ranges() {
        let mut board = TraceBoard { name: "a".into(), ..TraceBoard::default() };
        for (index, ordinal, kind) in [(0, 0, 0), (1, 0, 1), (2, 1, 1), (3, 2, 1), (5, 3, 1)] {
            board.add(index, ordinal, kind);
        }
        assert_eq!(board.processes.len(), 3);
        let kind = |name: &str, serves| ProcessKind { name: name.into(), serves };
        let protocols = vec![TracedProtocol { name: "Inode".into(), entries: vec![(4, "Read".into())], releasable: 0 }];
        let header = TraceHeader {
            boards: vec![board],
            kinds: vec![kind("disk", None), kind("inode", Some(0))],
            protocols,
            ..TraceHeader::default()
        };
        let name = |index: u16| header.full_name(ProcId::new(0, index));
        assert_eq!(
            [0, 1, 3, 4, 5, 6].map(name),
            ["a: disk 0", "a: inode 0", "a: inode 2", "a: ?", "a: inode 3", "a: ?"]
        );
        assert_eq!((header.entry(ProcId::new(0, 2), 4), header.entry(ProcId::new(0, 0), 4)), ("Read", "?"));
    }
}
