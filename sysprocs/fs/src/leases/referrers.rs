//! Which boards refer to which active inode: what its process asks before it changes anything for another board. And
//! which inodes are lent: their processes are not given other inodes, as taking them home may have to wait; and which session
//! with each board it is.
//!
//! Invariant: who refers is written by the directory of inodes alone, whenever a board begins or ends to refer to an inode;
//! what is lent by the inodes' processes, which are on its board. Not here: the references (`active_table.rs`).

use core::cell::Cell;
use renga_rt::{BOARDS_MAX, Call, Entry};

/// In a set: the inode is lent.
const LENT: u16 = 1 << 8;
/// Above that: one more than the board whose background job it was lent to; 0: it was not lent to one.
const JOB_BIT: u32 = 9;
const JOB: u16 = 0xf << JOB_BIT;
/// Of so many inodes one may be lent.
const LENT_SHARE: usize = 4;
/// And of so many of these one to background jobs: so that others find room beside what stays lent to them.
const JOBS_SHARE: usize = 4;

/// A set of boards, a bit each, for each inode process.
#[derive(Clone)]
pub struct Referrers {
    sets: &'static [Cell<u16>],
    lent: Cell<usize>,
    /// Of these, to background jobs.
    lent_to_jobs: Cell<usize>,
    /// Sessions with each board that have ended.
    ended: [Cell<u32>; BOARDS_MAX],
    /// The boards, a bit each, whose jobs are held.
    spared: Cell<u8>,
}

