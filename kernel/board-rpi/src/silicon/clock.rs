//! Time that passes with each reading.

use renga_hal::timer::HardwareTimer;
use std::cell::Cell;
use std::rc::Rc;

/// A reading of the clock takes so long, ns.
const POLL_NS: u64 = 100;

/// A clock; copies show the same time.
#[derive(Clone, Default)]
pub struct Clock(Rc<Cell<u64>>);

impl Clock {
    /// The time, without a reading.
    pub fn peek_ns(&self) -> u64 {
        self.0.get()
    }
    /// Lets time pass.
    pub fn pass_ns(&self, ns: u64) {
        self.0.set(self.0.get() + ns);
    }
}

impl HardwareTimer for Clock {
    fn now_ns(&self) -> u64 {
        self.pass_ns(POLL_NS);
        self.0.get()
    }
    fn set_alarm_ns(&mut self, _: Option<u64>) {}
}
