//! The records of a board's processes, found by pid, parent, group and session.
//!
//! Invariant: each record is in four chains, one for each of its keys, behind the bucket of the key's
//! value; so finding, adding and removing one costs the same however many there are. Records with the
//! same value of a key come in the order in which they got it. Not here: what records mean (`table.rs`).

use super::record::ProcessRecord;
use core::ops::Index;
use renga_rt::linked_list::{self, LinkedList, Links, RowNumber};

const KEYS: usize = 4;

/// By what records are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowKey {
    /// Their own pid.
    Pid,
    /// Their parent's pid.
    Parent,
    /// Their process group.
    Group,
    /// Their session.
    Session,
}
const ALL: [RowKey; KEYS] = [RowKey::Pid, RowKey::Parent, RowKey::Group, RowKey::Session];
const CHANGEABLE: [RowKey; KEYS - 1] = [RowKey::Parent, RowKey::Group, RowKey::Session];

/// Room for a record, and a bucket of each key. Boot provides them.
#[derive(Clone, Copy, Debug)]
pub struct ProcessRow {
    record: ProcessRecord,
    links: [Links<u16>; KEYS],
    buckets: [LinkedList<u16>; KEYS],
}
impl ProcessRow {
    /// Nothing yet.
    pub const EMPTY: ProcessRow =
        ProcessRow { record: ProcessRecord::FREE, links: [Links::NONE; KEYS], buckets: [LinkedList::EMPTY; KEYS] };

    /// By pid a free row is in the chain of those.
    fn next_free(&mut self) -> &mut u16 {
        &mut self.links[RowKey::Pid as usize].next
    }
}

fn value(record: &ProcessRecord, key: RowKey) -> u32 {
    match key {
        RowKey::Pid => record.pid,
        RowKey::Parent => record.parent,
        RowKey::Group => record.group,
        RowKey::Session => record.session,
    }
}

/// The records.
pub struct ProcessRows {
    rows: &'static mut [ProcessRow],
    /// The first free row; the next is its neighbour behind by pid.
    first_free: u16,
    free: usize,
    /// Rows from here on are free.
    end: usize,
}

impl Index<usize> for ProcessRows {
    type Output = ProcessRecord;
    fn index(&self, row: usize) -> &ProcessRecord {
        &self.rows[row].record
    }
}

impl ProcessRows {
    /// None, with room for as many as there are `rows`.
    pub fn new(rows: &'static mut [ProcessRow]) -> ProcessRows {
        let count = rows.len().min(usize::from(u16::NONE));
        let (rows, mut first_free) = (&mut rows[..count], u16::NONE);
        rows.fill(ProcessRow::EMPTY);
        for row in (0..count).rev() {
            linked_list::chain(rows, &mut first_free, ProcessRow::next_free, row as u16);
        }
        ProcessRows { rows, first_free, free: count, end: 0 }
    }

    /// Free rows.
    pub fn free(&self) -> usize {
        self.free
    }
    /// Rows from here on are free.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Adds a record; its row. `None`: there is no room.
    pub fn insert(&mut self, record: ProcessRecord) -> Option<usize> {
        let row = usize::from(self.first_free);
        self.first_free = *self.rows.get_mut(row)?.next_free();
        self.free -= 1;
        self.rows[row].record = record;
        ALL.into_iter().for_each(|key| self.link(row, key));
        self.end = self.end.max(row + 1);
        Some(row)
    }

    /// Frees a row.
    pub fn remove(&mut self, row: usize) {
        for key in ALL {
            self.unlink(row, key, value(&self.rows[row].record, key));
        }
        self.rows[row].record = ProcessRecord::FREE;
        linked_list::chain(self.rows, &mut self.first_free, ProcessRow::next_free, row as u16);
        self.free += 1;
        // Each pass undoes one of an `insert`.
        while self.end > 0 && self.rows[self.end - 1].record.pid == 0 {
            self.end -= 1;
        }
    }

    /// Changes a record, but for its pid.
    pub fn change<R>(&mut self, row: usize, change: impl FnOnce(&mut ProcessRecord) -> R) -> R {
        let values = |record: &ProcessRecord| CHANGEABLE.map(|key| value(record, key));
        let before = values(&self.rows[row].record);
        let result = change(&mut self.rows[row].record);
        let after = values(&self.rows[row].record);
        for (index, key) in CHANGEABLE.into_iter().enumerate() {
            if before[index] != after[index] {
                self.unlink(row, key, before[index]);
                self.link(row, key);
            }
        }
        result
    }

