//! The cores of one board of the simulator: one, or several that the seed interleaves.
//!
//! Invariant: a board of one core takes nothing from the seed. Not here: how cores do steps
//! (`renga_core::interleaved`).

use crate::trace::SimTrace;
use renga_core::interleaved::{Choose, Cores};
use renga_random::Random;
use renga_rt::host::HostBoard;
use std::cell::RefCell;
use std::rc::Rc;

/// Dispatches after which a board that does not come to rest is called endless.
const DISPATCHES_MAX: u64 = 50_000_000;

/// Those of one board.
pub struct BoardCores {
    number: u8,
    /// The board, for processes of each.
    each: Vec<HostBoard>,
    /// If they are several: what they do next.
    several: Option<(Cores, Choose)>,
}

impl BoardCores {
    /// `count` cores of board `number` with `memory_bytes` of boot memory.
    pub fn new(number: u8, count: u8, memory_bytes: usize, seed: u64) -> BoardCores {
        if count == 1 {
            return BoardCores { number, each: vec![HostBoard::new(number, memory_bytes)], several: None };
        }
        let random = RefCell::new(Random::new(seed));
        let choose: Choose = Rc::new(move |limit| random.borrow_mut().below(limit));
        let cores = Cores::new(number, usize::from(count), memory_bytes);
        let each = (0..usize::from(count)).map(|core| cores.on(core)).collect();
        BoardCores { number, each, several: Some((cores, choose)) }
    }

    /// The board, as it is for processes of each core.
    pub fn each(&self) -> &[HostBoard] {
        &self.each
    }

    /// Dispatches until nothing is ready on any; whether anything was.
    ///
    /// # Panics
    /// If that does not come.
    pub fn run(&self, trace: &SimTrace) -> bool {
        let take = |core: usize| trace.take(self.number, self.each[core].core.take_events());
        if let Some((cores, choose)) = &self.several {
            return cores.run_each(choose, &take);
        }
        for dispatches in 0..DISPATCHES_MAX {
            if !self.each[0].core.dispatch() {
                return dispatches > 0;
            }
            take(0);
        }
        panic!("board {} never comes to rest", self.number);
    }

    /// Time is `now_ns`; alarms that are due go off.
    pub fn pass(&self, now_ns: u64) {
        for board in &self.each {
            board.core.set_now_ns(now_ns);
            board.core.expire_alarms(now_ns);
        }
    }

    /// When the first alarm is due.
    pub fn next_alarm_ns(&self) -> Option<u64> {
        self.each.iter().filter_map(|board| board.core.next_alarm_ns()).min()
    }
}
