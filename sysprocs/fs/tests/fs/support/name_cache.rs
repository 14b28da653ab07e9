//! A name cache beside the file system: each `stat` of the tests goes to both, so that whatever they do to files,
//! cached entries must be current.

use super::{FsResult, ROOT, Stat, User, stat_of};
use renga_fs::{CachedInode, NameSlot, name_cache};
use renga_proto::inode::{KnownStatus, STAT_BYTES};
use renga_proto::names::{CacheSteps, NO_CACHE_GENERATION, Names, StatusHere};
use renga_proto::path;
use renga_proto::sessions::Sessions;
use renga_proto::steps::{self, STEPS_BYTES};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Errno};

/// Few, so that some make room for others.
const NAMES: usize = 24;
const INODES: usize = 12;
const REFERENCES: usize = 4;
/// Comparisons of which one has to come out.
const TRIES: usize = 4;

pub fn start(board: HostBoard) -> Address<Names> {
    start_in(board, board.arena.put(Sessions::new))
}

/// As `start`, of a board with these sessions.
pub fn start_in(board: HostBoard, sessions: &'static Sessions) -> Address<Names> {
    board.server(|me, port| {
        let (names, inodes) = (vec![NameSlot::EMPTY; NAMES].leak(), vec![CachedInode::EMPTY; INODES].leak());
        name_cache(me, port, names, inodes, REFERENCES, 0, 0, sessions)
    })
}

impl User {
    /// What the disk's board says.
    async fn status_there(&mut self, path: &str, flags: u32) -> FsResult<[u8; STAT_BYTES]> {
        let mut out = [0; STAT_BYTES];
        let known = KnownStatus { at: ROOT.into(), flags };
        match self.directory.call(known, (path.as_bytes(), &mut out[..])).await {
            Err(Errno::EAGAIN) => {
                self.path.call(path::StatusOf { at: ROOT.into(), flags }, (path.as_bytes(), &mut out[..])).await?;
            }
            known => known?,
        }
        Ok(out)
    }

    /// The status from the cache, filled first if need be.
    async fn status_here(&mut self, path: &str, flags: u32) -> FsResult<[u8; STAT_BYTES]> {
        let mut out = [0; STAT_BYTES];
        let here = StatusHere { at: ROOT.into(), flags };
        let cache_generation = self.names.call(here, (path.as_bytes(), &mut out[..])).await?;
        assert_ne!(cache_generation, NO_CACHE_GENERATION);
        if cache_generation == 0 {
            self.cache_hits.set(self.cache_hits.get() + 1);
            return Ok(out);
        }
        let mut steps = [0; STEPS_BYTES];
        let resolve = path::Resolve { at: ROOT.into(), flags, opens: false };
        let bytes = self.path.call(resolve, (path.as_bytes(), &mut steps[..])).await? as usize;
        let kept = self.names.call(CacheSteps { cache_generation }, &steps[..bytes]).await;
        assert!(matches!(kept, Ok(()) | Err(Errno::ESTALE)));
        Ok(steps::end(&steps[..bytes])?.2)
    }

    /// What the disk's board says, once.
    pub async fn stat_there(&mut self, path: &str, flags: u32) -> FsResult<Stat> {
        self.status_there(path, flags).await.map(|bytes| stat_of(&bytes))
    }

    pub async fn stat(&mut self, path: &str, flags: u32) -> FsResult<Stat> {
        // Others may change it meanwhile, and back.
        for _ in 0..TRIES {
            let before = self.status_there(path, flags).await;
            let (here, again) = (self.status_here(path, flags).await, self.status_here(path, flags).await);
            let there = self.status_there(path, flags).await;
            if (here, again) == (there, there) || before != there {
                return there.map(|bytes| stat_of(&bytes));
            }
        }
        panic!("{path} has a stale entry");
    }
}
