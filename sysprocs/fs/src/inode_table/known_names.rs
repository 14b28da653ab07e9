//! Lookups of paths and names in the directory of inodes.
//!
//! Invariant: a path is walked and its inode found in one step, in which no name changes; a call that is passed on is
//! with the inode's process before the inode reclaimer can be.
//! Not here: what is known (`name_cache.rs`), how a path is walked (`path_walk.rs`), what is not known (`names`).

use crate::format::superblock::ROOT_INO;
use crate::inode_table::directory_state::InodeDirectoryState;
use crate::lookup::name_cache::Dentry;
use crate::lookup::path_walk;
use crate::lookup::path_walk::Until;
use renga_proto::inode::{
    Intent, KnownName, KnownOpen, KnownPath, KnownStatus, LearnName, Named, OpenKnown, PathReached, Status,
};
use renga_proto::pages::FileId;
use renga_rt::{Call, Errno, reply};

impl InodeDirectoryState {
    /// Where the whole of `path` leads.
    fn known_end<'a>(&mut self, at: FileId, path: &'a [u8], flags: u32) -> Result<path_walk::WalkEnd<'a>, Errno> {
        let reached = self.walk(at, path, Until::End { flags })?;
        if reached.rest.is_empty() { Ok(reached) } else { Err(Errno::EAGAIN) }
    }

    /// As `path_walk::walk`; `EAGAIN` if that stays where it begins, and the number is not a known directory: a
    /// caller may send any number.
    fn walk<'a>(&mut self, at: FileId, path: &'a [u8], until: Until) -> Result<path_walk::WalkEnd<'a>, Errno> {
        let reached = path_walk::walk(&mut self.names, at, path, until)?;
        let begins = reached.ino != ROOT_INO && reached.ino == at.ino;
        if begins && !self.table.is_directory(at) { Err(Errno::EAGAIN) } else { Ok(reached) }
    }

    pub(super) async fn known_status(&mut self, mut call: Call<KnownStatus>) {
        let (KnownStatus { at, flags }, board) = (call.entry(), call.board());
        let slot = match self.known_end(at, call.lent().0, flags) {
            Ok(end) => self.slot_of(end.ino, board).await,
            Err(errno) => Err(errno),
        };
        match slot.map(|slot| self.passed_on.at(self.board, slot.into())) {
            Ok(Some(inode)) => call.forward(&inode, Status {}),
            Ok(None) => call.reply(Err(Errno::EIO)),
            Err(errno) => call.reply(Err(errno)),
        }
        self.give_work();
    }

    pub(super) async fn known_open(&mut self, mut call: Call<KnownOpen>) {
        let (KnownOpen { at, flags }, board) = (call.entry(), call.board());
        let slot = match self.known_end(at, call.lent(), flags) {
            Ok(end) => match path_walk::may_open(end.kind, flags) {
                Ok(()) => {
                    let watched = self.watched;
                    self.refer(end.ino, board).await.inspect(|&slot| watched.found_in(slot, end.directory))
                }
                Err(errno) => Err(errno),
            },
            Err(errno) => Err(errno),
        };
        match slot.map(|slot| self.passed_on.at(self.board, slot.into())) {
            Ok(Some(inode)) => call.forward(&inode, OpenKnown {}),
            Ok(None) => call.reply(Err(Errno::EIO)),
            Err(errno) => call.reply(Err(errno)),
        }
    }

    pub(super) async fn known_path(&mut self, mut call: Call<KnownPath>) {
        let (entry, board) = (call.entry(), call.board());
        reply!(call, self.reach(entry, call.lent(), board).await);
    }

    async fn reach(&mut self, entry: KnownPath, path: &[u8], board: u8) -> Result<PathReached, Errno> {
        let KnownPath { at, whole, flags } = entry;
        let until = if whole { Until::End { flags } } else { Until::LastName };
        let reached = self.walk(at, path, until)?;
        let slot = self.refer(reached.ino, board).await?;
        Ok(PathReached { slot, ino: reached.ino, kind: reached.kind, left: reached.rest.len() as u32 })
    }

    pub(super) async fn known_name(&mut self, mut call: Call<KnownName>) {
        let (entry, board) = (call.entry(), call.board());
        reply!(call, self.find_name(entry, call.lent(), board).await);
    }

    async fn find_name(&mut self, entry: KnownName, name: &[u8], board: u8) -> Result<Named, Errno> {
        let KnownName { directory, intent } = entry;
        let known = self.names.find(directory, name);
        let forgotten = match intent {
            Intent::LookUp => false,
            Intent::Create => known == Some(Dentry::Negative),
            Intent::Change => known.is_some(),
        };
        if forgotten {
            self.names.forget(directory, name);
        }
        match known {
            None => Err(Errno::EAGAIN),
            Some(Dentry::Negative) => Err(Errno::ENOENT),
            Some(Dentry::Positive { ino, kind }) => {
                let directory = if name == b".." { 0 } else { directory };
                let slot = self.refer(ino, board).await?;
                self.watched.found_in(slot, directory);
                Ok(Named { slot, ino, kind })
            }
        }
    }

    pub(super) fn learn(&mut self, entry: LearnName, name: &[u8]) {
        let LearnName { directory, ino, kind } = entry;
        // What has no links any more has no names, and its number will be another's.
        if self.table.is_named(directory) {
            let known = if ino == 0 { Dentry::Negative } else { Dentry::Positive { ino, kind } };
            self.names.learn(directory, name, known);
            // The watches of the directory report it from now on.
            if name != b".."
                && let Some(slot) = self.table.find(ino)
            {
                self.watched.set_parent(slot, directory);
            }
        }
    }

    /// The process of inode `ino`, which is made one if it is none, referred to. `EAGAIN`: that must wait.
    async fn refer(&mut self, ino: u32, board: u8) -> Result<u16, Errno> {
        self.activate(ino, board).await?.ok_or(Errno::EAGAIN)
    }

    /// As `refer`, without a reference that lasts.
    async fn slot_of(&mut self, ino: u32, board: u8) -> Result<u16, Errno> {
        if let Some(slot) = self.table.touch(ino) {
            return Ok(slot);
        }
        let slot = self.refer(ino, board).await?;
        self.table.release(slot, ino, board)?;
        Ok(slot)
    }
}
