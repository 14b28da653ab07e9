//! Making and removing names: files, nodes, directories, links.
//!
//! Invariant: the exclusive lock of names is owned throughout. A name is entered last and removed first, so that
//! every named inode is whole. A changing name has no cache entry from its lookup here (`Intent`) until the change is
//! complete, and no other board caches it then. A removed name is known as such before its inode may be freed.

use crate::format::inode_record::{DIRECTORY, KIND_DIRECTORY, SYMBOLIC_LINK, TYPE_MASK, kind_of};
use crate::lookup::pathname::{Component, FileName};
use crate::names::worker_state::{InodeReference, LookupWorker, Parent};
use renga_proto::allocator::{FreeInode, TakeInode};
use renga_proto::inode::{
    CachedOf, Create, CreatedInode, Enter, Intent, LinkCount, Repoint, STAT_BYTES, SetAccess, SetLink, Status, Unlinked,
};
use renga_proto::notices::{CREATED, DELETED};
use renga_proto::pages::FileId;
use renga_proto::path::PathStart;
use renga_proto::stat::{OWNER_AT, half};
use renga_rt::{Errno, apart};

/// In a directory that gives its group.
const SET_GROUP: u16 = 0o2000;

impl LookupWorker {
    async fn create(&mut self, parent: &InodeReference, mode: u16, device: u32) -> Result<InodeReference, Errno> {
        let directory = mode & TYPE_MASK == DIRECTORY;
        let ino = self.allocator.call(TakeInode { parent: parent.ino, directory }, ()).await?;
        let create = Create { ino, mode, device, owner: self.owner, parent: parent.slot };
        match self.directory.call(create, ()).await {
            Ok(CreatedInode { slot, takes_group }) => {
                let node = self.note(InodeReference { slot, ino, kind: kind_of(mode) });
                if takes_group && let Err(errno) = apart!(self.take_group(parent, &node, mode)) {
                    let _ = self.set_unlinked(&node, 0).await;
                    return Err(errno);
                }
                Ok(node)
            }
            Err(errno) => {
                self.allocator.call(FreeInode { ino, directory }, ()).await?;
                Err(errno)
            }
        }
    }

    /// What is made in a directory that gives its group gets it; a directory goes on doing so.
    async fn take_group(&mut self, parent: &InodeReference, node: &InodeReference, mode: u16) -> Result<(), Errno> {
        let mut status = [0; STAT_BYTES];
        self.inode(parent.slot)?.call(Status {}, (&[][..], &mut status[..])).await?;
        let gid = half(&status, OWNER_AT + 4);
        self.inode(node.slot)?.call(SetAccess::owner(u32::MAX, gid), ()).await?;
        // Another owner would take bits away.
        let mode = if node.is_directory() { mode | SET_GROUP } else { mode };
        self.inode(node.slot)?.call(SetAccess::mode(mode), ()).await
    }

    pub(crate) async fn enter(
        &mut self,
        directory: &InodeReference,
        name: &[u8],
        ino: u32,
        kind: u8,
    ) -> Result<(), Errno> {
        self.revoke_name(directory, name).await;
        let aware = self.prepared_boards(directory);
        self.inode(directory.slot)?.call(Enter { ino, kind, aware }, name).await?;
        self.learn(directory, name, ino, kind).await;
        Ok(())
    }

    pub(crate) async fn remove(&mut self, directory: &InodeReference, name: &[u8]) -> Result<u32, Errno> {
        self.revoke_name(directory, name).await;
        let aware = self.prepared_boards(directory);
        let ino = self.inode(directory.slot)?.call(Repoint { ino: 0, kind: 0, aware }, name).await?;
        self.learn(directory, name, 0, 0).await;
        Ok(ino)
    }

    /// Takes `links` names off a node; without names and references it is freed.
    pub(crate) async fn drop_links(&mut self, node: &InodeReference, links: i32) -> Result<(), Errno> {
        let LinkCount { links, generation } = self.add_links(node, -links).await?;
        let aware = if self.steps.has_room_for(b"") { self.notified_board() } else { 0 };
        if links == 0 && self.set_unlinked(node, aware).await? && aware != 0 {
            self.steps.put_gone(FileId { ino: node.ino, generation });
        }
        Ok(())
    }

    /// Whether only the operation refers to it: then `aware` boards drop its data.
    async fn set_unlinked(&mut self, node: &InodeReference, aware: u8) -> Result<bool, Errno> {
        let unlinked = Unlinked { slot: node.slot, aware };
        let CachedOf { names, references, sole } = self.directory.call(unlinked, ()).await?;
        let others = !self.prepared_boards(node);
        self.revoke_names(names & others, node).await;
        self.revoke_references(references & others, node).await;
        Ok(sole)
    }

    /// Enters a fresh inode as `name`; it counts one link.
    async fn name_it(&mut self, directory: &InodeReference, name: &[u8], node: &InodeReference) -> Result<(), Errno> {
        self.add_links(node, 1).await?;
        let entered = self.enter(directory, name, node.ino, node.kind).await;
        if entered.is_err() {
            self.add_links(node, -1).await?;
        }
        entered
    }

    pub(crate) async fn create_named(
        &mut self,
        directory: &InodeReference,
        name: &[u8],
        mode: u16,
        device: u32,
    ) -> Result<InodeReference, Errno> {
        let node = self.create(directory, mode, device).await?;
        self.name_fresh(directory, name, &node).await?;
        self.grant_created(directory, name, &node).await;
        Ok(node)
    }

