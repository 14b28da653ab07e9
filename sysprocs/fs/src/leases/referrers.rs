//! Which boards refer to which active inode: its process checks this before a change for another board. Also, which
//! inodes are leased, as their processes get no other inodes because flushing them may have to wait; and which
//! session with each board it is.
//!
//! Invariant: who refers is written by the directory of inodes alone, whenever a board begins or ends to refer to an
//! inode; what is leased by the inodes' processes, which are on its board. Not here: the references
//! (`active_table.rs`).

use core::cell::Cell;
use renga_rt::{BOARDS_MAX, Call, Entry};

/// In a set: the inode is leased.
const LEASED: u16 = 1 << 8;
/// Above that: one more than the board whose background job it was leased to; 0: it was not leased to one.
const JOB_BIT: u32 = 9;
const JOB: u16 = 0xf << JOB_BIT;
/// What is made in it, a directory, gets its group.
const GIVES_GROUP: u16 = 1 << 13;
/// Of so many inodes one may be leased.
const LEASED_SHARE: usize = 4;
/// And of so many of these one to background jobs: so that others find room beside what stays leased to them.
const JOBS_SHARE: usize = 4;

/// A set of boards, a bit each, for each inode process.
#[derive(Clone)]
pub struct Referrers {
    sets: &'static [Cell<u16>],
    leased: Cell<usize>,
    /// Of these, to background jobs.
    leased_to_jobs: Cell<usize>,
    /// Leases granted until now; modulo 2^32.
    granted: Cell<u32>,
    /// Sessions with each board that have ended.
    ended: [Cell<u32>; BOARDS_MAX],
    /// The boards, a bit each, whose jobs are suspended.
    spared: Cell<u8>,
}

