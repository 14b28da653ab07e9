//! The calls that other boards may make here.
//!
//! Invariant: the router makes a call only if the placement lets this kind of caller, on its board, call this entry
//! of this server. Any other call breaks the protocol and ends the session. So the proof that no circle of waits
//! exists covers hostile boards, too. Not here: the tables' origin (`sysprocs/systems`), the numbers in a call (its
//! server).

use core::cell::Cell;
use renga_core::Arena;
use renga_wire::Request;

/// The entries that may be called, by row (callers) and column (kind of server).
#[derive(Clone, Copy)]
pub struct Permits {
    /// The column of each process here, by its index.
    columns: &'static [u8],
    /// Entries, a bit each: row by row.
    entries: &'static [u32],
    /// Calls that were let in, in the same order.
    calls: &'static [Cell<u64>],
    /// How many columns there are.
    width: usize,
}

impl Permits {
    /// Wraps the table: `columns` of the local processes, and rows of `width` sets of `entries`. The first rows are
    /// those of each board's asynchronous calls, whose callers are unknown. The callers' rows follow. The table
    /// counts calls in `calls`, as far as that has room.
    pub const fn new(
        columns: &'static [u8],
        entries: &'static [u32],
        calls: &'static [Cell<u64>],
        width: usize,
    ) -> Permits {
        Permits { columns, entries, calls, width }
    }

    /// Calls of `row` to the servers of `column` that were let in.
    pub fn calls(&self, row: usize, column: usize) -> u64 {
        self.calls.get(row * self.width + column).map_or(0, Cell::get)
    }

    /// Everybody on `boards` may call `entries` of each of `processes` processes.
    pub fn same(arena: &Arena, processes: usize, boards: u8, entries: u32) -> Permits {
        let columns: &'static [u8] = arena.put_slice(processes, |_| 0);
        Permits::new(columns, arena.put_slice(usize::from(boards), |_| entries), &[], 1)
    }

    /// Whether a caller of `row` may make the call.
    pub(crate) fn allow(&self, row: u16, request: &Request) -> bool {
        let Some(column) = self.columns.get(usize::from(request.destination)) else { return false };
        let place = usize::from(row) * self.width + usize::from(*column);
        let entries = self.entries.get(place);
        let allowed = entries.and_then(|entries| entries.checked_shr(request.op.into())).unwrap_or(0) & 1 != 0;
        if allowed && let Some(calls) = self.calls.get(place) {
            calls.set(calls.get() + 1);
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::Permits;
    use renga_wire::Request;

    /// Holds: permits.
    #[test]
    fn permits_call_outside_table_is_refused() {
        // Two columns; row 0 may call entries 0 and 31 of column 1, row 1 all of column 0.
        let permits = Permits::new(&[0, 1, 1], &[0, 1 << 31 | 1, u32::MAX, 0], &[], 2);
        let allow = |row, destination, op| permits.allow(row, &Request { destination, op, ..Request::default() });
        assert!(allow(0, 1, 0) && allow(0, 2, 31) && !allow(0, 0, 0) && !allow(0, 1, 1));
        assert!(allow(1, 0, 7) && !allow(1, 1, 0) && !allow(1, 2, 31));
        let outside = [(0, 3, 0), (0, u16::MAX, 0), (1, 0, 32), (1, 0, u8::MAX), (2, 0, 0), (u16::MAX, 0, 0)];
        assert!(outside.into_iter().all(|(row, destination, op)| !allow(row, destination, op)));
    }
}
