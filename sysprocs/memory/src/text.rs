//! The process that keeps a board's clean file pages and its references to mapped files.
//!
//! Invariants: an entry of the table holds one reference to its frame, taken before it is made and
//! given back after it is gone. When the board of the inodes was started again all pages are forgotten: one may be of
//! content that a cut took back.
//!
//! Not here: which entry makes room (`text_table.rs`); the references (`text_files.rs`); reading files (the pagers).

use crate::frame_list::FrameList;
use crate::text_files::{FileKey, TextFiles};
use crate::text_table::{Found, PageKey, TextEntry, TextTable};
use renga_abi::Errno;
use renga_hal::memory::Frame;
use renga_proto::inode::InodeDirectory;
use renga_proto::memory::{FreeFrame, FreeFrames, Memory, ShareFrame, ShareFrames};
use renga_proto::text::{
    FindPages, KeepFile, NO_FRAME, OfferPage, PAGES_PER_FIND_MAX, ReleaseFile, ReopenFile, Text, TextCall,
};
use renga_rt::{Call, Client, Me, Never, Port};

struct State {
    me: Me,
    memory: Client<Memory>,
    table: TextTable,
    files: TextFiles,
}

/// Serves the cache; `table` bounds it.
pub async fn text(
    me: Me,
    mut port: Port<Text>,
    memory: Client<Memory>,
    directory: Client<InodeDirectory>,
    table: &'static mut [TextEntry],
) -> Never {
    let mut state = State { me, memory, table: TextTable::new(table), files: TextFiles::new(directory) };
    loop {
        let call = port.accept().await;
        state.serve(call).await;
    }
}

impl State {
    async fn serve(&mut self, call: TextCall) {
        match call {
            TextCall::FindPage(call) => {
                let entry = call.entry();
                let found = self.find(PageKey { ino: entry.ino, version: entry.version, page: entry.page }).await;
                call.reply(found);
            }
            TextCall::FindPages(call) => self.find_all(call).await,
            TextCall::OfferPage(call) => {
                let offered = self.offer(call.entry()).await;
                call.reply(offered);
            }
            TextCall::Shrink(call) => {
                let freed = self.shrink(call.entry().frames).await;
                call.reply(Ok(freed));
            }
            TextCall::KeepFile(call) => {
                let KeepFile { ino, generation, slot } = call.entry();
                let kept = self.files.keep(FileKey { ino, generation }, slot).await;
                call.reply(kept);
            }
            TextCall::ReleaseFile(call) => {
                let ReleaseFile { ino, generation } = call.entry();
                let released = self.files.release(FileKey { ino, generation }).await;
                if released == Err(Errno::EINVAL) {
                    self.me.log("refused to release a file that no program maps: inode", [ino.into(), 0]);
                }
                call.reply(released);
            }
            TextCall::ReopenFile(call) => {
                let ReopenFile { ino, generation, slot } = call.entry();
                let found = self.files.reopen(FileKey { ino, generation }, slot).await;
                call.reply(found);
            }
        }
        if self.files.take_anew() {
            self.shrink(u32::MAX).await;
        }
    }

    async fn find(&mut self, key: PageKey) -> Result<u32, Errno> {
        match self.table.find(&key) {
            Found::Here(frame) => {
                self.memory.call(ShareFrame { frame: frame.0 }, ()).await?;
                Ok(frame.0)
            }
            Found::Older => {
                self.drop_older(key).await;
                Err(Errno::ENOENT)
            }
            Found::Nothing => Err(Errno::ENOENT),
        }
    }

    async fn find_all(&mut self, mut call: Call<FindPages>) {
        let FindPages { ino, version, page } = call.entry();
        let (mut frames, mut count, mut older) = ([0; PAGES_PER_FIND_MAX * 4], 0, false);
        for (place, page) in call.lent().as_chunks_mut::<4>().0.iter_mut().take(PAGES_PER_FIND_MAX).zip(page..) {
            let found = self.table.find(&PageKey { ino, version, page });
            *place = NO_FRAME.to_le_bytes();
            older |= found == Found::Older;
            if let Found::Here(Frame(frame)) = found {
                *place = frame.to_le_bytes();
                frames[count * 4..][..4].copy_from_slice(place);
                count += 1;
            }
        }
        if older {
            self.drop_older(PageKey { ino, version, page }).await;
        }
        let shared = match count {
            0 => Ok(()),
            _ => self.memory.call(ShareFrames {}, &frames[..count * 4]).await,
        };
        if shared.is_err() {
            call.lent().fill(0xff);
        }
        call.reply(shared.map(|()| count as u32));
    }

    async fn offer(&mut self, offer: OfferPage) -> Result<(), Errno> {
        let OfferPage { ino, version, page, frame } = offer;
        let key = PageKey { ino, version, page };
        match self.table.find(&key) {
            Found::Here(_) => return Ok(()), // somebody else was quicker
            Found::Older => self.drop_older(key).await,
            Found::Nothing => {}
        }
        self.memory.call(ShareFrame { frame }, ()).await?;
        let made_room = match self.table.put(key, Frame(frame)) {
            Ok(old) => old,
            Err(refused) => Some(refused),
        };
        if let Some(Frame(frame)) = made_room {
            self.memory.call(FreeFrame { frame }, ()).await?;
        }
        Ok(())
    }

    /// Gives up all pages of older versions of the file of `key`.
    async fn drop_older(&mut self, key: PageKey) {
        let (mut list, mut at) = (FrameList::new(), 0);
        // Bounded by the table.
        while let Some(frame) = self.table.take_older(&key, &mut at) {
            list.push(frame);
            if list.is_full() {
                self.free(&mut list).await;
            }
        }
        self.free(&mut list).await;
    }

    async fn shrink(&mut self, frames: u32) -> u32 {
        let (mut list, mut count) = (FrameList::new(), 0);
        while count < frames
            && let Some(frame) = self.table.take_any()
        {
            list.push(frame);
            count += 1;
            if list.is_full() {
                self.free(&mut list).await;
            }
        }
        self.free(&mut list).await;
        count
    }

    async fn free(&mut self, list: &mut FrameList) {
        if !list.is_empty() {
            // A refusal is a bug here, which the memory process has logged.
            let _ = self.memory.call(FreeFrames {}, list.as_bytes()).await;
            list.clear();
        }
    }
}
