//! The devices of a board that programs meet: its serial line and its power.

use renga_hal::power::Power;
use renga_hal::uart::Uart;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A serial line whose other end is the test.
#[derive(Clone, Default)]
pub struct Line {
    pub(super) keys: Rc<RefCell<VecDeque<u8>>>,
    pub(super) screen: Rc<RefCell<Vec<u8>>>,
}

impl Uart for Line {
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

/// Remembers with what status the system was stopped.
#[derive(Default)]
pub struct Switch(pub Cell<Option<u8>>);

impl Power for Switch {
    fn stop(&self, status: u8) {
        // A power switch that takes a while: the first word counts.
        self.0.set(self.0.get().or(Some(status)));
    }
}
