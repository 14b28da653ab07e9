//! Which bytes of which files are locked, and by whom: the rules, without calls.
//!
//! Invariant: locks of one owner on one file do not overlap, and those of the same kind do not touch; of two owners
//! only shared ones overlap, but for those of flock(2), which are apart from the others. A place is free or in the
//! chain of its inode's bucket. Not here: who waits (`server.rs`).

use renga_proto::locks::{Conflict, LockRequest, Locking, Owner};
use renga_rt::linked_list::{self, RowNumber};
use renga_rt::{BoardReferences, Errno};

const BUCKETS: usize = 256;

/// Room for a lock. Boot provides it.
#[derive(Clone, Copy, Debug)]
pub struct LockPlace {
    lock: LockRequest,
    /// The next of its chain, or the next free one.
    next: u16,
}
impl LockPlace {
    /// No lock.
    pub const FREE: LockPlace = LockPlace {
        lock: LockRequest { owner: Owner::process(0), ino: 0, first: 0, last: 0, locking: Locking::Unlock },
        next: u16::NONE,
    };
}

/// The locks.
pub struct LockTable {
    places: &'static mut [LockPlace],
    heads: [u16; BUCKETS],
    first_free: u16,
    free: usize,
    init_board: u8,
    by_board: BoardReferences,
}

fn bucket(ino: u32) -> usize {
    ino as usize % BUCKETS
}

impl LockTable {
    /// No locks; for as many as there are `places`. Init runs on `init_board`.
    pub fn new(places: &'static mut [LockPlace], init_board: u8) -> LockTable {
        let count = places.len().min(usize::from(u16::NONE));
        for (number, place) in places[..count].iter_mut().enumerate() {
            place.next = if number + 1 < count { number as u16 + 1 } else { u16::NONE };
        }
        let first_free = if count > 0 { 0 } else { u16::NONE };
        LockTable {
            places,
            heads: [u16::NONE; BUCKETS],
            first_free,
            free: count,
            init_board,
            by_board: BoardReferences::NONE,
        }
    }

    /// The boards whose processes or open files have locks, a bit each.
    pub fn boards(&self) -> u8 {
        self.by_board.boards()
    }

    /// The locks of the bucket of `ino`, with their places and those before them.
    fn chain(&self, ino: u32) -> impl Iterator<Item = (u16, &LockRequest)> {
        let mut at = self.heads[bucket(ino)];
        core::iter::from_fn(move || {
            let place = self.places.get(usize::from(at))?;
            Some((core::mem::replace(&mut at, place.next), &place.lock))
        })
    }

    /// The first of other owners' locks that conflict with `wanted`.
    pub fn in_the_way(&self, wanted: &LockRequest) -> Option<LockRequest> {
        if wanted.locking == Locking::Unlock {
            return None;
        }
        self.chain(wanted.ino).map(|(_, lock)| *lock).filter(|lock| lock.excludes(wanted)).min_by_key(|lock| lock.first)
    }

    /// The same, as it is notified.
    pub fn conflict(&self, wanted: &LockRequest) -> Conflict {
        match self.in_the_way(wanted) {
            None => Conflict { found: false, pid: 0, first: 0, last: 0, exclusive: false },
            Some(LockRequest { owner, first, last, locking, .. }) => {
                let exclusive = locking == Locking::Exclusive;
                Conflict { found: true, pid: owner.pid().unwrap_or(0), first, last, exclusive }
            }
        }
    }

    /// Gives the owner its lock, unless one conflicts: `EAGAIN`. `ENOLCK`: there is no room.
    pub fn set(&mut self, wanted: LockRequest) -> Result<(), Errno> {
        if wanted.first > wanted.last {
            return Err(Errno::EINVAL);
        }
        if self.in_the_way(&wanted).is_some() {
            return Err(Errno::EAGAIN);
        }
        // What is left of a lock that is cut, and the new one; more than one are only cut at the ends.
        let more = if wanted.locking == Locking::Unlock { usize::from(self.is_amid(&wanted)) } else { 2 };
        if self.free < more {
            return Err(Errno::ENOLCK);
        }
        let (mut new, mut rest) = (wanted, [None; 2]);
        // Each iteration removes a lock.
        while let Some(at) = self.own(&new) {
            let old = self.unlink(at);
            if old.locking == new.locking {
                (new.first, new.last) = (new.first.min(old.first), new.last.max(old.last));
                continue;
            }
            if old.first < new.first {
                rest[0] = Some(LockRequest { last: new.first - 1, ..old });
            }
            if old.last > new.last {
                rest[1] = Some(LockRequest { first: new.last + 1, ..old });
            }
        }
        let new = Some(new).filter(|new| new.locking != Locking::Unlock);
        rest.into_iter().chain([new]).flatten().for_each(|lock| self.link(lock));
        Ok(())
    }

    /// Whether `unlocked` cuts a lock of its owner in two.
    fn is_amid(&self, unlocked: &LockRequest) -> bool {
        let cut = |lock: &LockRequest| lock.first < unlocked.first && unlocked.last < lock.last;
        self.chain(unlocked.ino).any(|(_, lock)| lock.owner == unlocked.owner && lock.ino == unlocked.ino && cut(lock))
    }

    /// A lock of the owner that `new` overlaps or, of the same kind, touches.
    fn own(&self, new: &LockRequest) -> Option<u16> {
        let found = self.chain(new.ino).find(|(_, lock)| {
            let near = if lock.locking == new.locking { lock.touches(new) } else { lock.overlaps(new) };
            near && lock.owner == new.owner && lock.same_file(new)
        });
        found.map(|(at, _)| at)
    }

    fn link(&mut self, lock: LockRequest) {
        let at = self.first_free;
        self.first_free =
            core::mem::replace(&mut self.places[usize::from(at)], LockPlace { lock, ..LockPlace::FREE }).next;
        linked_list::chain(self.places, &mut self.heads[bucket(lock.ino)], |place| &mut place.next, at);
        self.free -= 1;
        self.by_board.add(lock.owner.board(self.init_board));
    }

    /// Takes the lock at place `at`, which is behind `before`, out of its chain.
    fn unlink(&mut self, at: u16) -> LockRequest {
        let lock = self.places[usize::from(at)].lock;
        linked_list::unchain(self.places, &mut self.heads[bucket(lock.ino)], |place| &mut place.next, at);
        linked_list::chain(self.places, &mut self.first_free, |place| &mut place.next, at);
        self.free += 1;
        self.by_board.remove(lock.owner.board(self.init_board));
        lock
    }

    /// `owner` has nothing any more of `ino`.
    pub fn release(&mut self, owner: Owner, ino: u32) {
        self.release_in(bucket(ino), |lock| lock.ino == ino && lock.owner.is_that_of(owner));
    }

    /// `owner` has nothing any more of any file.
    pub fn release_all(&mut self, owner: Owner) {
        (0..BUCKETS).for_each(|bucket| self.release_in(bucket, |lock| lock.owner.is_that_of(owner)));
    }

    /// No process of `board` has anything any more.
    pub fn drop_board(&mut self, board: u8) {
        let init_board = self.init_board;
        (0..BUCKETS).for_each(|bucket| self.release_in(bucket, |lock| lock.owner.board(init_board) == board));
    }

    fn release_in(&mut self, bucket: usize, gone: impl Fn(&LockRequest) -> bool) {
        let mut at = self.heads[bucket];
        while let Some(&LockPlace { lock, next }) = self.places.get(usize::from(at)) {
            if gone(&lock) {
                self.unlink(at);
            }
            at = next;
        }
    }
}

#[cfg(test)]
mod tests;
