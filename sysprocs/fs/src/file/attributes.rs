//! What an open file passes on to its inode: status and attributes; and its own flags, generation and locks.
//!
//! Not here: data (`page_read.rs`, `writing.rs`), directory entries (`listing.rs`).

use crate::file::inode_session::{Tries, on_inode};
use crate::file::open_file::{OpenFile, SETTABLE};
use renga_hal::memory::UserMemory;
use renga_pages::{change_leased, complete_status};
use renga_proto::attributes::AttributeChange;
use renga_proto::file::BackingInode;
use renga_proto::inode::{SetAccess, SetTimes, Status};
use renga_proto::names::{StatusGrant, StatusOfInode};
use renga_rt::Errno;

impl<M: UserMemory + ?Sized> OpenFile<M> {
    pub(super) fn set_flags(&mut self, flags: u32) {
        self.flags = self.flags & !SETTABLE | flags & SETTABLE;
    }

    /// `ESTALE` if it has another generation, or the caller's board no reference.
    pub(super) fn check_handle(&self, generation: u32) -> Result<(), Errno> {
        self.check_generation(generation)?;
        self.check().map_err(|_| Errno::ESTALE)
    }

    pub(super) async fn status(&mut self, out: &mut [u8]) -> Result<(), Errno> {
        self.check()?;
        // A write that crossed may still be under way.
        if self.is_elsewhere()
            && !self.written
            && let Some(mut names) = self.clients.names.at(0)
        {
            let file = self.id();
            match names.call(StatusOfInode { file }, &mut *out).await {
                Err(Errno::EAGAIN) => {}
                Ok(StatusGrant { lease, .. })
                    if !complete_status(&mut self.clients.pages, file, lease, &mut *out).await? => {}
                answered => return answered.map(|_| ()),
            }
        }
        on_inode!(self, Status {}, (&[][..], &mut *out))
    }

    /// Which inode this is: what it was opened with, which does not change but for the inode's process.
    pub(super) async fn describe(&mut self) -> Result<BackingInode, Errno> {
        let mut tries = Tries::default();
        while self.inode()?.is_none() {
            if !self.find_again(&mut tries).await? {
                return Err(Errno::ESTALE);
            }
        }
        let slot = self.slot.ok_or(Errno::ESTALE)?;
        Ok(BackingInode { slot, ino: self.ino, generation: self.generation, mode: self.mode })
    }

    pub(super) async fn set_mode(&mut self, mode: u16) -> Result<(), Errno> {
        if self.change_leased(AttributeChange::mode(mode)).await? {
            return Ok(());
        }
        on_inode!(self, SetAccess::mode(mode), ())
    }

    pub(super) async fn set_times(&mut self, access_ns: u64, modify_ns: u64) -> Result<(), Errno> {
        if let Some(times) = AttributeChange::times(access_ns, modify_ns)
            && self.change_leased(times).await?
        {
            return Ok(());
        }
        on_inode!(self, SetTimes { access_ns, modify_ns }, ())
    }

    pub(super) async fn set_owner(&mut self, uid: u32, gid: u32) -> Result<(), Errno> {
        if self.change_leased(AttributeChange::owner(uid, gid)).await? {
            return Ok(());
        }
        on_inode!(self, SetAccess::owner(uid, gid), ())
    }

    /// Changes it in the page cache of this board, if that has the write lease; whether it does.
    async fn change_leased(&mut self, change: AttributeChange) -> Result<bool, Errno> {
        self.check()?;
        if !self.is_elsewhere() {
            return Ok(false);
        }
        self.note_losses().await;
        let file = self.id();
        change_leased(&mut self.clients.pages, file, change).await
    }
}
