//! The boards' logs: defmt frames decoded, with board and virtual time.
//!
//! Invariant: the last lines of each board are kept, so that a failure can show them.

use anyhow::{Context, Result};
use defmt_decoder::{DecodeError, StreamDecoder, Table};
use std::collections::VecDeque;
use std::fs;
use std::path::Path;

/// Lines kept of each board.
const LINES_KEPT: usize = 40;

/// The meaning of a kernel's log frames.
pub struct LogTable(Option<Table>);

impl LogTable {
    /// That of a kernel which nobody here knows: its log has no lines.
    pub fn unknown() -> LogTable {
        LogTable(None)
    }

    /// Reads it from the kernel's ELF.
    ///
    /// # Errors
    /// If the file has no log table.
    pub fn read(elf: &Path) -> Result<LogTable> {
        let bytes = fs::read(elf).with_context(|| format!("cannot read {}", elf.display()))?;
        Ok(LogTable(Some(Table::parse(&bytes)?.context("the kernel has no log table")?)))
    }

    /// The log of one board.
    pub fn board(&self, name: &str) -> BoardLog<'_> {
        let decoder = self.0.as_ref().map(Table::new_stream_decoder);
        BoardLog { name: name.to_string(), decoder, kept: VecDeque::new(), died: false }
    }
}

/// One board's log.
pub struct BoardLog<'a> {
    name: String,
    decoder: Option<Box<dyn StreamDecoder + Send + Sync + 'a>>,
    kept: VecDeque<String>,
    died: bool,
}

impl BoardLog<'_> {
    /// Takes bytes of the second serial line; the lines that became whole.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        let Some(decoder) = &mut self.decoder else { return Vec::new() };
        decoder.received(bytes);
        let mut lines = Vec::new();
        loop {
            match decoder.decode() {
                Ok(frame) => {
                    let level = frame.level().map_or("log", |level| level.as_str());
                    self.died |= level == "error";
                    let time = frame.display_timestamp().map(|time| time.to_string()).unwrap_or_default();
                    lines.push(format!("[{} {time} s] {level}: {}", self.name, frame.display_message()));
                }
                Err(DecodeError::UnexpectedEof) => break,
                Err(DecodeError::Malformed) => lines.push(format!("[{}] (a damaged log frame)", self.name)),
            }
        }
        for line in &lines {
            if self.kept.len() == LINES_KEPT {
                self.kept.pop_front();
            }
            self.kept.push_back(line.clone());
        }
        lines
    }

    /// Whether the kernel logged an error: it does so only when the board cannot go on.
    pub fn died(&self) -> bool {
        self.died
    }

    /// The last lines.
    pub fn last_lines(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(String::as_str)
    }
}
