//! Descriptors of a program that has many: they travel in page frames of the board that it goes to.
//!
//! Invariant: the frames are stored as any that come from a board ([`StorePage`]), and are the new program's when it
//! has taken them; a sender that fails frees them. Not here: their form (`process_image.rs`).

use crate::user::servers::object_calls::is_loss;
use crate::user::slot::User;
use crate::user::state::image_bytes::{ImageReader, ImageWriter};
use crate::user::state::process_image::{FilePages, get_files, in_pages, put_files};
use renga_hal::memory::{Frame, PAGE_BYTES, UserMemory};
use renga_proto::memory::{FreeFrame, StorePage, TakeStored};
use renga_proto::procs::board_of;
use renga_rt::Errno;

impl<M: UserMemory> User<M> {
    /// Stores the descriptors on board `target`, if there are many; in which frames.
    pub(crate) async fn store_files(&mut self, target: u8) -> Result<FilePages, Errno> {
        let mut pages = FilePages::new();
        let mut rest = in_pages(&self.program.files).then_some(0);
        // Each pass stores a page.
        while let Some(from) = rest {
            let room = self.paths.len().min(PAGE_BYTES);
            let mut writer = ImageWriter::new(&mut self.paths[..room]);
            rest = put_files(&mut writer, &self.program.files, from)?;
            let bytes = writer.bytes();
            let mut memory = self.services.clients.all_memory.at(target, 0).ok_or(Errno::EINVAL)?;
            let stored = memory.call(StorePage { at: 0 }, &self.paths[..bytes]).await;
            let kept = stored.and_then(|frame| pages.push(frame).map_err(|_| Errno::E2BIG));
            if let Err(errno) = kept {
                if !is_loss(errno) {
                    self.discard_files(target, &pages).await;
                }
                return Err(errno);
            }
        }
        Ok(pages)
    }

    /// Frees what `store_files` stored.
    pub(crate) async fn discard_files(&mut self, target: u8, pages: &FilePages) {
        for &frame in pages {
            if let Some(mut memory) = self.services.clients.all_memory.at(target, 0) {
                let _ = memory.call(FreeFrame { frame }, ()).await; // with the board it is gone too
            }
        }
    }

    /// Reads the descriptors that the parent has stored here.
    pub(crate) async fn take_files(&mut self, pages: &FilePages) -> Result<(), Errno> {
        let board = board_of(self.program.parent, self.services.file_board);
        let mut result = Ok(());
        for &frame in pages {
            // The sender's word is not taken for it.
            let taken = self.services.clients.memory.call(TakeStored { frame, board }, ()).await;
            if taken.is_ok() {
                let page = self.machine.shared_page(Frame(frame));
                let read = get_files(&mut ImageReader::new(&page[..]), &mut self.program.files);
                drop(page);
                result = result.and(read);
                let _ = self.services.clients.memory.call(FreeFrame { frame }, ()).await; // just taken
            }
            result = result.and(taken);
        }
        result
    }
}
