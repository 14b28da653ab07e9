//! Renaming, and the way from a directory up to the root.
//!
//! Invariants: a rename owns the exclusive lock of names, so no other process changes the tree. The new name is entered
//! before the old one is removed: a cut between the two leaves two names, never none. The data of a file are at the
//! disk's board before the file replaces another one: after a failure of any board the name stands for the whole old
//! file or the whole new one.

use crate::format::inode_record::KIND_DIRECTORY;
use crate::format::superblock::ROOT_INO;
use crate::lookup::pathname::Component;
use crate::names::worker_state::{InodeReference, LookupWorker, Parent, locked};
use renga_proto::inode::{Intent, LeaseWrite, NameOf, Repoint};
use renga_proto::path::{PathStart, RENAME_EXCHANGE, RENAME_NOREPLACE, UNREACHABLE};
use renga_rt::Errno;

/// Directories one in another; more are taken for a circle.
const DEPTH_MAX: usize = 4096;

/// Times that a file is flushed without the lock of names, since its writer may go on in between; then the rename
/// flushes it.
const FLUSHES_MAX: u32 = 4;

/// Pieces of 16 pages that one flush takes: as many as a file of 4 GiB has. A board that gives more is not honest.
const PIECES_MAX: u32 = 1 << 16;

struct NamePlace<'a> {
    directory: &'a InodeReference,
    name: &'a Component,
}

impl NamePlace<'_> {
    fn named(&self) -> (&InodeReference, &[u8]) {
        (self.directory, &self.name.name)
    }
}

impl LookupWorker {
    /// Renames. Data that another board has of a file which replaces another one are flushed first, and without the
    /// lock of names when they are many.
    pub(crate) async fn rename(
        &mut self,
        from: (PathStart, &[u8]),
        to: (PathStart, &[u8]),
        flags: u32,
    ) -> Result<(), Errno> {
        for _ in 0..FLUSHES_MAX {
            let renamed = locked!(self, true, self.rename_locked(from, to, (flags, false)));
            match self.unflushed.take() {
                // Its reference is released, so the slot may have another inode by now, which is not flushed then.
                Some(source) => self.flush_unlocked(&source).await?,
                None => return renamed,
            }
        }
        locked!(self, true, self.rename_locked(from, to, (flags, true)))
    }

