//! The read-ahead window of a sequential reader, of a file on the medium or of another board's.
//!
//! Invariant: a miss in or right behind the window doubles it; any other miss closes it, or opens one behind it. Not
//! here: reading (`inode/read_ahead.rs`, `prefetcher.rs`).

use renga_proto::data::RUN_PAGES_MAX;

/// What was read ahead, and what is to be.
#[derive(Clone, Copy)]
pub(crate) struct ReadAheadWindow {
    /// The last miss: what lies before it has been read.
    first: u32,
    /// What lies before it was begun, and may be on its way.
    begun: u32,
    end: u32,
    /// How much was read ahead last; 0: the reader was not sequential.
    pages: u32,
}

impl ReadAheadWindow {
    /// Before the first miss, which is sequential if it is of page 0.
    pub(crate) const NONE: ReadAheadWindow = ReadAheadWindow { first: 0, begun: 0, end: 0, pages: 0 };

    /// A closed one, after a miss of `page`: the next page continues it.
    pub(crate) fn behind(page: u32) -> ReadAheadWindow {
        let next = page.saturating_add(1);
        ReadAheadWindow { first: next, begun: next, end: next, pages: 0 }
    }

    /// Whether a miss of `page` continues it.
    pub(crate) fn contains(&self, page: u32) -> bool {
        (self.first..=self.end).contains(&page)
    }

    /// Page `page` is not cached; how many to bring in for who waits for it: `at_once` of which nothing is on its way.
    /// 0: it alone, past the cache. The first window has `at_once` pages, too.
    pub(crate) fn missed(&mut self, page: u32, at_once: u32) -> u32 {
        if !self.contains(page) {
            *self = ReadAheadWindow::behind(page);
            return 0;
        }
        let awaited = if page >= self.begun { at_once } else { 1 };
        self.pages = (self.pages * 2).clamp(at_once, RUN_PAGES_MAX);
        self.first = page;
        self.begun = self.begun.max(page.saturating_add(awaited));
        self.end = self.begun.saturating_add(self.pages);
        awaited
    }

    /// After a miss of `page` that nothing continued: `pages` behind it are to be begun all the same.
    pub(crate) fn open(&mut self, page: u32, pages: u32) {
        *self = ReadAheadWindow::behind(page);
        self.end = self.end.saturating_add(pages);
    }

    /// The pages to begin now, of a file of `pages`.
    pub(crate) fn take(&mut self, pages: u32) -> core::ops::Range<u32> {
        let wanted = self.begun.min(pages)..self.end.min(pages);
        self.begun = self.end;
        wanted
    }

    /// Whether there is one.
    pub(crate) fn is_due(&self, pages: u32) -> bool {
        self.begun < self.end.min(pages)
    }

    /// The first of them only.
    pub(crate) fn take_one(&mut self, pages: u32) -> Option<u32> {
        let page = self.begun;
        let due = self.is_due(pages);
        self.begun += u32::from(due);
        due.then_some(page)
    }
}

#[cfg(test)]
mod tests {
    use super::ReadAheadWindow;

    #[test]
    fn read_ahead_window_doubles_when_sequential_else_closes() {
        let mut window = ReadAheadWindow::NONE;
        assert_eq!(window.missed(0, 4), 4);
        assert_eq!((window.take(100), window.take(100)), (4..8, 8..8));
        assert_eq!(window.missed(4, 4), 1, "it is on its way");
        assert_eq!(window.take(100), 8..16);
        assert_eq!(window.missed(16, 4), 4, "everything that was begun was there");
        assert_eq!(window.take(30), 20..30, "no further than the file");
        assert_eq!(window.missed(50, 4), 0);
        assert!(window.take(100).is_empty());
        assert_eq!(window.missed(51, 4), 4);
        assert_eq!(window.take(100), 55..59);
        assert_eq!((window.missed(3, 4), window.missed(u32::MAX, 4)), (0, 0));
    }

    #[test]
    fn read_ahead_window_opened_at_random_miss_has_pages_behind_it() {
        let mut window = ReadAheadWindow::NONE;
        assert_eq!(window.missed(50, 4), 0);
        window.open(50, 7);
        assert_eq!((window.take(100), window.take(100)), (51..58, 58..58));
        assert_eq!(window.missed(53, 4), 1, "it is on its way");
        assert_eq!(window.missed(20, 4), 0, "elsewhere");
        window.open(97, 7);
        assert_eq!(window.take(100), 98..100, "no further than the file");
    }

    #[test]
    fn read_ahead_window_page_by_page_stays_ahead_of_its_reader() {
        let mut window = ReadAheadWindow::NONE;
        let mut next = 1;
        for page in 0..49 {
            assert_eq!(window.missed(page, 1), 1);
            while next < page + 3
                && let Some(begun) = window.take_one(50)
            {
                assert_eq!(begun, next, "each page once");
                next += 1;
            }
        }
        assert_eq!(next, 50, "no further than the file");
    }
}
