//! A board's pins in the model, as its driver sees them.

use super::peripherals::{ModelRegisters, Peripheral};
use super::state::{ModelState, Store};
use corosensei::Yielder;
use renga_hal::gpio::{PinBank, Pull};
use std::cell::RefCell;
use std::rc::Rc;

/// The pins of one board. Reads and waits let boards that are behind catch up.
pub struct ModelPins<'a> {
    state: Rc<RefCell<ModelState>>,
    board: usize,
    others: &'a Yielder<(), ()>,
}

impl<'a> ModelPins<'a> {
    pub(super) fn new(state: Rc<RefCell<ModelState>>, board: usize, others: &'a Yielder<(), ()>) -> ModelPins<'a> {
        ModelPins { state, board, others }
    }

    /// The registers of one of this board's peripherals.
    pub fn registers(&self, peripheral: Peripheral) -> ModelRegisters<'a> {
        ModelRegisters::new(self.state.clone(), self.board, self.others, peripheral)
    }

    /// Goes to sleep until `at_ns` of this board's time.
    fn sleep_until(&self, at_ns: u64) {
        self.state.borrow_mut().boards[self.board].wake_ns = at_ns;
        self.others.suspend(());
    }
}

impl PinBank for ModelPins<'_> {
    fn now_ns(&mut self) -> u64 {
        let mut state = self.state.borrow_mut();
        let now_ns = state.step(self.board);
        now_ns - now_ns % state.boards[self.board].speed.tick_ns
    }

    fn store_functions(&mut self, word: usize, value: u32) {
        self.state.borrow_mut().store(self.board, Store::Functions(word, value));
    }

    fn functions(&mut self, word: usize) -> u32 {
        self.state.borrow().functions(self.board, word)
    }

    fn set(&mut self, mask: u32) {
        self.state.borrow_mut().store(self.board, Store::Set(mask));
    }

    fn clear(&mut self, mask: u32) {
        self.state.borrow_mut().store(self.board, Store::Clear(mask));
    }

    fn set_pulls(&mut self, mask: u32, pull: Pull) {
        self.state.borrow_mut().set_pulls(self.board, mask, pull);
    }

    fn levels(&mut self) -> u32 {
        let (speed, issued_ns) = {
            let mut state = self.state.borrow_mut();
            state.touch(self.board, Peripheral::Pins);
            let speed = state.boards[self.board].speed;
            (speed, state.step(self.board))
        };
        let sample_ns = issued_ns + speed.read_ns / 2;
        self.sleep_until(sample_ns);
        let mut state = self.state.borrow_mut();
        state.boards[self.board].local_ns = issued_ns + speed.read_ns;
        state.sample(self.board, sample_ns)
    }

    fn fence(&mut self) {
        self.state.borrow_mut().fence(self.board);
    }

    fn wait_until(&mut self, at_ns: u64) {
        let now_ns = self.now_ns();
        let until_ns = at_ns.max(now_ns);
        self.sleep_until(until_ns);
        let mut state = self.state.borrow_mut();
        let owner = &mut state.boards[self.board];
        owner.local_ns = owner.local_ns.max(until_ns);
    }
}
