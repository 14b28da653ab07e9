//! Making a page present: what a page fault, and every use of a user pointer, leads to.
//!
//! - A page of zeros: a fresh frame.
//! - A page of a file, read or executed: the cached frame, shared, together with its neighbours as far
//!   as they are cached ([`AROUND_PAGES`]), so that a program that runs again faults seldom.
//! - A page of a file, written, or of which only a part belongs to the area: a private copy.
//! - A write to a page that others may have, too: a private copy (copy-on-write).
//! - A page of a shared area: `shared_fault.rs`.
//!
//! Not here: signals; the owner of the space sends them.

use crate::area::{Area, Origin, number};
use crate::layout::{PAGE, TRAMPOLINE, TRAMPOLINE_CODE, page_down};
use crate::mapped_files::MappedFile;
use crate::pager::Pager;
use crate::space::Space;
use renga_abi::Errno;
use renga_abi::user::AccessKind;
use renga_hal::memory::{Access, Frame, NOT_LISTED, UserMemory};
use renga_pages::Fill;
use renga_proto::pages::{FileId, FindPage};

/// Pages, aligned as a group, that one fault maps if they are cached.
pub const AROUND_PAGES: u32 = 16;
const _: () = assert!(AROUND_PAGES <= u64::BITS, "`FindPages` has a bit for each");

/// Why a page cannot be made present.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultError {
    /// Nothing is mapped there (SIGSEGV, SEGV_MAPERR).
    NoArea,
    /// It may not be used so (SIGSEGV, SEGV_ACCERR).
    Forbidden,
    /// No memory is left (SIGKILL).
    OutOfMemory,
    /// The file cannot be read, or has no room for the page (SIGBUS).
    Io,
    /// The page is behind the end of the file (SIGBUS).
    BehindEnd,
}

impl FaultError {
    /// What a system call with that pointer returns.
    pub const fn errno(self) -> Errno {
        match self {
            FaultError::NoArea | FaultError::Forbidden | FaultError::BehindEnd => Errno::EFAULT,
            FaultError::OutOfMemory => Errno::ENOMEM,
            FaultError::Io => Errno::EIO,
        }
    }
    pub(crate) fn from_errno(errno: Errno) -> Self {
        match errno {
            Errno::ENOMEM => FaultError::OutOfMemory,
            Errno::EFBIG => FaultError::BehindEnd,
            _ => FaultError::Io,
        }
    }
}

/// Whether `access` allows `kind`.
pub(crate) const fn allows(access: Access, kind: AccessKind) -> bool {
    match kind {
        AccessKind::Read => access.readable(),
        AccessKind::Write => access.writable(),
        AccessKind::Execute => access.executable(),
    }
}

/// The file as whose first page the trampoline is cached; there is no such inode.
const TRAMPOLINE_FILE: FileId = FileId { ino: 0, generation: 0 };

impl Space {
    /// Whether the page at `address` is a file's and not present.
    pub fn lacks_file_page<M: UserMemory>(&self, machine: &M, address: u64) -> bool {
        machine.lookup(self.root, page_down(address)).is_none()
            && self.area_at(address).is_some_and(|area| area.origin != Origin::Zero)
    }

    /// The pages next to each other around `page` that are whole pages of the area's file, mapped or not.
    fn around(&self, area: &Area, page: u32) -> (u32, u32) {
        let group = page / AROUND_PAGES * AROUND_PAGES;
        let whole = |page: u32| area.file_page(page).is_some_and(|(_, _, bytes)| bytes == PAGE as usize);
        let end = (group + AROUND_PAGES).min(area.end);
        (group.max(area.start), (page..end).find(|&page| !whole(page)).unwrap_or(end).max(page + 1))
    }
}

