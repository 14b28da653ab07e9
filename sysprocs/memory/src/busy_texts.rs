//! Program files that are open for writing, on whichever board: no program is started from them.
//!
//! Invariant: an entry has at least one opener. A file beyond [`WRITERS_MAX`] is not noted: programs may be started
//! from it. Not here: which files programs run (`file_references.rs`), who opens them (`renga_fs`).

use heapless::Vec;
use renga_proto::pages::FileId;
use renga_rt::BoardReferences;

/// Files that are noted.
const WRITERS_MAX: usize = 64;

/// By file, its openers.
#[derive(Default)]
pub(crate) struct BusyTexts(Vec<(FileId, BoardReferences), WRITERS_MAX>);

impl BusyTexts {
    fn find(&mut self, file: FileId) -> Option<usize> {
        self.0.iter().position(|(known, _)| *known == file)
    }

    /// Whether no program may be started from `file`.
    pub fn contains(&mut self, file: FileId) -> bool {
        self.find(file).is_some()
    }

    /// `board` has opened `file` once more.
    pub fn add(&mut self, file: FileId, board: u8) {
        let known = self.find(file).or_else(|| {
            self.0.push((file, BoardReferences::NONE)).ok()?;
            Some(self.0.len() - 1)
        });
        if let Some(at) = known
            && !self.0[at].1.add(board)
        {
            self.0.retain(|(_, openers)| !openers.is_empty());
        }
    }

    /// `board` has closed `file` once.
    pub fn remove(&mut self, file: FileId, board: u8) {
        if let Some(at) = self.find(file) {
            self.0[at].1.remove(board);
            self.0.retain(|(_, openers)| !openers.is_empty());
        }
    }

    /// `board` is dead.
    pub fn drop_board(&mut self, board: u8) {
        for (_, openers) in &mut self.0 {
            openers.drop_board(board);
        }
        self.0.retain(|(_, openers)| !openers.is_empty());
    }
}
