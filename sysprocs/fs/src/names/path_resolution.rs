//! Walking along a path, name by name, to an inode or to the directory of the last name.
//!
//! Invariants: a walk releases each inode that it has passed. Between a name being found and its inode being activated
//! the lock of names is owned, so the inode cannot be freed. Symbolic links and the errors are as Linux has them
//! (`fs/namei.c`).

use crate::format::inode_record::{KIND_DIRECTORY, kind_of};
use crate::format::superblock::ROOT_INO;
use crate::names::worker_state::{InodeReference, LookupWorker, Parent};
use renga_proto::inode::{
    ActivateDirectory, Facts, Intent, KnownName, KnownPath, LearnName, Named, PathReached, ReadLink,
};
use renga_proto::mounts::{ROOT, begins_at};
use renga_proto::pages::{ANY_GENERATION, FileId};
use renga_proto::path::{NO_FOLLOW, PathStart};
use renga_rt::Errno;

const LINKS_MAX: u32 = 40;

impl LookupWorker {
    /// That directory, which may be none any more.
    pub(crate) async fn begin_at(&mut self, directory: FileId) -> Result<InodeReference, Errno> {
        let slot = self.directory.call(ActivateDirectory { directory }, ()).await?;
        let FileId { ino, generation } = directory;
        let node = self.note(InodeReference { slot, ino, kind: KIND_DIRECTORY });
        if generation != ANY_GENERATION && ino != ROOT_INO {
            let learn = LearnName { directory: ino, ino: generation, kind: KIND_DIRECTORY };
            // This call cannot fail. Without the lock of names too: the inode is referenced, so that no other has its
            // number.
            let _ = self.directory.call(learn, &b"."[..]).await;
            if let Some(board) = self.grantee {
                self.grant_name(board, ino, b".", generation, KIND_DIRECTORY).await;
            }
        }
        Ok(node)
    }

    /// The directory where absolute paths start.
    async fn begin_at_root(&mut self) -> Result<InodeReference, Errno> {
        match self.root {
            ROOT => self.activate(ROOT_INO, KIND_DIRECTORY).await,
            root => self.begin_at(root).await,
        }
    }

    pub(crate) async fn child(
        &mut self,
        directory: &InodeReference,
        name: &[u8],
        intent: Intent,
    ) -> Result<InodeReference, Errno> {
        if !directory.is_directory() {
            return Err(Errno::ENOTDIR);
        }
        if begins_at(directory.ino, name) {
            return Err(Errno::ECROSSED);
        }
        if name == b".." && directory.ino == self.root.ino && self.root.ino != ROOT_INO {
            return self.begin_at_root().await;
        }
        let found = self.known_child(directory, name, intent).await;
        if let Some(board) = self.grantee {
            match &found {
                Ok(node) => self.grant_name(board, directory.ino, name, node.ino, node.kind).await,
                Err(Errno::ENOENT) => self.grant_name(board, directory.ino, name, 0, 0).await,
                Err(_) => {}
            }
        }
        found
    }

    async fn known_child(
        &mut self,
        directory: &InodeReference,
        name: &[u8],
        intent: Intent,
    ) -> Result<InodeReference, Errno> {
        match self.directory.call(KnownName { directory: directory.ino, intent }, name).await {
            Ok(Named { slot, ino, kind }) => return Ok(self.note(InodeReference { slot, ino, kind })),
            Err(Errno::EAGAIN) => {}
            Err(errno) => return Err(errno),
        }
        match self.unknown_child(directory, name).await {
            Ok(node) => {
                if intent != Intent::Change {
                    self.learn(directory, name, node.ino, node.kind).await;
                }
                Ok(node)
            }
            Err(Errno::ENOENT) => {
                if intent == Intent::LookUp {
                    self.learn(directory, name, 0, 0).await;
                }
                Err(Errno::ENOENT)
            }
            Err(errno) => Err(errno),
        }
    }

    async fn unknown_child(&mut self, directory: &InodeReference, name: &[u8]) -> Result<InodeReference, Errno> {
        let found = self.find(directory, name).await?;
        let mut node = self.activate(found.ino, found.kind).await?;
        if node.kind == 0 {
            node.kind = kind_of(self.inode(node.slot)?.call(Facts {}, ()).await?.mode);
        }
        Ok(node)
    }

    /// Begins a walk along `path`, which starts at `at`; up to its last name unless `whole`. Where the known names
    /// lead.
    async fn start(&mut self, at: PathStart, path: &[u8], whole: bool, follow: bool) -> Result<InodeReference, Errno> {
        (self.links_followed, self.root) = (0, at.root);
        self.rest.set(path)?;
        let flags = if follow { 0 } else { NO_FOLLOW };
        let known = match self.grantee {
            None if !at.is_confined() => self.directory.call(KnownPath { at: at.directory, whole, flags }, path).await,
            _ => Err(Errno::EAGAIN), // each step is to be notified, or its root is not what is known
        };
        match known {
            Ok(PathReached { slot, ino, kind, left }) => {
                self.rest.keep_last(left as usize);
                return Ok(self.note(InodeReference { slot, ino, kind }));
            }
            Err(Errno::EAGAIN) => {}
            Err(errno) => return Err(errno),
        }
        if self.rest.is_absolute() { self.begin_at_root().await } else { self.begin_at(at.directory).await }
    }

