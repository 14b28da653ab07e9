//! Eviction: the page, and the file record, that was not used for longest.
//!
//! Invariant: the clock's hand (Corbató 1969) passes over an entry once if it was used since. Not here: when
//! (`page_cache.rs`).

use crate::index::PageIndex;
use crate::records::PageRecord;
use renga_hal::memory::Frame;

impl PageIndex {
    /// The record of the file that is to make room for another: not used for longest, nothing of it dirty or to
    /// complete a status, not leased out.
    pub fn oldest_file(&mut self) -> Option<u32> {
        for _ in 0..=2 * self.files.len() {
            let at = self.file_clock.oldest()?;
            let file = &mut self.files[at as usize];
            let kept = file.is_ahead() || file.completes_status() || file.leased_out || file.id.is_object();
            if !core::mem::take(&mut file.used) && !kept {
                return Some(at);
            }
            self.file_clock.remove(self.files, |file| &mut file.in_clock, at);
            self.file_clock.push(self.files, |file| &mut file.in_clock, at);
        }
        None
    }

    /// Takes out the clean page that was not used for longest, and is not `in_use`; scans at `scans` pages at most, of
    /// which there are as many fewer then.
    pub fn take_oldest(&mut self, scans: &mut u32, in_use: impl Fn(Frame) -> bool) -> Option<Frame> {
        // Each that was used is passed over once.
        for _ in 0..(*scans).min(self.count() + 1) {
            *scans -= 1;
            let at = self.page_clock.oldest()?;
            if !core::mem::take(&mut self.pages[at as usize].used) && !in_use(Frame(at)) {
                let PageRecord { file, written, .. } = self.pages[at as usize];
                self.remove(at);
                if written {
                    self.files[file as usize].since = self.next_since();
                }
                return Some(Frame(at));
            }
            self.page_clock.remove(self.pages, |slot| &mut slot.in_order, at);
            self.page_clock.push(self.pages, |slot| &mut slot.in_order, at);
        }
        None
    }
}
