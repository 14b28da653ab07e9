//! The status of what a path stands for: from this board's name cache, completed by its page cache, or from the disk's
//! board.
//!
//! Not here: the caches (`renga_fs`, `renga_pages`), system calls (`user/files/status.rs`).

use crate::user::servers::services::Services;
use crate::user::state::fields::half_at;
use renga_pages::complete_status;
use renga_proto::inode::{KnownStatus, STAT_BYTES};
use renga_proto::mounts::crosses;
use renga_proto::names::{LEASED, NO_CACHE_GENERATION, RevokeInode, StatusGrant, StatusHere, StatusOfInode};
use renga_proto::pages::{FileId, NO_LEASE};
use renga_proto::path::{PathStart, Resolve, StatusOf};
use renga_proto::stat::{INO_AT, MODE_AT, half};
use renga_proto::steps;
use renga_rt::{Errno, apart};

/// Fills a `struct stat` from this board's name cache, which a path lookup may fill first; `false` if neither knows it.
macro_rules! cached_status {
    ($services:ident, $at:expr, $path:expr, $flags:expr, $out:expr) => {
        match $services.names() {
            None => false,
            Some(mut names) => match names.call(StatusHere { at: $at, flags: $flags }, ($path, &mut *$out)).await? {
                0 => true,
                NO_CACHE_GENERATION => false,
                found => apart!($services.complete_found(($at, $flags), found, $path, $out))?,
            },
        }
    };
}

impl Services {
    /// Fills a `struct stat` of what `path` stands for.
    ///
    /// # Errors
    /// Linux's of `newfstatat`.
    pub async fn status_of(&mut self, status: StatusOf, path: &[u8], out: &mut [u8]) -> Result<(), Errno> {
        if crosses(status.at, path) {
            return Err(Errno::ECROSSED);
        }
        let StatusOf { at, flags } = status;
        if at.is_confined() {
            return self.path_lookup()?.call(status, (path, out)).await;
        }
        let at = at.directory;
        if cached_status!(self, at, path, flags, out) {
            return Ok(());
        }
        let known = KnownStatus { at, flags };
        match self.inode_directory()?.call(known, (path, &mut *out)).await {
            Err(Errno::EAGAIN) => self.path_lookup()?.call(status, (path, out)).await,
            known => known,
        }
    }

    /// The mode of what `path` stands for, as far as this board's name cache knows it without a call that crosses:
    /// `ENOENT` if it knows that nothing is there.
    pub async fn mode_here(&mut self, at: PathStart, path: &[u8], flags: u32) -> Option<Result<u16, Errno>> {
        let mut names = self.names().filter(|_| !at.is_confined())?;
        let (entry, mut status) = (StatusHere { at: at.directory, flags }, [0; STAT_BYTES]);
        match names.call(entry, (path, &mut status[..])).await {
            Ok(0 | LEASED) => Some(Ok(half_at(&status, MODE_AT))),
            Ok(_) => None,
            Err(errno) => Some(Err(errno)),
        }
    }

    /// The same on a board without the disk, which a path lookup fills; `None` where the caller has to make its own
    /// call by a path lookup.
    ///
    /// # Errors
    /// Of a path that leads to nothing, or when the disk's board is down.
    pub async fn mode_of(&mut self, at: PathStart, path: &[u8], flags: u32) -> Result<Option<u16>, Errno> {
        if at.is_confined() {
            return Ok(None);
        }
        let mut status = [0; STAT_BYTES];
        let known = cached_status!(self, at.directory, path, flags, &mut status[..]);
        Ok(known.then(|| half_at(&status, MODE_AT)))
    }

    /// The status that the name cache has found or, if that was granted under a lease which is over, does not know, in
    /// which case a path lookup fills it; whether it is complete now.
    async fn complete_found(
        &mut self,
        (at, flags): (FileId, u32),
        mut found: u64,
        path: &[u8],
        out: &mut [u8],
    ) -> Result<bool, Errno> {
        if found == LEASED {
            let (mut names, ino) = (self.names().ok_or(Errno::EIO)?, half(out, INO_AT));
            // It may have changed meanwhile.
            if let Ok(StatusGrant { generation, lease }) =
                names.call(StatusOfInode { file: FileId::whichever(ino) }, &mut *out).await
                && complete_status(&mut self.clients.pages, FileId { ino, generation }, lease, out).await?
            {
                return Ok(true);
            }
            names.call(RevokeInode { ino }, ()).await?;
            found = names.call(StatusHere { at, flags }, (path, &mut *out)).await?;
        }
        if matches!(found, 0 | LEASED | NO_CACHE_GENERATION) {
            return Ok(false);
        }
        let steps = self.resolve_steps(Resolve { at, flags, opens: false }, found, path).await?;
        let (facts, _, status) = steps::end(steps)?;
        let lease = steps::lease(steps).map_or(NO_LEASE, |lease| lease.id);
        out.get_mut(..STAT_BYTES).ok_or(Errno::EINVAL)?.copy_from_slice(&status);
        let file = FileId { ino: facts.ino, generation: facts.birth.generation };
        complete_status(&mut self.clients.pages, file, lease, out).await
    }
}
