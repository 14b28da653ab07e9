//! The areas of one address space, in order.
//!
//! Invariant: sorted, without overlap, at most [`AREAS_MAX`]; neighbours that could be one are one, as
//! far as the operations here made them so. Not here: pages; callers unmap the pages before they change areas.

use crate::area::Area;
use renga_abi::Errno;
use renga_hal::memory::Access;
use tinyvec::SliceVec;

/// Most areas of a space.
pub const AREAS_MAX: usize = 512;

/// A sorted list of areas.
#[derive(Default)]
pub struct Areas(SliceVec<'static, Area>);

impl Areas {
    /// None yet, with room for as many as there are `places`.
    pub fn new(places: &'static mut [Area]) -> Self {
        Areas(SliceVec::from_slice_len(places, 0))
    }
    fn is_full(&self) -> bool {
        self.0.len() == self.0.capacity()
    }
    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }
    /// Becomes `other`; only what that has is copied.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.0.clear();
        self.0.extend_from_slice(&other.0);
    }
    /// All of them in order.
    pub fn as_slice(&self) -> &[Area] {
        &self.0
    }
    /// The area with the page.
    pub fn find(&self, page: u32) -> Option<&Area> {
        self.0.get(self.first_ending_behind(page)).filter(|area| area.contains(page))
    }
    /// Those that overlap pages `start..end`, in order.
    pub fn within(&self, start: u32, end: u32) -> &[Area] {
        let first = self.first_ending_behind(start);
        let count = self.0[first..].iter().take_while(|area| area.start < end).count();
        &self.0[first..first + count]
    }
    /// Whether every page of `start..end` is in an area.
    pub fn covers(&self, start: u32, end: u32) -> bool {
        let mut at = start;
        for area in self.within(start, end) {
            if area.start > at {
                return false;
            }
            at = area.end;
        }
        at >= end
    }
    /// Adds an area where none is. `ENOMEM` when there are too many.
    pub fn insert(&mut self, area: Area) -> Result<(), Errno> {
        let at = self.first_ending_behind(area.start);
        let mut area = area;
        if let Some(joined) = self.0.get(at).and_then(|next| area.joined(next)) {
            area = joined;
            self.0.remove(at);
        }
        if let Some(joined) = at.checked_sub(1).and_then(|before| self.0[before].joined(&area)) {
            self.0[at - 1] = joined;
            return Ok(());
        }
        if self.is_full() {
            return Err(Errno::ENOMEM);
        }
        self.0.insert(at, area);
        Ok(())
    }
    /// Takes pages `start..end` out of all areas. `ENOMEM`, and no change, when a split makes too many.
    pub fn remove(&mut self, start: u32, end: u32) -> Result<(), Errno> {
        let first = self.first_ending_behind(start);
        let Some(&head) = self.0.get(first).filter(|area| area.start < end) else { return Ok(()) };
        if head.start < start && head.end > end {
            if self.is_full() {
                return Err(Errno::ENOMEM);
            }
            self.0.insert(first + 1, head.part(end, head.end));
            self.0[first] = head.part(head.start, start);
            return Ok(());
        }
        let mut at = first;
        // Each pass shortens an area or removes one.
        while let Some(&area) = self.0.get(at).filter(|area| area.start < end) {
            if area.start < start {
                self.0[at] = area.part(area.start, start);
                at += 1;
            } else if area.end > end {
                self.0[at] = area.part(end, area.end);
                at += 1;
            } else {
                self.0.remove(at);
            }
        }
        Ok(())
    }
    /// Gives the pages `start..end`, all of which are in areas, another access. `ENOMEM`, and no
    /// change, when splits make too many.
    pub fn set_access(&mut self, start: u32, end: u32, access: Access) -> Result<(), Errno> {
        if self.0.len() + 2 > self.0.capacity() {
            return Err(Errno::ENOMEM);
        }
        let mut at = start;
        // Each pass passes one area.
        while at < end {
            let Some(&area) = self.find(at) else { break };
            let part = area.part(at, end);
            self.remove(part.start, part.end)?;
            self.insert(part.with_access(access))?;
            at = part.end;
        }
        Ok(())
    }
    /// The highest run of `pages` free pages within `start..end`; the number of its first.
    pub fn find_free(&self, pages: u32, start: u32, end: u32) -> Option<u32> {
        let mut top = end;
        for area in self.0.iter().rev() {
            if area.start >= top {
                continue;
            }
            if area.end <= top && top - area.end >= pages && top - pages >= start {
                return Some(top - pages);
            }
            top = top.min(area.start);
        }
        (top >= pages && top - pages >= start).then(|| top - pages)
    }

    fn first_ending_behind(&self, page: u32) -> usize {
        self.0.partition_point(|area| area.end <= page)
    }
}
