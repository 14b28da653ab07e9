//! Reading ahead of a sequential reader: what it will want next comes into the page cache before it asks.
//!
//! Only pages that are not cached are asked of the inode, so the window goes by these: a miss right behind what was
//! begun last, or in it, continues it, and the window doubles. What is on its way is waited for, not read again; the next
//! run begins when the reader has its answer, so that the medium is at work while the reader goes through the last one.
//! Not here: reading (`content/reader.rs`).

use crate::data::client::Place;
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_proto::data::RUN_PAGES_MAX;
use renga_rt::Errno;

/// The first window, and what a sequential reader waits for of which nothing is on its way, pages.
const FIRST_PAGES: u32 = 4;

/// What was read ahead, and what is to be.
#[derive(Default)]
pub(crate) struct ReadAheadWindow {
    /// The first page of what was begun last, which may be on its way.
    begun: u32,
    /// The page behind that.
    next: u32,
    /// How much was read ahead last; 0: the reader was not sequential.
    pages: u32,
    /// To be begun with now: the pages from `begun` on.
    due: bool,
}

impl ReadAheadWindow {
    /// Page `page` is not cached; how many to bring in for who waits for it. 0: it alone, past the cache.
    pub(crate) fn missed(&mut self, page: u32) -> u32 {
        let behind = page.saturating_add(1);
        if !(self.begun..=self.next).contains(&page) {
            *self = ReadAheadWindow { begun: behind, next: behind, pages: 0, due: false };
            return 0;
        }
        let awaited = if page == self.next { FIRST_PAGES } else { 1 };
        self.pages = (self.pages * 2).clamp(FIRST_PAGES, RUN_PAGES_MAX);
        self.begun = self.next.max(page.saturating_add(awaited));
        self.next = self.begun.saturating_add(self.pages);
        self.due = true;
        awaited
    }

    /// The pages to bring now, of a file of `pages`.
    fn take(&mut self, pages: u32) -> core::ops::Range<u32> {
        let end = if core::mem::take(&mut self.due) { self.next } else { self.begun };
        self.begun.min(pages)..end.min(pages)
    }
}

impl ActiveInode {
    /// The content of the page at `place`.
    pub(crate) async fn read_page(&mut self, place: Place, out: &mut [u8]) -> Result<(), Errno> {
        match self.content.read(place, out).await {
            Err(Errno::ENOENT) => {}
            read => return read,
        }
        let awaited = self.read_ahead.missed(place.page);
        if awaited > 0 {
            let end = place.page.saturating_add(awaited).min(self.pages());
            let count = self.side_by_side(place, end).await;
            // What fails, or finds no frame, the page alone may not.
            let _ = self.content.read_in(place, count).await;
            match self.content.read(place, out).await {
                Err(Errno::ENOENT) => {}
                read => return read,
            }
        }
        self.content.read_past_cache(place, out).await
    }

    /// To be called when the reader has its answer.
    pub(crate) async fn read_ahead(&mut self) {
        let mut wanted = self.read_ahead.take(self.pages());
        // Each turn passes a page at least.
        while !wanted.is_empty() {
            let page = wanted.start;
            // A failure is told when the block is wanted.
            let Ok(block) = self.map(page.into()).await else { return };
            let place = Place { file: self.file(), page, block, size: self.record.size() };
            let count = self.side_by_side(place, wanted.end).await;
            if block != 0 && self.content.read_ahead(place, count).await.is_err() {
                return;
            }
            wanted.start += count;
        }
    }

    /// Pages of the file.
    fn pages(&self) -> u32 {
        self.record.size().div_ceil(PAGE_BYTES as u64).min(u64::from(u32::MAX)) as u32
    }

    /// How many pages from that at `place` on, before page `end`, lie side by side on the medium. At least one.
    async fn side_by_side(&mut self, place: Place, end: u32) -> u32 {
        let Place { page, block, .. } = place;
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

#[cfg(test)]
mod tests {
    use super::ReadAheadWindow;

    #[test]
    fn the_window_doubles_for_who_goes_on_and_closes_for_who_does_not() {
        let mut window = ReadAheadWindow::default();
        assert_eq!(window.missed(0), 4);
        assert_eq!((window.take(100), window.take(100)), (4..8, 4..4));
        assert_eq!(window.missed(4), 1, "it is on its way");
        assert_eq!(window.take(100), 8..16);
        assert_eq!(window.missed(16), 4, "everything that was begun was there");
        assert_eq!(window.take(30), 20..30, "no further than the file");
        assert_eq!(window.missed(50), 0);
        assert!(window.take(100).is_empty());
        assert_eq!(window.missed(51), 4);
        assert_eq!(window.take(100), 55..59);
        assert_eq!((window.missed(3), window.missed(u32::MAX)), (0, 0));
    }
}
