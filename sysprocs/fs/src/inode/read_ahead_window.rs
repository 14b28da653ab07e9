//! The read-ahead window of one file.
//!
//! Invariant: a miss in or right behind the last run doubles the window; any other miss closes it. Not here: reading (`read_ahead.rs`).

use renga_proto::data::RUN_PAGES_MAX;

/// The first window, and what a sequential reader waits for of which nothing is on its way, pages.
const FIRST_PAGES: u32 = 4;

/// What was read ahead, and what is to be.
#[derive(Default)]
pub(crate) struct ReadAheadWindow {
    /// The first page of what was begun last, which may be on its way.
    pub(super) begun: u32,
    pub(super) next: u32,
    /// How much was read ahead last; 0: the reader was not sequential.
    pub(super) pages: u32,
    /// To be begun with now: the pages from `begun` on.
    pub(super) due: bool,
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
    pub(super) fn take(&mut self, pages: u32) -> core::ops::Range<u32> {
        let end = if core::mem::take(&mut self.due) { self.next } else { self.begun };
        self.begun.min(pages)..end.min(pages)
    }
}

#[cfg(test)]
mod tests {
    use super::ReadAheadWindow;

    #[test]
    fn read_ahead_window_doubles_when_sequential_else_closes() {
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