impl Referrers {
    /// As many as there are `sets`.
    pub const fn new(sets: &'static [Cell<u16>]) -> Referrers {
        let [lent, lent_to_jobs] = [const { Cell::new(0) }; 2];
        Referrers { sets, lent, lent_to_jobs, ended: [const { Cell::new(0) }; BOARDS_MAX], spared: Cell::new(0) }
    }
    /// A session with `board` has ended.
    pub(crate) fn end_session(&self, board: u8) {
        if let Some(ended) = self.ended.get(usize::from(board)) {
            ended.set(ended.get().wrapping_add(1));
        }
    }
    /// Which session with `board` it is. The directory of inodes is told of its end before the next one begins.
    pub(crate) fn session(&self, board: u8) -> u32 {
        self.ended.get(usize::from(board)).map_or(0, Cell::get)
    }
    pub(crate) fn set(&self, slot: u16, boards: u8) {
        if let Some(set) = self.sets.get(usize::from(slot)) {
            set.set(set.get() & (LENT | JOB) | u16::from(boards));
        }
    }
    /// The inode of process `slot` is lent from now on, or no longer.
    pub(crate) fn set_lent(&self, slot: u16, lent: bool) {
        let Some(set) = self.sets.get(usize::from(slot)).filter(|_| self.is_lent(slot) != lent) else { return };
        self.set_writer(slot, None);
        set.set(set.get() ^ LENT);
        self.lent.set(if lent { self.lent.get() + 1 } else { self.lent.get() - 1 });
    }
    pub(crate) fn is_lent(&self, slot: u16) -> bool {
        self.sets.get(usize::from(slot)).is_some_and(|set| set.get() & LENT != 0)
    }
    /// The inode of process `slot`, which is lent, is written by a background job of that board, or by others.
    pub(crate) fn set_writer(&self, slot: u16, job_of: Option<u8>) {
        if let Some(set) = self.sets.get(usize::from(slot)) {
            let job = job_of.map_or(0, |board| u16::from(board) + 1) << JOB_BIT & JOB;
            let was = usize::from(set.get() & JOB != 0);
            self.lent_to_jobs.set(self.lent_to_jobs.get() + usize::from(job != 0) - was);
            set.set(set.get() & !JOB | job);
        }
    }
    /// What jobs of these boards have written need not come home while they are held.
    pub(crate) fn spare(&self, boards: u8) {
        self.spared.set(boards);
    }
    /// Whether there are such boards.
    pub(crate) fn spares_some(&self) -> bool {
        self.spared.get() != 0
    }
    fn is_spared(&self, slot: u16) -> bool {
        let job = self.sets.get(usize::from(slot)).map_or(0, |set| (set.get() & JOB) >> JOB_BIT);
        job != 0 && self.spared.get() >> (job - 1) & 1 != 0
    }
    /// The first process from `from` on whose inode is lent, but for those that are spared if it `spares`.
    pub(crate) fn next_lent(&self, from: u16, spares: bool) -> Option<u16> {
        let count = if self.lent.get() > 0 { self.sets.len() as u16 } else { 0 };
        (from..count).find(|&slot| self.is_lent(slot) && !(spares && self.is_spared(slot)))
    }
    /// Whether one more may be lent, to a job or to others, and whether those that they have should soon come home.
    pub(crate) fn may_lend(&self, to_job: bool) -> (bool, bool) {
        let most = (self.sets.len() / LENT_SHARE).max(1);
        let (lent, to_jobs) = (self.lent.get(), self.lent_to_jobs.get());
        if to_job {
            let jobs_most = (most / JOBS_SHARE).max(1);
            return (lent < most && to_jobs < jobs_most, to_jobs >= jobs_most.div_ceil(2));
        }
        (lent < most, lent - to_jobs >= most.div_ceil(2))
    }
    /// Whether the board of `own` need not be asked, or that of the caller refers to the inode of process `slot`.
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
    fn what_held_jobs_have_written_is_spared_by_who_spares() {
        let referrers = Referrers::new(std::vec![Cell::new(0); 8].leak());
        for slot in 0..8 {
            referrers.set(slot, 0xff);
            referrers.set_lent(slot, true);
            referrers.set_writer(slot, Some(slot as u8).filter(|_| slot != 3));
        }
        let is_next = |slot: u16, spares| referrers.next_lent(slot, spares) == Some(slot);
        let lent = |spares| (0..8).filter(|&slot| is_next(slot, spares)).fold(0, |all, slot| all | 1 << slot);
        assert_eq!((lent(true), lent(false)), (0xff, 0xff), "nobody is held");
        referrers.spare(0b1000_1001);
        assert_eq!((lent(true), lent(false)), (0x7e, 0xff), "of boards 0 and 7; 3 is not a job's");
        referrers.set_writer(7, None);
        referrers.set(0, 0);
        assert_eq!(lent(true), 0xfe, "others have written it, too; who refers to it does not matter");
        referrers.set_lent(0, false);
        referrers.set_lent(0, true);
        assert_eq!(lent(true), 0xff, "a new lease is not a job's before it is said");
    }

    /// Holds: jobs-writes.
    #[test]
    fn jobs_leave_others_room() {
        let referrers = Referrers::new(std::vec![Cell::new(0); 64].leak());
        let lend = |slots: core::ops::Range<u16>, to_job: bool| {
            for slot in slots {
                assert!(referrers.may_lend(to_job).0, "{slot}");
                referrers.set_lent(slot, true);
                referrers.set_writer(slot, to_job.then_some(1));
            }
        };
        lend(0..2, true);
        assert_eq!((referrers.may_lend(true), referrers.may_lend(false)), ((true, true), (true, false)));
        lend(2..4, true);
        assert_eq!((referrers.may_lend(true), referrers.may_lend(false)), ((false, true), (true, false)));
        lend(4..11, false);
        assert_eq!(referrers.may_lend(false), (true, false), "what jobs have does not count");
        lend(11..16, false);
        assert_eq!(
            (referrers.may_lend(true), referrers.may_lend(false)),
            ((false, true), (false, true)),
            "all are lent"
        );
        referrers.set_writer(0, None);
        referrers.set_lent(15, false);
        assert_eq!(referrers.may_lend(true), (true, true), "one is others' by now");
        (0..15).for_each(|slot| referrers.set_lent(slot, false));
        assert_eq!((referrers.may_lend(true), referrers.may_lend(false)), ((true, false), (true, false)));
    }
}
