//! The locks of spaces, and borrows of pages that a space maps.
//!
//! Invariant: on a board whose frames several cores reach, entries of a space change only while its root is locked, by
//! its owner or by a core that restricts it. A root ends being a root before its tables are returned, so a core that
//! does not own a space finds it whole or not at all. A lock lasts one operation; only an owner waits while it has one,
//! for a second space of its own. On a board whose frames one core reaches no lock is taken
//! (docs/decisions/0087-page-frames-of-several-cores.md).

use super::descriptor::Descriptor;
use super::frame_memory::FrameMemory;
use core::ptr::NonNull;
use renga_hal::memory::{Frame, PageBytes, PageGuard, PageRef};
use renga_sync::{FrameReadGuard, FrameRefusal, FrameState, FrameWriteGuard, wait};

/// The right to change the mappings of a space.
pub(super) struct SpaceLock {
    locked: Option<&'static FrameState>,
    /// The space's number.
    pub id: u16,
}

impl Drop for SpaceLock {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(root) = self.locked {
            root.unlock();
        }
    }
}

impl FrameMemory {
    /// For the space's owner.
    #[inline(always)]
    pub(super) fn lock_space(&self, space: Frame) -> SpaceLock {
        let now = self.record(space).state.get();
        assert!(now.is_root(), "{space:?} is not an address space");
        if now.is_of_several() {
            return self.lock(space).unwrap_or_else(|| panic!("{space:?} is not an address space, or locked for ever"));
        }
        SpaceLock { locked: None, id: now.number() }
    }

    /// For a core that does not own the space; `None` if it is no space.
    pub(super) fn lock_foreign(&self, space: Frame) -> Option<SpaceLock> {
        let now = self.state_if_any(space)?.get();
        if now.is_of_several() {
            return self.lock(space);
        }
        now.is_root().then(|| SpaceLock { locked: None, id: now.number() })
    }

    #[cold]
    fn lock(&self, space: Frame) -> Option<SpaceLock> {
        let root = &self.record(space).state;
        match wait(true, || root.lock()) {
            Ok(before) => Some(SpaceLock { locked: Some(root), id: before.number() }),
            Err(FrameRefusal::Borrowed) => panic!("{space:?} is locked for ever"),
            Err(_) => None,
        }
    }

    #[inline(always)]
    pub(super) fn try_page(&self, frame: Frame) -> Result<PageGuard<'_>, FrameRefusal> {
        // SAFETY: memory of ours, which is there for good; as a plain frame it is reached by these borrows alone, and
        // as a table only while its state says so, which excludes them.
        unsafe { FrameWriteGuard::begin(&self.record(frame).state, self.place(frame)) }.map(PageGuard::new)
    }

    #[inline(always)]
    pub(super) fn try_shared_page(&self, frame: Frame) -> Result<PageRef<'_>, FrameRefusal> {
        // SAFETY: as `try_page`.
        unsafe { FrameReadGuard::begin(&self.record(frame).state, self.place(frame)) }.map(PageRef::new)
    }

    fn place(&self, frame: Frame) -> NonNull<PageBytes> {
        NonNull::new(self.content(frame)).unwrap_or_else(|| unreachable!("the linear map does not begin at 0"))
    }

    #[inline(always)]
    pub(super) fn borrow_page(&self, frame: Frame) -> PageGuard<'_> {
        match self.try_page(frame) {
            Ok(page) => page,
            Err(refused) => self.again(frame, refused, || self.try_page(frame)),
        }
    }

    #[inline(always)]
    pub(super) fn borrow_shared_page(&self, frame: Frame) -> PageRef<'_> {
        match self.try_shared_page(frame) {
            Ok(page) => page,
            Err(refused) => self.again(frame, refused, || self.try_shared_page(frame)),
        }
    }

    /// Waits until another core, if there is one, has done what it does with the content.
    #[cold]
    fn again<T>(&self, frame: Frame, refused: FrameRefusal, attempt: impl FnMut() -> Result<T, FrameRefusal>) -> T {
        let several = self.record(frame).state.get().is_of_several();
        match if several { wait(true, attempt) } else { Err(refused) } {
            Ok(borrow) => borrow,
            Err(FrameRefusal::Borrowed) => panic!("{frame:?} is borrowed already"),
            Err(_) => panic!("{frame:?} is a translation table"),
        }
    }

    pub(super) fn peek_page(&self, frame: Frame) -> Option<PageRef<'_>> {
        self.state_if_any(frame)?;
        self.try_shared_page(frame).ok()
    }

    pub(super) fn peek_user(&self, space: Frame, va: u64) -> Option<PageRef<'_>> {
        let _lock = self.lock_foreign(space)?;
        let (frame, _) = self.mapping_at(space, va)?;
        self.try_shared_page(frame).ok()
    }

    /// `try_borrow` of the frame that `space` maps at `va` by a descriptor that `allows` accepts, while the mapping
    /// lasts.
    #[inline(always)]
    pub(super) fn borrow_mapped<T>(
        &self,
        space: Frame,
        va: u64,
        allows: fn(Descriptor) -> bool,
        try_borrow: impl Fn(Frame) -> Result<T, FrameRefusal>,
    ) -> Option<T> {
        if self.record(space).state.get().is_of_several() {
            return self.borrow_held(space, va, allows, try_borrow);
        }
        self.space_id(space); // or panics: it is no space
        let (frame, descriptor) = self.descriptor_at(space, va)?;
        if !allows(descriptor) {
            return None;
        }
        Some(try_borrow(frame).unwrap_or_else(|refused| self.again(frame, refused, || try_borrow(frame))))
    }

    /// As `borrow_mapped`, where several cores reach the space. Each attempt locks the space again, since the borrower
    /// of the page may wait for the lock.
    #[cold]
    #[inline(never)]
    fn borrow_held<T>(
        &self,
        space: Frame,
        va: u64,
        allows: fn(Descriptor) -> bool,
        try_borrow: impl Fn(Frame) -> Result<T, FrameRefusal>,
    ) -> Option<T> {
        let attempt = || {
            let _lock = self.lock_space(space);
            match self.descriptor_at(space, va) {
                Some((frame, descriptor)) if allows(descriptor) => try_borrow(frame).map(Some),
                _ => Ok(None),
            }
        };
        match wait(true, attempt) {
            Ok(borrow) => borrow,
            Err(_) => panic!("what {space:?} shows at {va:#x} is borrowed for ever"),
        }
    }
}