impl<M: UserMemory> Pager<'_, M> {
    /// Makes the page at `address` ready for `kind`; the program may then try again.
    pub async fn fault(&mut self, space: &mut Space, address: u64, kind: AccessKind) -> Result<(), FaultError> {
        let area = space.area_at(address).ok_or(FaultError::NoArea)?;
        if !allows(area.access, kind) {
            return Err(FaultError::Forbidden);
        }
        let va = page_down(address);
        match self.machine.lookup(space.root, va) {
            Some((_, access)) if allows(access, kind) => Ok(()),
            _ if area.is_shared() => self.fault_shared(space, &area, va, kind).await,
            Some((frame, _)) if kind == AccessKind::Write => self.write_to_shared(space, &area, va, frame).await,
            Some(_) => {
                self.machine.protect(space.root, va, area.access.without_writing());
                Ok(())
            }
            None => {
                let mut brought = self.bring(space, &area, va, kind).await;
                if brought == Err(Errno::ESTALE) {
                    self.reopen(space, &area).await.map_err(FaultError::from_errno)?;
                    brought = self.bring(space, &area, va, kind).await;
                }
                brought.map_err(FaultError::from_errno)
            }
        }
    }

    /// Reactivates the inode of the area's file after a reboot of the disk board.
    pub(crate) async fn reopen(&mut self, space: &mut Space, area: &Area) -> Result<(), Errno> {
        let Origin::File { file: index, .. } = area.origin else { return Err(Errno::EIO) };
        let slot = self.reopen_file(space.table.files.get(index).ok_or(Errno::EIO)?).await?;
        space.table.files.set_slot(index, slot);
        Ok(())
    }

    async fn write_to_shared(
        &mut self,
        space: &mut Space,
        area: &Area,
        va: u64,
        frame: Frame,
    ) -> Result<(), FaultError> {
        let machine = self.machine;
        let is_of_shared_table = machine.is_of_shared_table(space.root, va);
        if !is_of_shared_table && self.counts.is_only(frame) {
            machine.protect(space.root, va, area.access);
            return Ok(());
        }
        // No program writes it before it is copied: all its mappings are like this one.
        let copy = self.copy_of(frame).await.map_err(FaultError::from_errno)?;
        if is_of_shared_table {
            machine.leave_page(space.root, va);
        }
        machine.unmap(space.root, va);
        if !is_of_shared_table {
            self.free(frame).await;
        }
        // Its table is still there, so mapping it takes no frame.
        self.show(space, va, copy, area.access).await.map_err(FaultError::from_errno)
    }

    /// Maps a frame whose reference passes to the space, or is given back if that fails.
    pub(crate) async fn show(&mut self, space: &mut Space, va: u64, frame: Frame, access: Access) -> Result<(), Errno> {
        let mapped = self.map_frame(space.root, va, frame, access).await;
        if mapped.is_err() {
            self.free(frame).await;
        }
        mapped
    }

    async fn bring(&mut self, space: &mut Space, area: &Area, va: u64, kind: AccessKind) -> Result<(), Errno> {
        let page = number(va);
        let Some((file, file_page, bytes)) = area.file_page(page) else {
            let frame = if va == TRAMPOLINE { self.trampoline().await? } else { self.allocate().await? };
            return self.show(space, va, frame, area.access).await;
        };
        let file = space.table.files.get(file).ok_or(Errno::EIO)?;
        if kind != AccessKind::Write && bytes == PAGE as usize {
            return self.bring_around(space, area, page, file).await;
        }
        let private = self.private_file_page(file, file_page).await?;
        if bytes < PAGE as usize {
            self.machine.page(private)[bytes..].fill(0);
        }
        self.show(space, va, private, area.access).await
    }

    /// Maps the cached frames of `page` and of absent pages around it; reads `page` if need be.
    async fn bring_around(&mut self, space: &mut Space, area: &Area, page: u32, file: MappedFile) -> Result<(), Errno> {
        let access = area.access.without_writing();
        let (first, end) = space.around(area, page);
        let Some((_, file_page, _)) = area.file_page(first) else { return Err(Errno::EIO) };
        let mut found = [NOT_LISTED; AROUND_PAGES as usize];
        let list = &mut found[..(end - first) as usize];
        let mapped = |&page: &u32| self.machine.lookup(space.root, u64::from(page) * PAGE).is_some();
        let mapped = (first..end).filter(mapped).fold(0, |mapped, page| mapped | 1 << (page - first));
        self.map_found(space, first, (file, file_page), mapped, access, list).await?;
        if list[(page - first) as usize] != NOT_LISTED {
            return Ok(());
        }
        // It may be cached all the same: others write it by a mapping, and this space gets what it is now.
        let frame = self.file_page(file, file_page + (page - first)).await?;
        self.show(space, u64::from(page) * PAGE, frame, access).await
    }

    /// The board's frame with the instructions that signal handlers return to.
    async fn trampoline(&mut self) -> Result<Frame, Errno> {
        let (file, page) = (TRAMPOLINE_FILE, 0);
        if let Ok(frame) = self.pages.call(FindPage { file, page }, ()).await {
            return Ok(Frame(frame));
        }
        let begun = Fill::begin(self.memory, self.pages, file, page).await?;
        for (place, instruction) in
            self.machine.page(begun.frame).as_chunks_mut::<4>().0.iter_mut().zip(TRAMPOLINE_CODE)
        {
            *place = instruction.to_le_bytes();
        }
        Ok(begun.keep(self.pages, PAGE).await)
    }
}
