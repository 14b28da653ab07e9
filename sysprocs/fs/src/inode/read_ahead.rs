//! Reading ahead of a sequential reader: its next pages come into the page cache before it reads them.
//!
//! Only pages that are not cached come to the inode, so these drive the window: a miss right behind the last run, or
//! in it, continues it, and the window doubles. The inode waits for pages on their way, instead of reading them
//! again; the next run begins when the reader has its reply, so that the medium works while the reader goes through
//! the last one. A program that maps a file reads it in no order, but near what it has read: pages behind each miss
//! come, too. Not here: reading (`data/data_reader.rs`).

use crate::data::client::DataPage;
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_rt::Errno;

/// The first window, and what a sequential reader waits for of which nothing is on its way, pages.
const FIRST_PAGES: u32 = 4;
/// A program that maps the file is likely to want so many pages behind one that it misses.
const BEHIND_PAGES: u32 = 7;

impl ActiveInode {
    /// The data of the page at `place`, which a program that `maps` the file wants, or another.
    pub(crate) async fn read_page(&mut self, place: DataPage, maps: bool, out: &mut [u8]) -> Result<(), Errno> {
        match self.data.read(place, out).await {
            Err(Errno::ENOENT) => {}
            read => return read,
        }
        let awaited = self.read_ahead.missed(place.page, FIRST_PAGES);
        if awaited == 0 && maps {
            self.read_ahead.open(place.page, BEHIND_PAGES);
        }
        if awaited > 0 {
            let end = place.page.saturating_add(awaited).min(self.pages());
            let count = self.side_by_side(place, end).await;
            // What fails, or finds no frame, the page alone may not.
            let _ = self.data.read_in(place, count).await;
            match self.data.read(place, out).await {
                Err(Errno::ENOENT) => {}
                read => return read,
            }
        }
        self.data.read_past_cache(place, out).await
    }

    /// To be called when the reader has its answer.
    pub(crate) async fn read_ahead(&mut self) {
        let mut wanted = self.read_ahead.take(self.pages());
        // Each iteration passes a page at least.
        while !wanted.is_empty() {
            let page = wanted.start;
            // A failure is reported when the block is wanted.
            let Ok(block) = self.map(page.into()).await else { return };
            let place = DataPage { file: self.file(), page, block, size: self.record.size() };
            let count = self.side_by_side(place, wanted.end).await;
            if block != 0 && self.data.read_ahead(place, count).await.is_err() {
                return;
            }
            wanted.start += count;
        }
    }

    pub(super) fn pages(&self) -> u32 {
        self.record.size().div_ceil(PAGE_BYTES as u64).min(u64::from(u32::MAX)) as u32
    }

    /// How many pages from that at `place` on, before page `end`, lie side by side on the medium. At least one.
    async fn side_by_side(&mut self, place: DataPage, end: u32) -> u32 {
        let DataPage { page, block, .. } = place;
        let mut count = 1;
        while block != 0
            && page + count < end
            && block.checked_add(count).is_some_and(|next| next != 0)
            && self.map((page + count).into()).await == Ok(block.wrapping_add(count))
        {
            count += 1;
        }
        count
    }
}
