//! Mapping pages of files that are cached, many in one step: around a fault, and a whole program when it is loaded.
//!
//! Invariant: a page that cannot be mapped is given back; none is read. Not here: one page, which may have to be read
//! (`fault.rs`).

use crate::area::{Area, Origin};
use crate::layout::PAGE;
use crate::mapped_files::MappedFile;
use crate::pager::Pager;
use crate::space::Space;
use renga_abi::Errno;
use renga_hal::memory::{Access, Frame, ListedFrame, NOT_LISTED, UserMemory};
use renga_proto::pages::FindPages;

/// Pages of one call.
const PAGES_PER_STEP: usize = 256;
impl<M: UserMemory> Pager<'_, M> {
    /// Maps those pages of `first..end` that are cached and whole, of a private area, copy on write.
    pub(crate) async fn map_cached(
        &mut self,
        space: &mut Space,
        area: &Area,
        (first, end): (u32, u32),
    ) -> Result<(), Errno> {
        let Origin::File { file, bytes, .. } = area.origin else { return Ok(()) };
        let file = space.table.files.get(file).ok_or(Errno::EIO)?;
        let whole = ((bytes / PAGE) as u32).min(area.end - area.start);
        let (mut page, end) = (first.max(area.start), end.min(area.start + whole));
        // Each pass passes a step.
        while page < end {
            let mut found = [NOT_LISTED; PAGES_PER_STEP];
            let list = &mut found[..((end - page) as usize).min(PAGES_PER_STEP)];
            let Some((_, file_page, _)) = area.file_page(page) else { return Err(Errno::EIO) };
            self.map_found(space, page, (file, file_page), 0, area.access.without_writing(), list).await?;
            page += list.len() as u32;
        }
        Ok(())
    }

    /// Maps the cached pages of a file from page `page` on at page `first` and behind, as many as `list` has room
    /// for; `list` then contains their frames. Nothing is mapped there yet except where `but` has a bit; these pages
    /// are left out.
    pub(crate) async fn map_found(
        &mut self,
        space: &mut Space,
        first: u32,
        (file, page): (MappedFile, u32),
        but: u64,
        access: Access,
        list: &mut [ListedFrame],
    ) -> Result<(), Errno> {
        if self.pages.call(FindPages { file: file.id(), page, but }, list.as_flattened_mut()).await.is_err() {
            list.fill(NOT_LISTED);
            return Ok(()); // as if none were cached
        }
        let mut done = 0;
        loop {
            let at = (u64::from(first) + done as u64) * PAGE;
            let run = self.machine.map_run(space.root, at, &list[done..], access);
            done += ((run.next - at) / PAGE) as usize;
            if done == list.len() {
                return Ok(());
            }
            // Each pass adds a table: `TABLES_PER_MAP_MAX` for a page at most.
            if let Err(errno) = self.add_table(space.root, run.next).await {
                for listed in list[done..].iter().filter(|&&listed| listed != NOT_LISTED) {
                    self.free(Frame(u32::from_le_bytes(*listed))).await;
                }
                return Err(errno);
            }
        }
    }
}