    /// Walks on from `node` to the directory of the last name.
    pub(crate) async fn parent_from(&mut self, mut node: InodeReference) -> Result<Parent, Errno> {
        // Bounded by the names in `rest`, which only a bounded number of links makes longer.
        loop {
            match self.rest.take()? {
                Some(component) if !component.last => node = self.descend(node, &component.name).await?,
                last => return Ok(Parent { node, last }),
            }
        }
    }

    async fn descend(&mut self, directory: InodeReference, name: &[u8]) -> Result<InodeReference, Errno> {
        if name == b"." {
            return Ok(directory);
        }
        let node = self.child(&directory, name, Intent::LookUp).await?;
        if node.is_link() {
            return self.follow(directory, node, false).await;
        }
        self.release(directory).await;
        if node.is_directory() { Ok(node) } else { Err(Errno::ENOTDIR) }
    }

    /// Puts a link's target before the rest; where to walk on from. `slash`: as if a slash followed.
    pub(crate) async fn follow(
        &mut self,
        directory: InodeReference,
        link: InodeReference,
        slash: bool,
    ) -> Result<InodeReference, Errno> {
        self.links_followed += 1;
        if self.links_followed > LINKS_MAX {
            return Err(Errno::ELOOP);
        }
        let bytes = self.inode(link.slot)?.call(ReadLink {}, self.rest.room()).await?;
        if self.grantee.is_some() {
            self.steps.put_target(link.ino, self.rest.room().get(..bytes as usize).unwrap_or(&[]));
        }
        self.rest.put_before(bytes as usize, slash)?;
        self.release(link).await;
        if !self.rest.is_absolute() {
            return Ok(directory);
        }
        self.release(directory).await;
        self.begin_at_root().await
    }

    /// The directory of the last name of `path`, and that name. A link there is not followed.
    pub(crate) async fn parent(&mut self, at: PathStart, path: &[u8]) -> Result<Parent, Errno> {
        // A board that does not know the directory learns the way, and so prepares for its next change there.
        self.grantee = self.maker.as_ref().filter(|maker| maker.prepared == 0).map(|maker| maker.board);
        let parent = match self.start(at, path, false, true).await {
            Ok(node) => self.parent_from(node).await,
            Err(errno) => Err(errno),
        };
        self.grantee = None;
        parent
    }

    /// As `resolve`, without the lock of names unless that is needed.
    pub(crate) async fn lookup(&mut self, at: PathStart, path: &[u8], follow: bool) -> Result<InodeReference, Errno> {
        let node = self.start(at, path, true, follow).await?;
        if self.rest.left().is_empty() {
            return Ok(node);
        }
        self.release(node).await;
        self.lock(false).await;
        let node = self.resolve(at, path, follow).await;
        self.unlock().await;
        node
    }

    /// What is left of `path` where another file system begins.
    pub(crate) async fn cross(
        &mut self,
        at: PathStart,
        path: &[u8],
        follow: bool,
        out: &mut [u8],
    ) -> Result<u32, Errno> {
        self.lock(false).await;
        let walked = self.resolve(at, path, follow).await;
        self.unlock().await;
        self.release_all().await;
        match walked {
            Ok(_) => Err(Errno::EAGAIN), // the path was changed meanwhile
            Err(Errno::ECROSSED) => {
                let left = self.rest.left(); // behind the name where that begins
                out.get_mut(..left.len()).ok_or(Errno::ENAMETOOLONG)?.copy_from_slice(left);
                Ok(left.len() as u32)
            }
            Err(errno) => Err(errno),
        }
    }

    pub(crate) async fn resolve(&mut self, at: PathStart, path: &[u8], follow: bool) -> Result<InodeReference, Errno> {
        let mut from = self.start(at, path, true, follow).await?;
        // Bounded by the links that may be followed.
        loop {
            let Parent { node: parent, last } = self.parent_from(from).await?;
            // All names were known.
            let Some(last) = last else { return Ok(parent) };
            if &last.name[..] == b"." {
                return Ok(parent);
            }
            let node = self.child(&parent, &last.name, Intent::LookUp).await?;
            if node.is_link() && (follow || last.slash) {
                from = self.follow(parent, node, last.slash).await?;
                continue;
            }
            self.release(parent).await;
            return if last.slash && !node.is_directory() { Err(Errno::ENOTDIR) } else { Ok(node) };
        }
    }
}
