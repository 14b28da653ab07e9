//! Doubly linked lists through the elements of a table, by index, so that any element can be removed.
//!
//! Invariant: an element is in a list at most once; `next` of the last and `before` of the first are [`NONE`].

/// No element.
pub(crate) const NONE: u32 = u32::MAX;

/// An element's place in a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    pub next: u32,
    pub before: u32,
}
impl Links {
    pub const NONE: Links = Links { next: NONE, before: NONE };
}

/// A list's ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListEnds {
    pub first: u32,
    pub last: u32,
}

impl ListEnds {
    pub const EMPTY: ListEnds = ListEnds { first: NONE, last: NONE };

    /// Puts element `at` behind the last.
    pub fn push<T>(&mut self, table: &mut [T], links: impl Fn(&mut T) -> &mut Links, at: u32) {
        *links(&mut table[at as usize]) = Links { next: NONE, before: self.last };
        match self.last {
            NONE => self.first = at,
            last => links(&mut table[last as usize]).next = at,
        }
        self.last = at;
    }

    /// Takes element `at` out.
    pub fn remove<T>(&mut self, table: &mut [T], links: impl Fn(&mut T) -> &mut Links, at: u32) {
        let Links { next, before } = core::mem::replace(links(&mut table[at as usize]), Links::NONE);
        match before {
            NONE => self.first = next,
            before => links(&mut table[before as usize]).next = next,
        }
        match next {
            NONE => self.last = before,
            next => links(&mut table[next as usize]).before = before,
        }
    }
}
