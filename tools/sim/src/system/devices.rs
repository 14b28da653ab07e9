//! Imitated devices: a serial line, a power switch.
//!
//! Invariant: each answers at once; time is the processes' and the bus's. Not here: the medium (`disk.rs`).

use renga_hal::power::Power;
use renga_hal::uart::Uart;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A serial line whose other end is the host program.
#[derive(Clone, Default)]
pub struct SimLine {
    keys: Rc<RefCell<VecDeque<u8>>>,
    screen: Rc<RefCell<Vec<u8>>>,
}

impl SimLine {
    /// Presses keys; the console still has to be notified.
    pub fn press(&self, keys: &[u8]) {
        self.keys.borrow_mut().extend(keys);
    }
    /// All that was written.
    pub fn screen(&self) -> Vec<u8> {
        self.screen.borrow().clone()
    }
}

impl Uart for SimLine {
    fn try_write(&mut self, byte: u8) -> bool {
        self.screen.borrow_mut().push(byte);
        true
    }
    fn try_read(&mut self) -> Option<u8> {
        self.keys.borrow_mut().pop_front()
    }
    fn enable_receive_interrupt(&mut self, _: bool) {}
    fn enable_transmit_interrupt(&mut self, _: bool) {}
}

/// Remembers with what status the system was stopped first.
#[derive(Default)]
pub struct StopSwitch(Cell<Option<u8>>);

impl StopSwitch {
    /// The status, if it was stopped.
    pub fn status(&self) -> Option<u8> {
        self.0.get()
    }
}

impl Power for StopSwitch {
    fn stop(&self, status: u8) {
        self.0.set(self.0.get().or(Some(status)));
    }
}
