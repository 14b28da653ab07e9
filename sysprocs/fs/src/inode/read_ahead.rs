//! Reading ahead of a sequential reader: what it will want next comes into the page cache before it asks.
//!
//! Only pages that are not cached are asked of the inode, so the window goes by these: a miss right behind what was
//! brought last continues it, and the window doubles. Not here: reading (`content/reader.rs`).

use crate::content::client::Place;
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_proto::content::RUN_PAGES_MAX;

/// The first window, pages.
const FIRST_PAGES: u32 = 4;

/// What was read ahead, and what is to be.
#[derive(Default)]
pub(crate) struct ReadAheadWindow {
    /// The page behind what was brought last.
    next: u32,
    /// How much was read ahead last; 0: the reader was not sequential.
    pages: u32,
    /// To be begun with now: this many pages from `next - due` on.
    due: u32,
}

impl ReadAheadWindow {
    /// Page `page` had to be read from the medium.
    pub(crate) fn missed(&mut self, page: u32) {
        let sequential = page == self.next;
        self.pages = if sequential { (self.pages * 2).clamp(FIRST_PAGES, RUN_PAGES_MAX) } else { 0 };
        self.due = self.pages;
        self.next = page.saturating_add(1).saturating_add(self.due);
    }

    /// The pages to bring now, of a file of `pages`.
    fn take(&mut self, pages: u32) -> core::ops::Range<u32> {
        let from = self.next - self.due;
        self.due = 0;
        from.min(pages)..self.next.min(pages)
    }
}

impl ActiveInode {
    /// To be called when the reader has its answer.
    pub(crate) async fn read_ahead(&mut self) {
        let size = self.record.size();
        let mut wanted = self.read_ahead.take(size.div_ceil(PAGE_BYTES as u64).min(u64::from(u32::MAX)) as u32);
        // Each turn passes a page at least.
        while !wanted.is_empty() {
            let (page, end) = (wanted.start, wanted.end);
            // A failure is told when the block is wanted.
            let Ok(block) = self.map(page.into()).await else { return };
            let mut count = 1;
            while block != 0
                && page + count < end
                && block.checked_add(count).is_some_and(|next| next != 0)
                && self.map((page + count).into()).await == Ok(block.wrapping_add(count))
            {
                count += 1;
            }
            let place = Place { file: self.file(), page, block, size };
            if block != 0 && self.content.read_ahead(place, count).await.is_err() {
                return;
            }
            wanted.start += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ReadAheadWindow;

    #[test]
    fn the_window_doubles_for_who_goes_on_and_closes_for_who_does_not() {
        let mut window = ReadAheadWindow::default();
        window.missed(0);
        assert_eq!((window.take(100), window.take(100)), (1..5, 5..5));
        window.missed(5);
        assert_eq!(window.take(100), 6..14);
        window.missed(14);
        assert_eq!(window.take(20), 15..20, "no further than the file");
        window.missed(50);
        assert!(window.take(100).is_empty());
        window.missed(51);
        assert_eq!(window.take(100), 52..56);
    }
}
