//! The table of permitted calls that a router checks, from the placement's rows.
//!
//! Invariant: the table has a column for each kind, a row for each board's asynchronous calls, and one for each row of
//! proxies. It grows with boards and kinds, not with processes. Not here: the rows (`tools/placement`), the test of a
//! call (`sysprocs/router`).

use crate::directory::Directory;
use crate::facts::FACTS;
use crate::kinds::Kind;
use crate::tables::Permit;
use core::cell::Cell;
use renga_router::Permits;

const COLUMNS: usize = FACTS.len();

/// The table of the board of `directory`.
pub(crate) fn table(directory: &'static Directory) -> Permits {
    let (arena, board, boards) = (directory.arena(), directory.table(), usize::from(directory.boards()));
    let columns = arena.put_slice(usize::from(board.processes), |index| board.kind_at(index as u16) as u8);
    let entries = arena.put_slice((boards + board.proxies.len()) * COLUMNS, |at| {
        let (row, server) = (at / COLUMNS, FACTS[at % COLUMNS].kind);
        let permits = board.permits.iter().filter(|permit| permit.server == server);
        let sets = permits.map(|permit| match row.checked_sub(boards) {
            None if usize::from(permit.caller_board) == row => {
                permit.entries & directory.system().released(permit.caller_kind, permit.server)
            }
            Some(row) if is_of(permit, board.proxies[row].caller_board, board.proxies[row].caller_kind) => {
                permit.entries
            }
            _ => 0,
        });
        sets.fold(0, |all, entries| all | entries)
    });
    Permits::new(columns, entries, arena.put_slice(entries.len(), |_| Cell::new(0)), COLUMNS)
}

fn is_of(permit: &Permit, board: u8, kind: Kind) -> bool {
    (permit.caller_board, permit.caller_kind) == (board, kind)
}