    async fn flush_unlocked(&mut self, node: &InodeReference) -> Result<(), Errno> {
        for _ in 0..PIECES_MAX {
            match self.flush_some(node).await {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(Errno::EAGAIN) => {
                    // The data found no room. The rename is tried again.
                    self.commit().await;
                    return Ok(());
                }
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::EIO)
    }

    /// Flushes some pages of file `node` if another board writes it; whether there are more.
    async fn flush_some(&mut self, node: &InodeReference) -> Result<bool, Errno> {
        let lease = self.inode(node.slot)?.call(LeaseWrite::flush(node.ino), ()).await?;
        Ok(lease.below > 0)
    }

    /// `flush`: all of the source's data are flushed here, however many.
    async fn rename_locked(
        &mut self,
        from: (PathStart, &[u8]),
        to: (PathStart, &[u8]),
        (flags, flush): (u32, bool),
    ) -> Result<(), Errno> {
        let old = self.parent(from.0, from.1).await?;
        let new = self.parent(to.0, to.1).await?;
        let named = |parent: &Parent| parent.last.as_ref().is_some_and(Component::is_name);
        let (Some(old_name), Some(new_name), true) = (&old.last, &new.last, named(&old) && named(&new)) else {
            let there = named(&old) && flags & RENAME_NOREPLACE != 0;
            return Err(if there { Errno::EEXIST } else { Errno::EBUSY });
        };
        let old = NamePlace { directory: &old.node, name: old_name };
        let new = NamePlace { directory: &new.node, name: new_name };
        let source = self.child(old.directory, &old.name.name, Intent::Change).await?;
        let exchanges = flags & RENAME_EXCHANGE != 0;
        let target = self.child(new.directory, &new.name.name, Intent::Change).await;
        match &target {
            Ok(_) if flags & RENAME_NOREPLACE != 0 => return Err(Errno::EEXIST),
            Ok(target) if exchanges && new.name.slash && !target.is_directory() => return Err(Errno::ENOTDIR),
            Ok(_) => {}
            Err(Errno::ENOENT) if !exchanges => {}
            Err(errno) => return Err(*errno),
        }
        if !source.is_directory() && (old.name.slash || new.name.slash && !exchanges) {
            return Err(Errno::ENOTDIR);
        }
        // A directory does not go into itself or below.
        let moves = source.is_directory() && old.directory.ino != new.directory.ino;
        if moves && self.is_above(source.ino, new.directory.ino).await? {
            return Err(Errno::EINVAL);
        }
        match target {
            Ok(target) if exchanges => self.exchange((&source, flush), &old, &new, &target).await,
            Ok(target) => self.replace((&source, flush), &old, &new, &target).await,
            Err(_) => self.move_to_free(&source, &old, &new).await,
        }
    }

    async fn replace(
        &mut self,
        (source, flush): (&InodeReference, bool),
        old: &NamePlace<'_>,
        new: &NamePlace<'_>,
        target: &InodeReference,
    ) -> Result<(), Errno> {
        let across = old.directory.ino != new.directory.ino;
        if across && target.is_directory() && self.is_above(target.ino, old.directory.ino).await? {
            return Err(Errno::ENOTEMPTY);
        }
        if target.ino == source.ino {
            return Ok(());
        }
        match (source.is_directory(), target.is_directory()) {
            (true, false) => return Err(Errno::ENOTDIR),
            (false, true) => return Err(Errno::EISDIR),
            (true, true) if !self.is_empty(target).await? => return Err(Errno::ENOTEMPTY),
            _ => {}
        }
        self.flush_locked(source, flush).await?;
        self.repoint(new.directory, &new.name.name, source).await?;
        self.leave_old(source, old, new).await?;
        if target.is_directory() {
            // The target's `..` is gone; the source's, if it came from elsewhere, took its place.
            self.drop_links(target, 2).await?;
            self.add_links(old.directory, -1).await?;
        } else {
            self.drop_links(target, 1).await?;
        }
        self.report_move(source, (old.named(), new.named()), Some(target)).await;
        Ok(())
    }

    /// Each of both names stands for what the other one stood for.
    async fn exchange(
        &mut self,
        (source, flush): (&InodeReference, bool),
        old: &NamePlace<'_>,
        new: &NamePlace<'_>,
        target: &InodeReference,
    ) -> Result<(), Errno> {
        let across = old.directory.ino != new.directory.ino;
        if across && target.is_directory() && self.is_above(target.ino, old.directory.ino).await? {
            return Err(Errno::EINVAL);
        }
        if target.ino == source.ino {
            return Ok(());
        }
        self.flush_locked(source, flush).await?;
        self.flush_locked(target, flush).await?;
        // A directory has a link from each one in it.
        let gains = i32::from(source.is_directory()) - i32::from(target.is_directory());
        let (gainer, loser) = if gains > 0 { (new.directory, old.directory) } else { (old.directory, new.directory) };
        if across && gains != 0 {
            self.add_links(gainer, 1).await?;
            self.add_links(loser, -1).await?;
        }
        self.repoint(new.directory, &new.name.name, source).await?;
        self.repoint(old.directory, &old.name.name, target).await?;
        for (moved, to) in [(source, new.directory), (target, old.directory)] {
            // Sets the change time, as Linux does.
            self.add_links(moved, 0).await?;
            if across && moved.is_directory() {
                self.repoint(moved, b"..", to).await?;
            }
        }
        self.report_move(source, (old.named(), new.named()), None).await;
        self.report_move(target, (new.named(), old.named()), None).await;
        Ok(())
    }

    /// The data of file `node` that another board has are at this board when it returns; `EBUSY`, with the file noted,
    /// when they are to be `flush`ed first, and without the lock of names.
    async fn flush_locked(&mut self, node: &InodeReference, flush: bool) -> Result<(), Errno> {
        let mut pieces = 0;
        while !node.is_directory() && self.flush_some(node).await? {
            if !flush {
                self.unflushed = Some(*node);
                return Err(Errno::EBUSY);
            }
            pieces += 1;
            if pieces == PIECES_MAX {
                return Err(Errno::EIO);
            }
        }
        Ok(())
    }

    async fn move_to_free(
        &mut self,
        source: &InodeReference,
        old: &NamePlace<'_>,
        new: &NamePlace<'_>,
    ) -> Result<(), Errno> {
        let gains = source.is_directory() && old.directory.ino != new.directory.ino;
        if gains {
            self.add_links(new.directory, 1).await?;
        }
        if let Err(errno) = self.enter(new.directory, &new.name.name, source.ino, source.kind).await {
            if gains {
                self.add_links(new.directory, -1).await?;
            }
            return Err(errno);
        }
        self.leave_old(source, old, new).await?;
        if gains {
            self.add_links(old.directory, -1).await?;
        }
        self.report_move(source, (old.named(), new.named()), None).await;
        Ok(())
    }

    async fn leave_old(
        &mut self,
        source: &InodeReference,
        old: &NamePlace<'_>,
        new: &NamePlace<'_>,
    ) -> Result<(), Errno> {
        self.remove(old.directory, &old.name.name).await?;
        // Sets the change time, as Linux does.
        self.add_links(source, 0).await?;
        if source.is_directory() && old.directory.ino != new.directory.ino {
            self.repoint(source, b"..", new.directory).await?;
        }
        Ok(())
    }

    async fn repoint(&mut self, directory: &InodeReference, name: &[u8], to: &InodeReference) -> Result<(), Errno> {
        self.revoke_name(directory, name).await;
        self.inode(directory.slot)?.call(Repoint { ino: to.ino, kind: to.kind, aware: 0 }, name).await?;
        self.learn(directory, name, to.ino, to.kind).await;
        Ok(())
    }

    async fn above(&mut self, ino: u32) -> Result<u32, Errno> {
        let node = self.begin_at(ino.into()).await?;
        let found = self.find(&node, b"..").await?;
        self.release(node).await;
        Ok(found.ino)
    }

    /// Whether directory `ino` is `below`, or above it.
    async fn is_above(&mut self, ino: u32, below: u32) -> Result<bool, Errno> {
        let mut at = below;
        for _ in 0..DEPTH_MAX {
            if at == ino || at == ROOT_INO {
                return Ok(at == ino);
            }
            at = self.above(at).await?;
        }
        Err(Errno::ELOOP)
    }

    /// Writes the absolute path of directory `at`, from its root if it lies below; its length.
    pub(crate) async fn absolute_path(&mut self, at: PathStart, out: &mut [u8]) -> Result<u32, Errno> {
        self.rest.clear();
        let PathStart { directory, root } = at;
        let node = self.begin_at(directory).await?; // which may be removed
        self.release(node).await;
        let root = match self.begin_at(root).await {
            Ok(node) => {
                self.release(node).await;
                root.ino
            }
            Err(_) => 0, // nothing lies below it, and no inode has this number
        };
        let mut at = directory.ino;
        for _ in 0..DEPTH_MAX {
            if at == root || at == ROOT_INO {
                let before = if at == root { &b""[..] } else { UNREACHABLE };
                let names = self.rest.left();
                let path = out.get_mut(..before.len() + 1 + names.len()).ok_or(Errno::ENAMETOOLONG)?;
                path[..before.len()].copy_from_slice(before);
                path[before.len()] = b'/';
                path[before.len() + 1..].copy_from_slice(names);
                return Ok(path.len() as u32);
            }
            let above = self.above(at).await?;
            let node = self.activate(above, KIND_DIRECTORY).await?;
            let bytes = self.inode(node.slot)?.call(NameOf { ino: at }, self.rest.room()).await?;
            self.rest.put_before(bytes as usize, false)?;
            self.release(node).await;
            at = above;
        }
        Err(Errno::ELOOP)
    }
}
