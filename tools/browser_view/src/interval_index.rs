//! Rows of a table by an owner, so that those at an instant are found without a look at all others.
//!
//! Invariant: the rows of an owner are in the table's order.

/// Row numbers, grouped by owner.
#[derive(Clone, Debug, Default)]
pub struct IntervalIndex {
    /// Of each owner, where its rows begin in `rows`; one more at the end.
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl IntervalIndex {
    /// Of rows with these owners, of which there are so many; rows without an owner are left out.
    pub fn new(owner_count: usize, owners: impl Iterator<Item = Option<u32>> + Clone) -> IntervalIndex {
        let mut starts = vec![0; owner_count + 1];
        for owner in owners.clone().flatten() {
            starts[owner as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[owner_count]];
        for (row, owner) in (0u32..).zip(owners) {
            if let Some(owner) = owner {
                rows[next[owner as usize]] = row;
                next[owner as usize] += 1;
            }
        }
        IntervalIndex { starts, rows }
    }

    /// The rows of an owner.
    pub fn of(&self, owner: u32) -> &[u32] {
        &self.rows[self.starts[owner as usize]..self.starts[owner as usize + 1]]
    }

    /// The rows of an owner from the last one that begins at `time_ns` or before.
    pub fn from(&self, owner: u32, time_ns: u64, begin_ns: impl Fn(u32) -> u64) -> &[u32] {
        let rows = self.of(owner);
        let behind = rows.partition_point(|row| begin_ns(*row) <= time_ns);
        &rows[behind.saturating_sub(1)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_index_rows_of_owner_keep_their_order() {
        let owners = [Some(1), None, Some(0), Some(1), Some(1)];
        let index = IntervalIndex::new(3, owners.into_iter());
        assert_eq!((index.of(0), index.of(1), index.of(2)), (&[2][..], &[0, 3, 4][..], &[][..]));
        let begin_ns = |row: u32| u64::from(row) * 10;
        assert_eq!(index.from(1, 35, begin_ns), [3, 4]);
        assert_eq!(index.from(1, 30, begin_ns), [3, 4]);
        assert_eq!(index.from(0, 5, begin_ns), [2], "none begins before");
    }
}
