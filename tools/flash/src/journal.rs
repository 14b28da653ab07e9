//! Which board's card has been written, so that a round of cards can be taken up again.
//!
//! A line of JSON for each card, beside the cluster file. Invariant: a line is appended only after its card was read
//! back and compared. Not here: what a card says of itself (`cards`).

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A card that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// For this board.
    pub board: String,
    /// The card's own number, where the reader reports it.
    pub card: Option<String>,
    /// SHA-256 of what was written.
    pub image: String,
}

/// The journal of a cluster.
pub struct FlashJournal {
    path: PathBuf,
    entries: Vec<JournalEntry>,
}

impl FlashJournal {
    /// That of the cluster file `cluster`: `lab.toml` has `lab.toml.journal`.
    ///
    /// # Errors
    /// If it is there and cannot be read.
    pub fn beside(cluster: &Path) -> Result<FlashJournal> {
        let mut name = cluster.as_os_str().to_os_string();
        name.push(".journal");
        let path = PathBuf::from(name);
        let text = if path.exists() { fs::read_to_string(&path) } else { Ok(String::new()) };
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        // A line that was cut off by a crash is that of a card whose writing counts for nothing.
        let entries = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(FlashJournal { path, entries })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether board `board` has a card with this image.
    pub fn is_done(&self, board: &str, image: &str) -> bool {
        self.last(|entry| entry.board == board).is_some_and(|entry| entry.image == image)
    }

    /// The board for which the card of this number was written last.
    pub fn board_of(&self, card: &str) -> Option<&str> {
        self.last(|entry| entry.card.as_deref() == Some(card)).map(|entry| entry.board.as_str())
    }

    fn last(&self, wanted: impl Fn(&JournalEntry) -> bool) -> Option<&JournalEntry> {
        self.entries.iter().rev().find(|entry| wanted(entry))
    }

    /// Adds a card that was written and compared.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, entry: JournalEntry) -> Result<()> {
        let append = |path: &Path| -> std::io::Result<File> {
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            writeln!(file, "{}", serde_json::to_string(&entry)?)?;
            file.sync_all()?;
            Ok(file)
        };
        append(&self.path).with_context(|| format!("cannot write {}", self.path.display()))?;
        self.entries.push(entry);
        Ok(())
    }
}
