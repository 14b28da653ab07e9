//! Lists and hash chains whose elements are rows of a table, linked by number.
//!
//! Invariant: a row is in at most one list for each field of links that it has, and in at most one chain for each field
//! `next`.
//! A list adds and removes in constant time; a chain searches in the time of its length. Called by: the tables of the
//! system processes. Not here: which numbers of a table are free ([`crate::FreeList`]).

/// The number of a row.
pub trait RowNumber: Copy + PartialEq {
    /// No row.
    const NONE: Self;
    /// As an index.
    fn at(self) -> usize;
}
macro_rules! row_numbers { ($($type:ty)*) => {$(
    impl RowNumber for $type {
        const NONE: Self = <$type>::MAX;
        #[inline(always)]
        fn at(self) -> usize {
            self as usize
        }
    }
)*} }
row_numbers! { u16 u32 }

/// The neighbours of a row in a list.
#[derive(Clone, Copy, Debug)]
pub struct Links<N> {
    /// The row behind it.
    pub next: N,
    /// The row before it.
    pub before: N,
}
impl<N: RowNumber> Links<N> {
    /// Of a row in no list.
    pub const NONE: Self = Links { next: N::NONE, before: N::NONE };
}

/// A list.
#[derive(Clone, Copy, Debug)]
pub struct LinkedList<N> {
    /// The row added first.
    pub first: N,
    /// The row added last.
    pub last: N,
    /// How many rows are in it.
    pub count: u32,
}
impl<N: RowNumber> LinkedList<N> {
    /// Without rows.
    pub const EMPTY: Self = LinkedList { first: N::NONE, last: N::NONE, count: 0 };

    /// The row added first, if there is one.
    #[inline]
    pub fn oldest(&self) -> Option<N> {
        Some(self.first).filter(|&first| first != N::NONE)
    }

    /// Adds row `at` of `table`, which is in no list, at the end.
    #[inline]
    pub fn push<T>(&mut self, table: &mut [T], links: impl Fn(&mut T) -> &mut Links<N>, at: N) {
        *links(&mut table[at.at()]) = Links { next: N::NONE, before: self.last };
        match table.get_mut(self.last.at()) {
            Some(last) => links(last).next = at,
            None => self.first = at,
        }
        self.last = at;
        self.count += 1;
    }

    /// Removes row `at` of `table`, which is in this list.
    #[inline]
    pub fn remove<T>(&mut self, table: &mut [T], links: impl Fn(&mut T) -> &mut Links<N>, at: N) {
        let Links { next, before } = core::mem::replace(links(&mut table[at.at()]), Links::NONE);
        match table.get_mut(before.at()) {
            Some(before) => links(before).next = next,
            None => self.first = next,
        }
        match table.get_mut(next.at()) {
            Some(next) => links(next).before = before,
            None => self.last = before,
        }
        self.count -= 1;
    }

    /// Adds all rows of `other`, a list of the same table and links, at the end.
    pub fn append<T>(&mut self, table: &mut [T], links: impl Fn(&mut T) -> &mut Links<N>, other: Self) {
        let Some(first) = other.oldest() else { return };
        links(&mut table[first.at()]).before = self.last;
        match table.get_mut(self.last.at()) {
            Some(last) => links(last).next = first,
            None => self.first = first,
        }
        (self.last, self.count) = (other.last, self.count + other.count);
    }
}

/// The first row that `is` accepts, of the chain that begins with row `first`.
#[inline]
pub fn find<T, N: RowNumber>(table: &[T], first: N, next: impl Fn(&T) -> N, is: impl Fn(&T) -> bool) -> Option<N> {
    let mut at = first;
    // Bounded by the length of the chain.
    while let Some(row) = table.get(at.at()) {
        if is(row) {
            return Some(at);
        }
        at = next(row);
    }
    None
}

/// Puts row `at`, which is in no chain, before the chain that begins with row `first`.
#[inline]
pub fn chain<T, N: RowNumber>(table: &mut [T], first: &mut N, next: impl Fn(&mut T) -> &mut N, at: N) {
    *next(&mut table[at.at()]) = core::mem::replace(first, at);
}

/// Takes row `at` out of the chain that begins with row `first`.
#[inline]
pub fn unchain<T, N: RowNumber>(table: &mut [T], first: &mut N, next: impl Fn(&mut T) -> &mut N, at: N) {
    let after = core::mem::replace(next(&mut table[at.at()]), N::NONE);
    if *first == at {
        return *first = after;
    }
    let mut before = *first;
    // It is in this chain.
    loop {
        let behind = next(&mut table[before.at()]);
        if *behind == at {
            return *behind = after;
        }
        before = *behind;
    }
}

#[cfg(test)]
mod tests {
    use super::{LinkedList, Links, chain, find, unchain};
    use std::vec::Vec;

    struct Row {
        number: u32,
        links: Links<u16>,
        next: u32,
    }

    fn table() -> Vec<Row> {
        (0..5).map(|number| Row { number, links: Links::NONE, next: u32::MAX }).collect()
    }

    #[test]
    fn linked_list_rows_keep_order_of_adding() {
        let (mut table, mut list) = (table(), LinkedList::EMPTY);
        for at in [3, 0, 4, 1] {
            list.push(&mut table, |row| &mut row.links, at);
        }
        let mut more = LinkedList::EMPTY;
        more.append(&mut table, |row| &mut row.links, list);
        (list, more) = (more, LinkedList::EMPTY);
        more.push(&mut table, |row| &mut row.links, 2);
        list.append(&mut table, |row| &mut row.links, more);
        list.append(&mut table, |row| &mut row.links, LinkedList::EMPTY);
        for (removed, wanted) in [(2, [3, 0, 4, 1].as_slice()), (4, &[3, 0, 1]), (3, &[0, 1]), (1, &[0]), (0, &[])] {
            list.remove(&mut table, |row| &mut row.links, removed);
            let mut at = list.first;
            let forward: Vec<u16> = core::iter::from_fn(|| {
                let row = table.get(usize::from(at))?;
                Some(core::mem::replace(&mut at, row.links.next))
            })
            .collect();
            assert_eq!((forward.as_slice(), list.count as usize), (wanted, wanted.len()));
            assert_eq!((list.oldest(), list.last), (wanted.first().copied(), *wanted.last().unwrap_or(&u16::MAX)));
        }
    }

    #[test]
    fn linked_list_chain_finds_rows_until_taken_out() {
        let (mut table, mut first) = (table(), u32::MAX);
        for at in [2, 0, 3] {
            chain(&mut table, &mut first, |row| &mut row.next, at);
        }
        let found = |table: &[Row], first, wanted: u32| find(table, first, |row| row.next, |row| row.number == wanted);
        assert_eq!([0, 1, 2, 3].map(|at| found(&table, first, at)), [Some(0), None, Some(2), Some(3)]);
        for (gone, left) in [(0, [None, None, Some(2), Some(3)]), (3, [None, None, Some(2), None]), (2, [None; 4])] {
            unchain(&mut table, &mut first, |row| &mut row.next, gone);
            assert_eq!([0, 1, 2, 3].map(|at| found(&table, first, at)), left);
        }
        assert_eq!(first, u32::MAX);
    }
}
