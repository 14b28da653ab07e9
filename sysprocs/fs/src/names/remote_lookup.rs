//! Path operations for a board without the disk: what a path leads to, and creating a file that the board opens and
//! writes.
//!
//! Invariant: a reported step is true while the lock of names is owned, and the board is noted before the lock is
//! released. A change of a name revokes it first, under the exclusive lock. Of the directory that a board is
//! *prepared* for it caches nothing that changes, so that it needs no revocation. Not here: the notes
//! (`lookup/name_holders.rs`, `leases`), creating (`name_change.rs`, `open.rs`), the boards' caches (`lease_cache`).

use crate::lookup::path_walk::may_open;
use crate::names::worker_state::{InodeReference, LookupWorker, Maker, locked};
use renga_proto::inode::{GiveUp, GrantedFacts, InodeFacts, Lease, LeaseStatus, NO_SLOT, STAT_BYTES, Status};
use renga_proto::pages::NO_LEASE;
use renga_proto::path::{Make, NO_FOLLOW, OPEN_EXECUTE, OPEN_WRITE, Open, Remove, Resolve};
use renga_proto::sessions::ReferenceOrigin;
use renga_rt::Errno;

impl LookupWorker {
    /// Walks along `path`, and writes the steps to `out`; how many bytes.
    pub(crate) async fn resolve_steps(
        &mut self,
        resolve: Resolve,
        board: u8,
        path: &[u8],
        out: &mut [u8],
    ) -> Result<u32, Errno> {
        self.steps.clear();
        self.lock(false).await;
        self.grantee = Some(board);
        let found = self.resolve(resolve.at.into(), path, resolve.flags & NO_FOLLOW == 0).await;
        self.grantee = None;
        let mut status = [0; STAT_BYTES];
        let leased = match found {
            Ok(node) => self.lease_end(&node, &resolve, board, &mut status).await.map(|leased| (node, leased)),
            Err(errno) => Err(errno),
        };
        let passed = match &leased {
            Ok((node, _)) if resolve.opens => self.hand_over(node.slot, board).await,
            _ => Ok(0),
        };
        self.unlock().await;
        let ended = match leased.and_then(|leased| passed.map(|session| (leased, session))) {
            Ok(((node, leased), session)) => self.put_end(node, leased, (&resolve, session), &mut status).await,
            Err(errno) => Err(errno),
        };
        self.release_all().await;
        passed?;
        if let Err(errno) = ended {
            self.steps.refuse(errno);
        }
        self.put_steps(out)
    }

    /// Under the lock of names: what the inode says at once.
    async fn lease_end(
        &mut self,
        node: &InodeReference,
        resolve: &Resolve,
        board: u8,
        status: &mut [u8],
    ) -> Result<GrantedFacts, Errno> {
        if resolve.opens {
            may_open(node.kind, resolve.flags)?;
        }
        self.inode(node.slot)?.call(LeaseStatus { board }, status).await
    }

    /// Without the lock, as an inode that is leased may have to ask its board, and wait for it.
    async fn put_end(
        &mut self,
        node: InodeReference,
        leased: GrantedFacts,
        (&Resolve { flags, opens, .. }, session): (&Resolve, u32),
        status: &mut [u8; STAT_BYTES],
    ) -> Result<(), Errno> {
        let GrantedFacts { mut mode, birth, known, cacheable, lease } = leased;
        let (slot, ino) = (node.slot, node.ino);
        let executes = flags & OPEN_EXECUTE != 0;
        if opens && (!known || executes && lease != NO_LEASE) {
            // The reference is the caller's already.
            mode = self.open_facts(slot).await.map_or(mode, |facts| facts.mode);
        } else if !known {
            self.inode(slot)?.call(Status {}, (&[][..], &mut status[..])).await?;
        }
        if lease != NO_LEASE {
            self.steps.put_lease(Lease { id: lease, ..Lease::NONE });
        }
        let origin = ReferenceOrigin { session, kept: false };
        self.steps.end_at(&InodeFacts { slot, ino, mode, birth, origin }, cacheable, status);
        Ok(())
    }

    /// Makes what is to be made, and writes the steps to `out`; how many bytes.
    pub(crate) async fn make(&mut self, make: Make, board: u8, path: &[u8], out: &mut [u8]) -> Result<u32, Errno> {
        let Make { at, flags, mode, directory, prepared, owner } = make;
        self.owner = owner;
        let (opens, leases) = (!directory, !directory && flags & OPEN_WRITE != 0);
        self.maker = Some(Maker { board, prepared, removed: 0, leases, opens, granted: Ok(()) });
        self.steps.clear();
        let made = if directory {
            locked!(self, true, self.make_directory(at.into(), path, mode))
        } else {
            self.make_file(Open { at: at.into(), flags, mode, owner }, board, path).await
        };
        self.release_all().await;
        let granted = self.maker.take().map_or(Ok(()), |maker| maker.granted);
        match made.and(granted) {
            Err(Errno::EAGAIN) => self.steps.refuse(Errno::EAGAIN),
            done => done?,
        }
        self.put_steps(out)
    }

    async fn make_file(&mut self, open: Open, board: u8, path: &[u8]) -> Result<(), Errno> {
        let (node, created) = self.open_with_room(open, path).await?;
        if created {
            return Ok(());
        }
        let (facts, cuts) = self.finish_open(&node, open.flags, false).await?;
        if cuts {
            return Err(Errno::EAGAIN);
        }
        let session = self.hand_over(node.slot, board).await?;
        let facts = InodeFacts { origin: ReferenceOrigin { session, kept: false }, ..facts };
        self.steps.end_at(&facts, false, &[0; STAT_BYTES]);
        Ok(())
    }

    /// Removes a name for a board that has given up what it cached of it, and its reference; as `make`.
    pub(crate) async fn remove_for(
        &mut self,
        remove: Remove,
        board: u8,
        path: &[u8],
        out: &mut [u8],
    ) -> Result<u32, Errno> {
        let Remove { at, directory, prepared, ino, slot, session } = remove;
        if slot != NO_SLOT {
            // Refused if the inode's process has another inode by now: then the session is over.
            let _ = self.directory.call(GiveUp { slot, ino, board, session }, ()).await;
        }
        self.maker = Some(Maker { board, prepared, removed: ino, leases: false, opens: false, granted: Ok(()) });
        self.steps.clear();
        let removed = locked!(self, true, self.unlink((at.into(), 0), path, directory));
        self.maker = None;
        removed.and_then(|()| self.put_steps(out))
    }

    fn put_steps(&self, out: &mut [u8]) -> Result<u32, Errno> {
        let steps = self.steps.bytes();
        out.get_mut(..steps.len()).ok_or(Errno::EINVAL)?.copy_from_slice(steps);
        Ok(steps.len() as u32)
    }
}
