//! Making and removing names on a board without the disk: in one call, whose answer says what is so then.
//!
//! Invariant: a make that has begun at the name cache is ended there, however it went. A reference that came is kept
//! there, or the caller's. Not here: who makes (`renga_fs`).

use crate::user::servers::services::Services;
use renga_proto::inode::{InodeFacts, Lease};
use renga_proto::names::{BeginCreation, BeginRemoval, CreationBegun, EndCreation, NO_CACHE_GENERATION, RemovalBegun};
use renga_proto::pages::{AcceptLease, BeginFill, FileId, FlushLease, LeasedPages};
use renga_proto::path::{Make, MakeDirectory, Open, PathStart, Remove, Unlink};
use renga_proto::steps;
use renga_rt::Errno;

impl Services {
    /// Makes a directory, or opens what is made if it is missing.
    ///
    /// # Errors
    /// Linux's. `EAGAIN`: it is not made in this way.
    pub(crate) async fn make(&mut self, open: Open, directory: bool, path: &[u8]) -> Result<InodeFacts, Errno> {
        let Open { at: start, flags, mode, owner } = open;
        let Some(mut names) = self.names().filter(|_| !start.is_confined()) else { return Err(Errno::EAGAIN) };
        let at = start.directory;
        // The reply is of this session, and a revocation from now on ends the lease.
        let (origin, lease_generation) =
            (self.facts.sessions.origin(self.file_board), self.clients.pages.call(BeginFill::FOR_LEASE, ()).await?);
        let mut path_lookup = self.path_lookup()?;
        let begun = names.call(BeginCreation { at }, path).await;
        let CreationBegun { cache_generation, directory: prepared } = match begun {
            Err(Errno::EEXIST) if !directory => CreationBegun::NONE, // a path_lookup says what comes of that
            begun => begun?,
        };
        if cache_generation == NO_CACHE_GENERATION {
            return Err(Errno::EAGAIN);
        }
        let make = Make { at, flags, mode, directory, prepared, owner };
        let made = path_lookup.call(make, (path, &mut self.steps[..])).await;
        let replied = made.map(|bytes| self.steps.get(..bytes as usize).unwrap_or(&[]));
        // A page revoked meanwhile is not cached.
        let _ = names.call(EndCreation { cache_generation }, replied.unwrap_or(&[])).await;
        let (found, cacheable, _) = steps::end(replied?)?;
        let (facts, lease) = (InodeFacts { origin, ..found }, steps::lease(replied?));
        if let Some(lease) = lease {
            self.accept_lease(&facts, lease, lease_generation).await;
        }
        // Without a lease the reference is no use to a later open.
        if !directory && (cacheable || lease.is_some()) {
            self.keep_reference(cache_generation, facts, found.origin.session).await
        } else {
            Ok(facts)
        }
    }

    /// Removes a name, of which this board's cache gives up before what the removal changes.
    ///
    /// # Errors
    /// Linux's of `unlinkat`.
    pub(crate) async fn remove(&mut self, start: PathStart, directory: bool, path: &[u8]) -> Result<(), Errno> {
        let mut path_lookup = self.path_lookup()?;
        let Some(mut names) = self.names().filter(|_| !start.is_confined()) else {
            return path_lookup.call(Unlink { at: start, directory, expected: 0 }, path).await;
        };
        let at = start.directory;
        let RemovalBegun { cache_generation, directory: prepared, ino, slot, session } =
            names.call(BeginRemoval { at }, path).await?;
        if cache_generation == NO_CACHE_GENERATION {
            return path_lookup.call(Unlink { at: start, directory, expected: 0 }, path).await;
        }
        let remove = Remove { at, directory, prepared, ino, slot, session };
        let removed = path_lookup.call(remove, (path, &mut self.steps[..])).await;
        let replied = removed.map_or(&[][..], |bytes| self.steps.get(..bytes as usize).unwrap_or(&[]));
        // What was revoked meanwhile is not cached.
        let _ = names.call(EndCreation { cache_generation }, replied).await;
        if let Some(file) = steps::gone(replied) {
            // It cannot fail.
            let _ = self.clients.pages.call(FlushLease { file, ..FlushLease::GONE }, &mut [][..]).await;
        }
        removed.map(|_| ())
    }

    /// Makes a directory, on the disk board or by the name cache.
    ///
    /// # Errors
    /// Linux's of `mkdirat`.
    pub(crate) async fn make_directory(&mut self, make: MakeDirectory, path: &[u8]) -> Result<(), Errno> {
        let MakeDirectory { at, mode, owner } = make;
        match self.make(Open { at, flags: 0, mode, owner }, true, path).await {
            Err(Errno::EAGAIN) => self.path_lookup()?.call(make, path).await,
            made => made.map(|_| ()),
        }
    }

    /// This board has the write lease.
    async fn accept_lease(&mut self, facts: &InodeFacts, lease: Lease, cache_generation: u64) {
        let InodeFacts { slot, ino, birth, .. } = *facts;
        let Lease { size, below, id: lease, now_ns } = lease;
        let (file, pages) = (FileId { ino, generation: birth.generation }, LeasedPages { slot, below });
        // If it was revoked already, the next write requests it again.
        let _ = self.clients.pages.call(AcceptLease { file, pages, cache_generation, size, lease, now_ns }, ()).await;
    }
}
