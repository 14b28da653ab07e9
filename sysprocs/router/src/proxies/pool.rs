//! Calls from here that share proxies on another board: which may be sent now, and which wait in line.
//!
//! Invariant: a pool has no more calls under way than proxies there, so each call finds one free. Callers are served in
//! order; the line is linked through their places and takes no memory. Not here: entries that may wait, for which each
//! caller has a proxy of its own.

use crate::calls::out_call::OutCall;

/// What the placement says of a pool.
#[derive(Clone, Copy, Debug)]
pub struct PoolPlan {
    /// Where the proxies are.
    pub board: u8,
    /// How many they are.
    pub proxies: u16,
    /// How many callers have proxies of their own there beside them.
    pub own: u16,
}

impl PoolPlan {
    /// Calls that may be under way.
    pub(crate) fn calls(&self) -> usize {
        usize::from(self.proxies) + usize::from(self.own)
    }
}

pub(crate) struct Pool {
    plan: PoolPlan,
    free: u16,
    /// The line: its first and last place in the table of callers.
    line: Option<(u16, u16)>,
}

impl Pool {
    pub(crate) fn new(plan: PoolPlan) -> Pool {
        Pool { plan, free: plan.proxies, line: None }
    }
    pub(crate) fn board(&self) -> u8 {
        self.plan.board
    }
    /// Takes a proxy for the caller at `place`, or puts it in line: whether it may send now.
    pub(crate) fn take(&mut self, place: u16, calls: &mut [OutCall]) -> bool {
        if self.free > 0 {
            self.free -= 1;
            return true;
        }
        calls[usize::from(place)].next = None;
        self.line = match self.line {
            None => Some((place, place)),
            Some((first, last)) => {
                calls[usize::from(last)].next = Some(place);
                Some((first, place))
            }
        };
        false
    }
    /// A proxy is free again: the first in line has it, and may send.
    pub(crate) fn give_back(&mut self, calls: &[OutCall]) -> Option<u16> {
        let Some((first, last)) = self.line else {
            self.free += 1;
            return None;
        };
        self.line = calls[usize::from(first)].next.map(|next| (next, last));
        Some(first)
    }
    /// The session has ended: all proxies are free and the line is empty.
    pub(crate) fn reset(&mut self) {
        (self.free, self.line) = (self.plan.proxies, None);
    }
}