    /// The first record whose `key` has the value.
    pub fn first(&self, key: RowKey, wanted: u32) -> Option<usize> {
        let bucket = self.rows.get(self.bucket(wanted))?.buckets[key as usize];
        self.from(bucket.first, key, wanted)
    }

    /// The next behind `row` with the same value of `key`.
    pub fn next(&self, row: usize, key: RowKey) -> Option<usize> {
        self.from(self.rows[row].links[key as usize].next, key, value(&self.rows[row].record, key))
    }

    fn from(&self, first: u16, key: RowKey, wanted: u32) -> Option<usize> {
        let is = |row: &ProcessRow| value(&row.record, key) == wanted;
        linked_list::find(self.rows, first, |row| row.links[key as usize].next, is).map(usize::from)
    }

    /// Spread by multiplication (Knuth, volume 3, 6.4).
    fn bucket(&self, value: u32) -> usize {
        (value.wrapping_mul(0x9e37_79b1) >> 16) as usize % self.rows.len().max(1)
    }

    fn link(&mut self, row: usize, key: RowKey) {
        let bucket = self.bucket(value(&self.rows[row].record, key));
        let mut list = self.rows[bucket].buckets[key as usize];
        list.push(self.rows, |row| &mut row.links[key as usize], row as u16);
        self.rows[bucket].buckets[key as usize] = list;
    }

    /// Takes a row out of the chain of `value`.
    fn unlink(&mut self, row: usize, key: RowKey, value: u32) {
        let bucket = self.bucket(value);
        let mut list = self.rows[bucket].buckets[key as usize];
        list.remove(self.rows, |row| &mut row.links[key as usize], row as u16);
        self.rows[bucket].buckets[key as usize] = list;
    }
}

#[cfg(test)]
mod tests {
    use super::{ProcessRecord, ProcessRow, ProcessRows, RowKey};
    use std::boxed::Box;
    use std::vec;
    use std::vec::Vec;

    fn found(rows: &ProcessRows, key: RowKey, wanted: u32) -> Vec<u32> {
        let (mut pids, mut at) = (Vec::new(), rows.first(key, wanted));
        while let Some(row) = at {
            pids.push(rows[row].pid);
            at = rows.next(row, key);
        }
        pids
    }

    /// Against a plain list, in the order of its groups' changes.
    #[test]
    fn process_rows_random_changes_match_list_model() {
        const ROWS: usize = 40;
        let mut rows = ProcessRows::new(Box::leak(vec![ProcessRow::EMPTY; ROWS].into_boxed_slice()));
        let mut model: Vec<ProcessRecord> = Vec::new();
        let (mut state, mut pid) = (7u32, 0);
        for _ in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (choice, small) = (state >> 30, state >> 8 & 7);
            if choice < 2 {
                pid += 1;
                let record = ProcessRecord { pid, parent: small, group: small * 3, session: 1, ..ProcessRecord::FREE };
                let inserted = rows.insert(record);
                assert_eq!(inserted.is_some(), model.len() < ROWS);
                model.extend(inserted.map(|_| record));
            } else if !model.is_empty() {
                let mut record = model.remove(small as usize % model.len());
                let Some(row) = rows.first(RowKey::Pid, record.pid) else { panic!("{} is lost", record.pid) };
                if choice == 2 {
                    rows.remove(row);
                } else {
                    // Its pid makes the new group another one, so that it comes last.
                    record.group = 1000 + record.pid;
                    rows.change(row, |record| record.group = 1000 + record.pid);
                    model.push(record);
                }
            }
            assert_eq!(rows.free(), ROWS - model.len());
            let mut children: Vec<u32> = model.iter().filter(|r| r.parent == small).map(|r| r.pid).collect();
            children.sort_unstable();
            assert_eq!(found(&rows, RowKey::Parent, small), children, "in the order of their making");
            let mut group: Vec<u32> = model.iter().filter(|r| r.group == small * 3).map(|r| r.pid).collect();
            group.sort_unstable();
            assert_eq!(found(&rows, RowKey::Group, small * 3), group);
            assert_eq!(found(&rows, RowKey::Session, 1).len(), model.len());
        }
    }
}
