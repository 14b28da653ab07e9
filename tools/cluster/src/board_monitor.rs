//! The state of the boards of a session, and the ends of their consoles and logs.
//!
//! Invariant: the log of a board begins with its last start.

use crate::kernel_log::{BoardLog, LogTable};
use crate::listener::Listener;
use renga_emu::{BoardState, BoardStatus, ClusterEvent, EmuError, PowerChange};
use renga_images::system::SystemFile;
use std::collections::VecDeque;

/// Bytes of each console kept for a failure report.
const CONSOLE_BYTES_KEPT: usize = 4096;

/// The state of each board.
pub(crate) struct BoardMonitor<'a> {
    table: &'a LogTable,
    names: Vec<String>,
    consoles: Vec<VecDeque<u8>>,
    logs: Vec<BoardLog<'a>>,
}

impl<'a> BoardMonitor<'a> {
    /// Nothing heard yet.
    pub fn new(table: &'a LogTable, system: &SystemFile) -> Self {
        let names: Vec<String> = system.checked.boards.iter().map(|board| board.name.clone()).collect();
        let logs = names.iter().map(|name| table.board(name)).collect();
        BoardMonitor { table, consoles: vec![VecDeque::new(); names.len()], logs, names }
    }

    /// The boards' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A board's name.
    pub fn name(&self, board: u8) -> &str {
        self.names.get(usize::from(board)).map_or("?", String::as_str)
    }

    /// Whether the kernel of `board` has said that it cannot go on.
    pub fn died(&self, board: u8) -> bool {
        self.logs.get(usize::from(board)).is_some_and(BoardLog::died)
    }

    /// Takes an event, and passes it on.
    pub fn hear(&mut self, event: &ClusterEvent, listener: &mut dyn Listener) {
        match event {
            ClusterEvent::Console { board, time_ns, bytes } => {
                if let Some(kept) = self.consoles.get_mut(usize::from(*board)) {
                    kept.extend(bytes);
                    kept.drain(..kept.len().saturating_sub(CONSOLE_BYTES_KEPT));
                }
                listener.console(*board, *time_ns, bytes);
            }
            ClusterEvent::Log { board, bytes, .. } => {
                if let Some(log) = self.logs.get_mut(usize::from(*board)) {
                    log.take(bytes).iter().for_each(|line| listener.log(line));
                }
            }
            ClusterEvent::Probe { board, hit } => listener.probe(*board, hit),
            ClusterEvent::Frame(frame) => listener.frame(frame),
            ClusterEvent::Power { board, time_ns, change, starts } => {
                if *change == PowerChange::Start {
                    self.logs[usize::from(*board)] = self.table.board(self.name(*board));
                    listener.started(*board, *time_ns);
                } else {
                    listener.stopped(*board, *time_ns);
                }
                let what = match change {
                    PowerChange::Cut => "has lost its power".to_owned(),
                    PowerChange::Hang => "hangs".to_owned(),
                    PowerChange::Start => format!("starts for the {}", ordinal(*starts)),
                };
                listener.news(&self.news(*board, *time_ns, &what));
            }
            ClusterEvent::BoardCrashed { board, time_ns, status } => {
                listener.stopped(*board, *time_ns);
                listener.news(&self.news(*board, *time_ns, &format!("died: its QEMU ended with {status}")));
            }
            ClusterEvent::Status { time_ns, boards } => {
                self.status(*time_ns, boards).lines().for_each(|line| listener.news(line));
            }
            ClusterEvent::BoardReset { board, partition, time_ns } => {
                listener.stopped(*board, *time_ns);
                let from =
                    if *partition == 0 { String::new() } else { format!(", to start from partition {partition}") };
                listener.news(&self.news(*board, *time_ns, &format!("is reset{from}")));
            }
            ClusterEvent::BoardExited { board, time_ns, .. } => listener.stopped(*board, *time_ns),
            ClusterEvent::CardFailed { .. }
            | ClusterEvent::Fight(_)
            | ClusterEvent::Deadlock { .. }
            | ClusterEvent::Relayed { .. }
            | ClusterEvent::Finished(_) => {}
        }
    }

    /// A line about a board.
    pub fn news(&self, board: u8, time_ns: u64, what: &str) -> String {
        format!("renga: {}: board {} {what}", seconds(time_ns), self.name(board))
    }

    /// A line for each board.
    pub fn status(&self, time_ns: u64, boards: &[BoardStatus]) -> String {
        let line = |(board, status): (usize, &BoardStatus)| {
            let state = match status.state {
                BoardState::Up => "runs",
                BoardState::Exited => "has ended",
                BoardState::Off => "has no power",
                BoardState::Hung => "hangs",
            };
            let what = format!("{state}, started {}", times(status.starts));
            self.news(board as u8, time_ns, &what)
        };
        boards.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Shows every board's last console lines and log on standard error.
    pub fn report(&self) {
        for (board, name) in self.names.iter().enumerate() {
            let console: Vec<u8> = self.consoles[board].iter().copied().collect();
            let console = String::from_utf8_lossy(&console).replace('\r', "");
            eprintln!("--- board {name}: end of its console");
            eprintln!("{}", console.trim_end());
            eprintln!("--- board {name}: end of its log");
            self.logs[board].last_lines().for_each(|line| eprintln!("{line}"));
        }
        eprintln!("---");
    }

    /// The error with what the boards said, if it is about one.
    pub fn failure(&self, error: EmuError) -> anyhow::Error {
        if error.board().is_some() {
            self.report();
        }
        let named = error.board().map(|board| format!("board {} of the cluster failed", self.name(board)));
        let error = anyhow::Error::new(error);
        match named {
            Some(named) => error.context(named),
            None => error,
        }
    }
}

fn seconds(time_ns: u64) -> String {
    format!("{}.{:03} s", time_ns / 1_000_000_000, time_ns / 1_000_000 % 1000)
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    }
}

fn ordinal(count: u32) -> String {
    match count {
        1 => "first time".to_owned(),
        2 => "second time".to_owned(),
        3 => "third time".to_owned(),
        _ => format!("{count}th time"),
    }
}
