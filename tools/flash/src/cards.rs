//! A round of cards: one for each board of a cluster.
//!
//! Invariant: a card that is one board's is not written for another, unless forced. Two things identify a card: its own
//! number in the journal, which only card slots report, and its `NODE.TXT`, for every reader.

use super::error::FlashError;
use super::journal::{FlashJournal, JournalEntry};
use super::medium::FlashMedium;
use anyhow::anyhow;
use renga_boot_card::{NODE_BYTES_MAX, NodeFile, read_node_file};
use renga_hal::block::{Block, BlockError, SECTOR_BYTES};
use renga_images::card::{CardCluster, Checksum};
use std::path::PathBuf;

/// The image of a board's card.
#[derive(Clone, Debug)]
pub struct BoardCard {
    /// The board's name.
    pub board: String,
    /// Its image.
    pub image: PathBuf,
    /// The image's sum.
    pub sum: Checksum,
}

/// What is to be done about a board.
#[derive(Clone, Debug)]
pub enum CardRound {
    /// It has its card.
    Done(BoardCard),
    /// Its card is to be written.
    ToWrite(BoardCard),
}

/// The cards of a cluster, and the journal of those that are written.
pub struct Rounds<'a> {
    cluster: &'a CardCluster,
    journal: FlashJournal,
    force: bool,
}

impl<'a> Rounds<'a> {
    /// Cards of `cluster`; `force` allows a card of another board.
    pub fn new(cluster: &'a CardCluster, journal: FlashJournal, force: bool) -> Rounds<'a> {
        Rounds { cluster, journal, force }
    }

    /// What is to be done about a board whose image is `card`.
    pub fn of(&self, card: BoardCard) -> CardRound {
        if !self.force && self.journal.is_done(&card.board, &card.sum.to_string()) {
            CardRound::Done(card)
        } else {
            CardRound::ToWrite(card)
        }
    }

    /// Refuses a medium that is another board's card.
    ///
    /// # Errors
    /// [`FlashError::Taken`].
    pub fn check(&self, board: &str, number: Option<&str>, medium: &mut dyn FlashMedium) -> Result<(), FlashError> {
        if self.force {
            return Ok(());
        }
        let journalled = number.and_then(|number| self.journal.board_of(number)).map(str::to_string);
        let owner = journalled.or_else(|| owner(self.cluster, medium));
        match owner {
            Some(owner) if owner != board => Err(FlashError::Taken { board: owner }),
            _ => Ok(()),
        }
    }

    /// Notes a card to which an image of this sum was written.
    ///
    /// # Errors
    /// If that is another image than the board's, or the journal cannot be written.
    pub fn written(&mut self, card: &BoardCard, number: Option<String>, sum: Checksum) -> Result<(), FlashError> {
        if sum != card.sum {
            let image = card.image.display();
            return Err(anyhow!("{image} was changed meanwhile, and its card is not recorded: write it again").into());
        }
        Ok(self.journal.add(JournalEntry { board: card.board.clone(), card: number, image: card.sum.to_string() })?)
    }
}

/// The board of `cluster` whose card this medium is by its own word.
fn owner(cluster: &CardCluster, medium: &mut dyn FlashMedium) -> Option<String> {
    let mut out = [0; NODE_BYTES_MAX];
    let node = NodeFile::parse(read_node_file(&mut Sectors(medium), &mut out).ok()?).ok()?;
    (node.cluster == cluster.name).then(|| node.name.to_string())
}

/// A medium as the board's own reader of `NODE.TXT` sees it.
struct Sectors<'a>(&'a mut dyn FlashMedium);

impl Block for Sectors<'_> {
    fn blocks(&self) -> u64 {
        u64::MAX / SECTOR_BYTES as u64
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        let at = sector.checked_mul(SECTOR_BYTES as u64).ok_or(BlockError::OutOfRange)?;
        // At an address that transfers past the host's caches accept.
        let mut room = vec![0; out.len() * 2 + SECTOR_BYTES];
        let start = room.as_ptr().align_offset(SECTOR_BYTES).min(SECTOR_BYTES);
        let part = &mut room[start..start + out.len()];
        match self.0.read_at(at, part) {
            Ok(count) if count == out.len() => out.copy_from_slice(part),
            _ => return Err(BlockError::Failed),
        }
        Ok(())
    }

    fn write(&mut self, _: u64, _: &[u8]) -> Result<(), BlockError> {
        Err(BlockError::Failed)
    }
}