    /// Names a fresh inode, which is freed if it gets no name.
    async fn name_fresh(
        &mut self,
        directory: &InodeReference,
        name: &[u8],
        node: &InodeReference,
    ) -> Result<(), Errno> {
        let named = self.name_it(directory, name, node).await;
        match named {
            Ok(()) => self.report_name((directory, name), node, (CREATED, 0)).await,
            Err(_) => drop(self.set_unlinked(node, 0).await),
        }
        named
    }

    /// The directory and name of something that is to be made at `path`. `slash`: slashes behind
    /// the name are allowed.
    async fn place_for(
        &mut self,
        at: PathStart,
        path: &[u8],
        slash: bool,
    ) -> Result<(InodeReference, FileName), Errno> {
        let Parent { node, last } = self.parent(at, path).await?;
        let last = last.filter(Component::is_name).ok_or(Errno::EEXIST)?;
        match self.child(&node, &last.name, Intent::Create).await {
            Ok(_) => Err(Errno::EEXIST),
            Err(Errno::ENOENT) if slash || !last.slash => Ok((node, last.name)),
            Err(errno) => Err(errno),
        }
    }

    pub(crate) async fn make_node(&mut self, at: PathStart, path: &[u8], mode: u16, device: u32) -> Result<(), Errno> {
        let (parent, name) = self.place_for(at, path, false).await?;
        match mode & TYPE_MASK {
            DIRECTORY | SYMBOLIC_LINK => Err(Errno::EPERM),
            _ if kind_of(mode) == 0 => Err(Errno::EINVAL), // there is no such type
            _ => self.create_named(&parent, &name, mode, device).await.map(|_| ()),
        }
    }

    pub(crate) async fn make_directory(&mut self, at: PathStart, path: &[u8], mode: u16) -> Result<(), Errno> {
        let (parent, name) = self.place_for(at, path, true).await?;
        let node = self.create(&parent, DIRECTORY | mode & !TYPE_MASK, 0).await?;
        self.add_links(&node, 2).await?;
        let filled = self.fill_directory(&parent, &name, &node).await;
        match filled {
            Ok(()) => {
                self.report_name((&parent, &name), &node, (CREATED, 0)).await;
                self.grant_created(&parent, &name, &node).await;
            }
            Err(_) => {
                self.add_links(&node, -2).await?;
                let _ = self.set_unlinked(&node, 0).await;
            }
        }
        filled
    }

    async fn fill_directory(
        &mut self,
        parent: &InodeReference,
        name: &[u8],
        node: &InodeReference,
    ) -> Result<(), Errno> {
        self.enter(node, b".", node.ino, KIND_DIRECTORY).await?;
        self.enter(node, b"..", parent.ino, KIND_DIRECTORY).await?;
        self.enter(parent, name, node.ino, KIND_DIRECTORY).await?;
        if let Err(errno) = self.add_links(parent, 1).await {
            self.remove(parent, name).await?;
            return Err(errno);
        }
        Ok(())
    }

    pub(crate) async fn make_link(&mut self, at: PathStart, target: &[u8], path: &[u8]) -> Result<(), Errno> {
        if target.is_empty() {
            return Err(Errno::ENOENT);
        }
        let (parent, name) = self.place_for(at, path, false).await?;
        let node = self.create(&parent, SYMBOLIC_LINK | 0o777, 0).await?;
        let set = self.inode(node.slot)?.call(SetLink {}, target).await;
        if set.is_err() {
            let _ = self.set_unlinked(&node, 0).await;
            return set;
        }
        self.name_fresh(&parent, &name, &node).await
    }

    pub(crate) async fn link(
        &mut self,
        from: (PathStart, &[u8]),
        to: (PathStart, &[u8]),
        follow: bool,
    ) -> Result<(), Errno> {
        let node = self.resolve(from.0, from.1, follow).await?;
        let (parent, name) = self.place_for(to.0, to.1, false).await?;
        if node.is_directory() {
            return Err(Errno::EPERM);
        }
        self.name_it(&parent, &name, &node).await?;
        self.report_links(&node).await;
        self.report_name((&parent, &name), &node, (CREATED, 0)).await;
        Ok(())
    }

    /// Removes a name of inode `expected` (0: of any).
    pub(crate) async fn unlink(
        &mut self,
        (at, expected): (PathStart, u32),
        path: &[u8],
        directory: bool,
    ) -> Result<(), Errno> {
        let Parent { node: parent, last } = self.parent(at, path).await?;
        let last = match last {
            Some(last) if last.is_name() => last,
            _ if !directory => return Err(Errno::EISDIR),
            None => return Err(Errno::EBUSY),
            Some(last) => return Err(if &last.name[..] == b"." { Errno::EINVAL } else { Errno::ENOTEMPTY }),
        };
        let node = self.child(&parent, &last.name, Intent::Change).await?;
        if expected != 0 && expected != node.ino {
            return Err(Errno::ESTALE);
        }
        match (directory, node.is_directory()) {
            (false, true) => return Err(Errno::EISDIR),
            (false, false) if last.slash => return Err(Errno::ENOTDIR),
            (true, false) => return Err(Errno::ENOTDIR),
            (true, true) if !self.is_empty(&node).await? => return Err(Errno::ENOTEMPTY),
            _ => {}
        }
        self.remove(&parent, &last.name).await?;
        self.drop_links(&node, if directory { 2 } else { 1 }).await?;
        if directory {
            self.add_links(&parent, -1).await?;
        } else {
            self.report_links(&node).await;
        }
        self.report_name((&parent, &last.name), &node, (DELETED, 0)).await;
        self.grant_removed(&parent, &last.name).await;
        Ok(())
    }
}
