//! Boot memory, allocated once and never freed.
//!
//! Invariant: after [`Arena::seal`] nothing is allocated until the board reboots. Not here: where the memory is.

use core::cell::Cell;

/// A bump allocator over one static region.
pub struct Arena {
    next: Cell<*mut u8>,
    left_bytes: Cell<usize>,
    sealed: Cell<bool>,
}

impl Arena {
    /// # Safety
    /// `[start, start + bytes)` is one valid, unused object that lives for ever.
    pub unsafe fn new(start: *mut u8, bytes: usize) -> Arena {
        Arena { next: Cell::new(start), left_bytes: Cell::new(bytes), sealed: Cell::new(false) }
    }

    /// Places what `make` returns.
    ///
    /// # Panics
    /// If the arena is full, or sealed.
    #[inline(always)]
    pub fn put<T: 'static>(&self, make: impl FnOnce() -> T) -> &'static mut T {
        let value = make();
        let at = self.reserve(size_of::<T>(), align_of::<T>()).cast::<T>();
        // SAFETY: `reserve` returns space for a `T`, aligned, inside the region, handed out once.
        unsafe { at.write(value) };
        // SAFETY: just written; the address is not known elsewhere.
        unsafe { &mut *at }
    }

    /// Places `count` values, the i-th from `make(i)`.
    ///
    /// # Panics
    /// As [`Arena::put`].
    pub fn put_slice<T: 'static>(&self, count: usize, mut make: impl FnMut(usize) -> T) -> &'static mut [T] {
        let start = self.reserve(size_of::<T>() * count, align_of::<T>()).cast::<T>();
        for i in 0..count {
            let value = make(i);
            // SAFETY: `reserve` returned space for `count` values.
            let at = unsafe { start.add(i) };
            // SAFETY: inside that space, aligned.
            unsafe { at.write(value) };
        }
        // SAFETY: all `count` values are written, and the address is not known elsewhere.
        unsafe { core::slice::from_raw_parts_mut(start, count) }
    }

    fn reserve(&self, bytes: usize, align: usize) -> *mut u8 {
        assert!(!self.sealed.get(), "allocation after boot");
        let pad = self.next.get().align_offset(align);
        let Some(left) = self.left_bytes.get().checked_sub(pad + bytes) else { panic!("boot memory is full") };
        // SAFETY: inside the region by the check above.
        let at = unsafe { self.next.get().add(pad) };
        // SAFETY: as above, at most one past the end.
        self.next.set(unsafe { at.add(bytes) });
        self.left_bytes.set(left);
        at
    }

    /// Ends allocation.
    pub fn seal(&self) {
        self.sealed.set(true);
    }

    /// Bytes not handed out.
    pub fn left_bytes(&self) -> usize {
        self.left_bytes.get()
    }
}
