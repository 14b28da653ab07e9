//! The calls of each process, the frames of each call, and the rows that carry a call on another board.

use crate::interval_index::IntervalIndex;
use crate::tables::RunTables;

/// Rows of calls and frames by owner.
pub struct CallIndex {
    /// Calls by caller.
    pub calls_of: IntervalIndex,
    /// Frames by call.
    pub frames_of: IntervalIndex,
}

impl CallIndex {
    /// Of these tables.
    pub fn new(tables: &RunTables) -> CallIndex {
        let callers = tables.calls.iter().map(|call| Some(call.caller));
        CallIndex {
            calls_of: IntervalIndex::new(tables.processes.ids().len(), callers),
            frames_of: IntervalIndex::new(tables.calls.len(), tables.frames.iter().map(|frame| frame.call)),
        }
    }

    /// The rows of the proxy's call that carries `call`: several if it was forwarded there.
    pub fn carriers(&self, tables: &RunTables, call: u32) -> &[u32] {
        let Some(first) = tables.calls[call as usize].made_by else { return &[] };
        let carrier = &tables.calls[first as usize];
        let rows = self.calls_of.of(carrier.caller);
        let rows = &rows[rows.partition_point(|row| *row < first)..];
        // Bounded by the times that a call is forwarded.
        let of_other = rows.iter().position(|row| tables.calls[*row as usize].made_for != carrier.made_for);
        &rows[..of_other.unwrap_or(rows.len())]
    }
}
