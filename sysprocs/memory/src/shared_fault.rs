//! Faults in areas whose pages are others', too: a file's, or an object's.
//!
//! The page cache maps the page itself (`MapPages`), and withholds it again when it changes or goes. The space then
//! finds an inaccessible page, frees it and faults again. Before a program can write a page of a file, the page is
//! made dirty (`storing.rs`).
//!
//! Not here: what the cache does with it (`renga_pages`), private pages (`fault.rs`).

use crate::area::{Area, Sharing, number};
use crate::fault::{AROUND_PAGES, FaultError};
use crate::layout::PAGE;
use crate::mapped_files::MappedFile;
use crate::pager::{OBJECT_BYTES, Pager};
use crate::space::Space;
use renga_abi::Errno;
use renga_abi::user::AccessKind;
use renga_hal::memory::{Access, UserMemory};
use renga_pages::{Fill, fill};
use renga_proto::pages::{MapFor, MapPages};

/// Steps of one fault: tables, withheld pages, and a page that is revoked while it is brought.
const STEPS_MAX: u32 = 64;
/// Steps after which a fault for reading requests the page for writing: it comes with the lease, which no board
/// revokes before the program has run.
const READS_MAX: u32 = 4;

impl<M: UserMemory> Pager<'_, M> {
    /// Makes the page at `va` of a shared area ready for `kind`, which the area allows.
    pub(crate) async fn fault_shared(
        &mut self,
        space: &mut Space,
        area: &Area,
        va: u64,
        kind: AccessKind,
    ) -> Result<(), FaultError> {
        let mut reopened = false;
        for step in 0..STEPS_MAX {
            match self.fault_step(space, area, va, (kind, step >= READS_MAX)).await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(Errno::ESTALE) if !reopened => {
                    reopened = true;
                    self.reopen(space, area).await.map_err(FaultError::from_errno)?;
                }
                Err(errno) => return Err(FaultError::from_errno(errno)),
            }
        }
        // The program faults again: others had their way meanwhile.
        Ok(())
    }

    /// Maps the page, or does one step towards that; returns whether it is mapped.
    async fn fault_step(
        &mut self,
        space: &mut Space,
        area: &Area,
        va: u64,
        (kind, insists): (AccessKind, bool),
    ) -> Result<bool, Errno> {
        if let Some((_, Access::None)) = self.machine.lookup(space.root, va) {
            self.unmap_pages(space, va, va + PAGE).await;
        }
        let at = number(va);
        let Some((index, page, _)) = area.file_page(at) else { return Err(Errno::EFBIG) };
        let file = space.table.files.get(index).ok_or(Errno::EIO)?;
        let writes = if area.sharing == Sharing::Object { area.access.writable() } else { kind == AccessKind::Write };
        let map_for = match area.access {
            Access::ReadWriteExecute if writes => MapFor::All,
            _ if writes => MapFor::Write,
            Access::ReadExecute | Access::ReadWriteExecute => MapFor::Execute,
            _ => MapFor::Read,
        };
        let group_end = (at / AROUND_PAGES + 1) * AROUND_PAGES;
        let count = if writes { 1 } else { group_end.min(area.end) - at };
        let show = MapPages { file: file.id(), page, count, space: space.root.0, at, map_for };
        match self.pages.call(show, ()).await {
            Ok(()) => return Ok(true),
            Err(Errno::ENXIO) => self.add_table(space.root, va).await?,
            Err(Errno::EEXIST) => self.unmap_pages(space, va, va + PAGE).await,
            Err(Errno::ENOENT) if area.sharing == Sharing::Object => self.add_page(file, page).await?,
            Err(Errno::ENOENT) if writes || insists && self.may_lease(file).await => {
                self.dirty_page(file, page, true).await?;
            }
            Err(Errno::EAGAIN) if writes => self.dirty_page(file, page, false).await?,
            Err(Errno::EBUSY) => self.flush_lease(file).await?,
            Err(Errno::ENOMEM) if fill::shrink(self.pages).await => {}
            Err(Errno::ENOENT) => return self.bring_shared(space, area, va, file, page).await,
            Err(errno) => return Err(errno),
        }
        Ok(false)
    }

    /// Reads the page into the cache; a board without one maps its present content.
    async fn bring_shared(
        &mut self,
        space: &mut Space,
        area: &Area,
        va: u64,
        file: MappedFile,
        page: u32,
    ) -> Result<bool, Errno> {
        let read = self.read_shared(file, page).await?;
        if read.kept {
            // The cache knows the end of the file: on a board with the lease the inode's process does not.
            self.free(read.frame).await;
            return Ok(false);
        }
        if page >= u32::try_from(read.size.div_ceil(PAGE)).unwrap_or(u32::MAX) {
            self.free(read.frame).await;
            return Err(Errno::EFBIG);
        }
        self.show(space, va, read.frame, area.access.without_writing()).await.map(|()| true)
    }

    /// Shows all pages that the objects of shared areas have.
    pub(crate) async fn show_objects(&mut self, space: &mut Space) -> Result<(), Errno> {
        for index in 0..space.table.areas.as_slice().len() {
            let area = space.table.areas.as_slice()[index];
            if area.sharing != Sharing::Object {
                continue;
            }
            for at in area.start..area.end {
                let Some((index, page, _)) = area.file_page(at) else { break };
                let file = space.table.files.get(index).ok_or(Errno::EIO)?.id();
                let show = MapPages { file, page, count: 1, space: space.root.0, at, map_for: MapFor::Read };
                // At most a pass for each table.
                while self.pages.call(show, ()).await == Err(Errno::ENXIO) {
                    self.add_table(space.root, u64::from(at) * PAGE).await?;
                }
            }
        }
        Ok(())
    }

    /// A page of zeros for an object; another program may have been faster.
    async fn add_page(&mut self, object: MappedFile, page: u32) -> Result<(), Errno> {
        let begun = Fill::begin(self.memory, self.pages, object.id(), page).await?;
        let frame = begun.keep(self.pages, OBJECT_BYTES).await;
        self.free(frame).await;
        Ok(())
    }
}
