//! User memory as system calls see it: pieces within one page that can be passed to servers, and copies.
//!
//! Every address here comes from the program and is checked: `EFAULT` where it may not read or write. A piece borrows
//! its space, so a process has at most one at a time: two in one page would clash. Not here: the use of the bytes.

use crate::fault::allows;
use crate::layout::PAGE;
use crate::pager::Pager;
use crate::space::Space;
use core::ops::{Deref, DerefMut, Range};
use renga_abi::Errno;
use renga_abi::user::AccessKind;
use renga_hal::memory::{Frame, PAGE_BYTES, PageGuard, PageRef, UserMemory};

/// Most times that a page is made present for one piece: the page cache on another core may take it back in between.
const TRIES_MAX: u32 = 1000;

/// Bytes of the program's memory, within one page.
pub struct Piece<P> {
    page: P,
    range: Range<usize>,
}
/// A piece to be read.
pub type ReadPiece<'a> = Piece<PageRef<'a>>;
/// A piece to be written.
pub type WritePiece<'a> = Piece<PageGuard<'a>>;

impl<P: Deref<Target = [u8; PAGE_BYTES]>> Deref for Piece<P> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.page[self.range.clone()]
    }
}
impl<P: DerefMut<Target = [u8; PAGE_BYTES]>> DerefMut for Piece<P> {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.page[self.range.clone()]
    }
}

/// The part within `va`'s page of `length` bytes from `va` on.
fn range_in_page(va: u64, length: usize) -> Range<usize> {
    let start = (va % PAGE) as usize;
    start..start + length.min(PAGE_BYTES - start)
}

impl Space {
    /// The frame of a page that is there and that the program may use as `kind` says.
    #[inline]
    pub fn present_frame<M: UserMemory>(&self, machine: &M, va: u64, kind: AccessKind) -> Option<Frame> {
        // A mapped page is allowed: no search of the areas.
        machine.lookup(self.root, va).filter(|&(_, access)| allows(access, kind)).map(|(frame, _)| frame)
    }

    /// As `copy_in`, if all is within a page that is there: most of what calls copy. Whether it was so.
    #[inline]
    fn copy_in_at_once<M: UserMemory>(&self, machine: &M, va: u64, bytes: &mut [u8]) -> bool {
        let range = range_in_page(va, bytes.len());
        if range.len() != bytes.len() {
            return false;
        }
        machine.page_to_read(self.root, va).map(|page| bytes.copy_from_slice(&page[range])).is_some()
    }

    /// As `copy_in_at_once`, of `copy_out`.
    #[inline]
    fn copy_out_at_once<M: UserMemory>(&self, machine: &M, va: u64, bytes: &[u8]) -> bool {
        let range = range_in_page(va, bytes.len());
        if range.len() != bytes.len() {
            return false;
        }
        machine.page_to_write(self.root, va).map(|mut page| page[range].copy_from_slice(bytes)).is_some()
    }
}

impl<M: UserMemory> Pager<'_, M> {
    /// The program's memory from `va` on, up to `length` bytes and up to the end of its page, to be
    /// read, or passed as a slice given. `length` is not 0.
    pub async fn page_for_read<'s>(
        &mut self,
        space: &'s mut Space,
        va: u64,
        length: usize,
    ) -> Result<ReadPiece<'s>, Errno> {
        for _ in 0..TRIES_MAX {
            if let Some(page) = self.machine.page_to_read(space.root, va) {
                return Ok(Piece { page, range: range_in_page(va, length) });
            }
            self.fault(space, va, AccessKind::Read).await.map_err(|error| error.errno())?;
        }
        Err(Errno::EFAULT)
    }

    /// As `page_for_read`, to be written, or passed as a slice taken.
    pub async fn page_for_write<'s>(
        &mut self,
        space: &'s mut Space,
        va: u64,
        length: usize,
    ) -> Result<WritePiece<'s>, Errno> {
        for _ in 0..TRIES_MAX {
            if let Some(page) = self.machine.page_to_write(space.root, va) {
                return Ok(Piece { page, range: range_in_page(va, length) });
            }
            self.fault(space, va, AccessKind::Write).await.map_err(|error| error.errno())?;
        }
        Err(Errno::EFAULT)
    }

    /// Copies the program's memory from `va` on into `bytes`.
    pub async fn copy_in(&mut self, space: &mut Space, va: u64, bytes: &mut [u8]) -> Result<(), Errno> {
        if space.copy_in_at_once(self.machine, va, bytes) {
            return Ok(());
        }
        let mut done = 0;
        while done < bytes.len() {
            let at = va.checked_add(done as u64).ok_or(Errno::EFAULT)?;
            let piece = self.page_for_read(space, at, bytes.len() - done).await?;
            bytes[done..done + piece.len()].copy_from_slice(&piece);
            done += piece.len();
        }
        Ok(())
    }

    /// Copies `bytes` to the program's memory from `va` on.
    pub async fn copy_out(&mut self, space: &mut Space, va: u64, bytes: &[u8]) -> Result<(), Errno> {
        if space.copy_out_at_once(self.machine, va, bytes) {
            return Ok(());
        }
        let mut done = 0;
        while done < bytes.len() {
            let at = va.checked_add(done as u64).ok_or(Errno::EFAULT)?;
            let mut piece = self.page_for_write(space, at, bytes.len() - done).await?;
            let length = piece.len();
            piece.copy_from_slice(&bytes[done..done + length]);
            done += length;
        }
        Ok(())
    }

    /// The word at `va`, which need not be aligned.
    pub async fn copy_in_word(&mut self, space: &mut Space, va: u64) -> Result<u64, Errno> {
        let mut word = [0; 8];
        self.copy_in(space, va, &mut word).await?;
        Ok(u64::from_le_bytes(word))
    }

    /// Copies the string at `va` without its terminating zero; its length. `ENAMETOOLONG` when it does
    /// not end within `bytes`.
    pub async fn copy_in_string(&mut self, space: &mut Space, va: u64, bytes: &mut [u8]) -> Result<usize, Errno> {
        let mut done = 0;
        while done < bytes.len() {
            let at = va.checked_add(done as u64).ok_or(Errno::EFAULT)?;
            let piece = self.page_for_read(space, at, bytes.len() - done).await?;
            let length = piece.iter().position(|&byte| byte == 0);
            let copied = length.unwrap_or(piece.len());
            bytes[done..done + copied].copy_from_slice(&piece[..copied]);
            done += copied;
            if length.is_some() {
                return Ok(done);
            }
        }
        Err(Errno::ENAMETOOLONG)
    }
}
