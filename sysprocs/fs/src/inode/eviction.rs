//! Evicting an inode: it is saved, or freed if it has no links.
//!
//! Invariant: when the inode leaves, no board caches anything of it. Called by: `server.rs`. Calls: `truncate.rs`,
//! `directory.rs`.

use crate::format::inode_record::DIRECTORY;
use crate::inode::active_inode::ActiveInode;
use renga_proto::inode::Unloaded;
use renga_proto::pages::TO_END;
use renga_rt::Errno;

impl ActiveInode {
    /// Gives the inode up; one without links gives back its blocks first, some at a time. The boards in `aware` drop
    /// its data themselves.
    pub(crate) async fn unload(&mut self, aware: u8) -> Result<Unloaded, Errno> {
        self.leases.holders.forget_all(aware);
        let mut reported = Unloaded { more: false, free: false, directory: self.record.is(DIRECTORY) };
        let here = self.ino != 0 && self.bad.is_none();
        if here && (self.changed || self.record.links() == 0) {
            // An access time alone does not make an inode join.
            let joined = self.begin_change().await;
            joined.inspect_err(|_| self.reset(0))?;
        }
        if here && self.record.links() == 0 {
            self.begin_free();
            if self.cut_on().await? {
                self.save().await?;
                return Ok(Unloaded { more: true, ..reported });
            }
            self.free_rest().await?;
            self.note_change();
            reported.free = true;
            self.report_end().await;
        }
        // No process would revoke them any more.
        self.revoke(0, TO_END).await;
        self.revoke_status().await;
        self.forget_mapped().await;
        let saved = self.save().await;
        self.reset(0);
        saved.map(|()| reported)
    }

    /// What `cut_on` has left of an inode without links.
    async fn free_rest(&mut self) -> Result<(), Errno> {
        self.revoke(0, TO_END).await;
        self.data.cut(self.file(), 0, 0).await?;
        self.forget_index().await;
        if self.record.has_pointers() {
            self.free_from(0).await?;
        }
        self.record.set_size(0);
        let now_ns = self.now_ns();
        self.record.set_deleted(now_ns);
        Ok(())
    }
}
