//! Opening: resolving, creating and checking, as Linux's `open(2)` does.

use crate::format::inode_record::{REGULAR, TYPE_MASK};
use crate::inode::active_inode::no_room;
use crate::lookup::path_walk::may_open;
use crate::lookup::pathname::Component;
use crate::names::worker_state::{COMMITS_MAX, InodeReference, LookupWorker, Parent};
use renga_proto::inode::{InodeFacts, Intent};
use renga_proto::path::{NO_FOLLOW, OPEN_CREATE, OPEN_DIRECTORY, OPEN_EXCLUSIVE, OPEN_TRUNCATE, OPEN_WRITE, Open};
use renga_rt::Errno;

/// Any permission to execute.
const EXECUTABLE: u16 = 0o111;

/// What a name came to when opened with `OPEN_CREATE`.
enum Created {
    Opened(InodeReference, bool),
    /// A link to follow, from there.
    Link(InodeReference),
}

impl LookupWorker {
    /// Opens; the reference is the operation's until it is handed over. Whether the file is still to be cut, by its
    /// inode's process.
    pub(crate) async fn open(&mut self, open: Open, path: &[u8]) -> Result<(InodeFacts, bool), Errno> {
        let (node, created) = self.open_with_room(open, path).await?;
        self.finish_open(&node, open.flags, created).await
    }

    /// What was opened, and whether it has been made: if need be after commits, which may make room for that.
    pub(crate) async fn open_with_room(&mut self, open: Open, path: &[u8]) -> Result<(InodeReference, bool), Errno> {
        let creates = open.flags & OPEN_CREATE != 0;
        self.owner = open.owner;
        if creates && open.flags & OPEN_DIRECTORY != 0 {
            return Err(Errno::EINVAL);
        }
        let mut opened = self.open_locked(creates, open, path).await;
        for _ in 0..COMMITS_MAX {
            if !matches!(opened, Err(Errno::EAGAIN)) {
                break;
            }
            self.release_all().await;
            self.commit().await;
            opened = self.open_locked(creates, open, path).await;
        }
        opened.map_err(no_room)
    }

    async fn open_locked(&mut self, creates: bool, open: Open, path: &[u8]) -> Result<(InodeReference, bool), Errno> {
        if !creates {
            return self.lookup(open.at, path, open.flags & NO_FOLLOW == 0).await.map(|node| (node, false));
        }
        self.lock(true).await;
        let opened = self.open_or_create(open, path).await;
        self.unlock().await;
        opened
    }

    /// Of what is open; and whether it is still to be cut.
    pub(crate) async fn finish_open(
        &mut self,
        node: &InodeReference,
        flags: u32,
        created: bool,
    ) -> Result<(InodeFacts, bool), Errno> {
        may_open(node.kind, flags)?;
        let facts = self.open_facts(node.slot).await?;
        // A program's file is cut by its opener, once no program can run it.
        let is_text = flags & OPEN_WRITE != 0 && facts.mode & EXECUTABLE != 0;
        let cuts = flags & OPEN_TRUNCATE != 0 && !created && !is_text;
        Ok((facts, cuts && facts.mode & TYPE_MASK == REGULAR))
    }

    async fn open_or_create(&mut self, open: Open, path: &[u8]) -> Result<(InodeReference, bool), Errno> {
        let mut parent = self.parent(open.at, path).await?;
        // Bounded by the links that may be followed.
        loop {
            match self.open_last(parent, open).await? {
                Created::Opened(node, created) => return Ok((node, created)),
                Created::Link(from) => parent = self.parent_from(from).await?,
            }
        }
    }

    async fn open_last(&mut self, parent: Parent, open: Open) -> Result<Created, Errno> {
        let Parent { node: directory, last } = parent;
        let exclusive = open.flags & OPEN_EXCLUSIVE != 0;
        let name = match last.filter(Component::is_name) {
            Some(last) if !last.slash => last.name,
            None if exclusive => return Err(Errno::EEXIST),
            _ => return Err(Errno::EISDIR),
        };
        let opened = match self.child(&directory, &name, Intent::Create).await {
            Ok(link) if link.is_link() && !exclusive && open.flags & NO_FOLLOW == 0 => {
                self.drop_prepared();
                return self.follow(directory, link, false).await.map(Created::Link);
            }
            Ok(_) if exclusive => return Err(Errno::EEXIST),
            Ok(node) => {
                self.grant_found(&directory, &name, &node).await;
                Created::Opened(node, false)
            }
            Err(Errno::ENOENT) => {
                let mode = REGULAR | open.mode & !TYPE_MASK;
                Created::Opened(self.create_named(&directory, &name, mode, 0).await?, true)
            }
            Err(errno) => return Err(errno),
        };
        self.release(directory).await;
        Ok(opened)
    }
}