impl Referrers {
    /// As many as there are `sets`.
    pub const fn new(sets: &'static [Cell<u16>]) -> Referrers {
        let [leased, leased_to_jobs] = [const { Cell::new(0) }; 2];
        let granted = Cell::new(0);
        Referrers {
            sets,
            leased,
            granted,
            leased_to_jobs,
            ended: [const { Cell::new(0) }; BOARDS_MAX],
            spared: Cell::new(0),
        }
    }
    pub(crate) fn end_session(&self, board: u8) {
        if let Some(ended) = self.ended.get(usize::from(board)) {
            ended.set(ended.get().wrapping_add(1));
        }
    }
    /// Which session with `board` it is. The directory of inodes is notified of its end before the next one begins.
    pub(crate) fn session(&self, board: u8) -> u32 {
        self.ended.get(usize::from(board)).map_or(0, Cell::get)
    }
    pub(crate) fn set(&self, slot: u16, boards: u8) {
        if let Some(set) = self.sets.get(usize::from(slot)) {
            set.set(set.get() & (LEASED | JOB | GIVES_GROUP) | u16::from(boards));
        }
    }
    /// What is made in the inode of process `slot` gets its group from now on, or does not.
    pub(crate) fn set_gives_group(&self, slot: u16, gives: bool) {
        if let Some(set) = self.sets.get(usize::from(slot)) {
            set.set(if gives { set.get() | GIVES_GROUP } else { set.get() & !GIVES_GROUP });
        }
    }
    pub(crate) fn gives_group(&self, slot: u16) -> bool {
        self.sets.get(usize::from(slot)).is_some_and(|set| set.get() & GIVES_GROUP != 0)
    }
    /// The inode of process `slot` is leased from now on, or no longer.
    pub(crate) fn set_leased(&self, slot: u16, leased: bool) {
        let Some(set) = self.sets.get(usize::from(slot)).filter(|_| self.is_leased(slot) != leased) else { return };
        self.set_writer(slot, None);
        set.set(set.get() ^ LEASED);
        self.leased.set(if leased { self.leased.get() + 1 } else { self.leased.get() - 1 });
        self.granted.set(self.granted.get().wrapping_add(leased.into()));
    }
    pub(crate) fn is_leased(&self, slot: u16) -> bool {
        self.sets.get(usize::from(slot)).is_some_and(|set| set.get() & LEASED != 0)
    }
    /// The inode of process `slot`, which is leased, is written by a background job of that board, or by others.
    pub(crate) fn set_writer(&self, slot: u16, job_of: Option<u8>) {
        if let Some(set) = self.sets.get(usize::from(slot)) {
            let job = job_of.map_or(0, |board| u16::from(board) + 1) << JOB_BIT & JOB;
            let was = usize::from(set.get() & JOB != 0);
            self.leased_to_jobs.set(self.leased_to_jobs.get() + usize::from(job != 0) - was);
            set.set(set.get() & !JOB | job);
        }
    }
    /// What jobs of these boards have written need not be flushed while they are suspended.
    pub(crate) fn spare(&self, boards: u8) {
        self.spared.set(boards);
    }
    pub(crate) fn spares_some(&self) -> bool {
        self.spared.get() != 0
    }
    /// Whether any is leased.
    #[inline]
    pub(crate) fn has_leased(&self) -> bool {
        self.leased.get() > 0
    }
    fn is_to_job(&self, slot: u16) -> bool {
        self.sets.get(usize::from(slot)).is_some_and(|set| set.get() & JOB != 0)
    }
    fn is_spared(&self, slot: u16) -> bool {
        let job = self.sets.get(usize::from(slot)).map_or(0, |set| (set.get() & JOB) >> JOB_BIT);
        job != 0 && self.spared.get() >> (job - 1) & 1 != 0
    }
    /// The first process from `from` on whose inode is leased, but for those that are spared if it `spares`.
    pub(crate) fn next_leased(&self, from: u16, spares: bool) -> Option<u16> {
        let count = if self.leased.get() > 0 { self.sets.len() as u16 } else { 0 };
        (from..count).find(|&slot| self.is_leased(slot) && !(spares && self.is_spared(slot)))
    }
    /// How many may be leased, and of these to jobs.
    fn most(&self) -> (usize, usize) {
        let most = (self.sets.len() / LEASED_SHARE).max(1);
        (most, (most / JOBS_SHARE).max(1))
    }
    /// Whether one more may be leased, to a job or to others.
    pub(crate) fn may_lease(&self, to_job: bool) -> bool {
        let (most, jobs_most) = self.most();
        self.leased.get() < most && !(to_job && self.leased_to_jobs.get() >= jobs_most)
    }
    /// The first process from `from` on whose inode is leased and to be flushed: more than half of what jobs may have
    /// is leased to them, or of what others may have to those. Not one that is spared.
    pub(crate) fn next_crowded(&self, from: u16) -> Option<u16> {
        let ((most, jobs_most), to_jobs) = (self.most(), self.leased_to_jobs.get());
        let (jobs, others) = (to_jobs > jobs_most.div_ceil(2), self.leased.get() - to_jobs > most.div_ceil(2));
        let count = if jobs || others { self.sets.len() as u16 } else { 0 };
        let is_crowded = |slot| if self.is_to_job(slot) { jobs } else { others };
        (from..count).find(|&slot| self.is_leased(slot) && is_crowded(slot) && !self.is_spared(slot))
    }
    /// How many leases have been granted; modulo 2^32.
    pub(crate) fn granted(&self) -> u32 {
        self.granted.get()
    }
    /// Whether `call` is of the board `own`, or of one that refers to the inode of process `slot`.
    pub(crate) fn admit<E: Entry>(&self, own: u8, slot: u16, call: &Call<E>) -> bool {
        let board = call.board();
        let boards = || self.sets.get(usize::from(slot)).map_or(0, Cell::get) as u8;
        board == own || boards().checked_shr(board.into()).unwrap_or(0) & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::Referrers;
    use core::cell::Cell;
    extern crate std;

    #[test]
    fn referrers_suspended_jobs_leases_are_spared() {
        let referrers = Referrers::new(std::vec![Cell::new(0); 8].leak());
        for slot in 0..8 {
            referrers.set(slot, 0xff);
            referrers.set_leased(slot, true);
            referrers.set_writer(slot, Some(slot as u8).filter(|_| slot != 3));
        }
        let is_next = |slot: u16, spares| referrers.next_leased(slot, spares) == Some(slot);
        let leased = |spares| (0..8).filter(|&slot| is_next(slot, spares)).fold(0, |all, slot| all | 1 << slot);
        assert_eq!((leased(true), leased(false)), (0xff, 0xff), "no board is excluded");
        referrers.spare(0b1000_1001);
        assert_eq!((leased(true), leased(false)), (0x7e, 0xff), "of boards 0 and 7; 3 is not a job's");
        referrers.set_writer(7, None);
        referrers.set(0, 0);
        assert_eq!(leased(true), 0xfe, "others have written it, too; who refers to it does not matter");
        referrers.set_leased(0, false);
        referrers.set_leased(0, true);
        assert_eq!(leased(true), 0xff, "a new lease is not a job's before it is said");
    }

    /// Holds: jobs-writes.
    #[test]
    fn referrers_jobs_share_of_leases_is_bounded() {
        let referrers = Referrers::new(std::vec![Cell::new(0); 64].leak());
        let grant = |slots: core::ops::Range<u16>, to_job: bool| {
            for slot in slots {
                assert!(referrers.may_lease(to_job), "{slot}");
                referrers.set_leased(slot, true);
                referrers.set_writer(slot, to_job.then_some(1));
            }
        };
        let state = || (referrers.may_lease(true), referrers.may_lease(false), referrers.next_crowded(0));
        grant(8..10, true);
        assert_eq!(state(), (true, true, None), "half of the jobs' share");
        grant(10..11, true);
        grant(0..8, false);
        assert_eq!(state(), (true, true, Some(8)), "of the others' share half");
        referrers.spare(0b10);
        assert_eq!(state(), (true, true, None), "the job is suspended");
        referrers.spare(0);
        grant(11..12, true);
        assert_eq!(state(), (false, true, Some(8)));
        (8..12).for_each(|slot| referrers.set_leased(slot, false));
        grant(12..13, true);
        grant(13..14, false);
        assert_eq!((state(), referrers.next_crowded(8)), ((true, true, Some(0)), Some(13)), "the job's is not");
        grant(14..20, false);
        assert_eq!((state(), referrers.granted()), ((false, false, Some(0)), 20), "all are leased");
    }
}
