//! Imitated devices: a medium in memory, a serial line, a power switch.
//!
//! Invariant: each answers at once; time is the processes' (`fs`'s model of a medium) and the bus's.

use renga_hal::block::{Block, BlockError, SECTOR_BYTES, check_range};
use renga_hal::power::Power;
use renga_hal::uart::Uart;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A medium in memory.
#[derive(Clone, Default)]
pub struct Disk(Rc<RefCell<Vec<u8>>>);

impl Disk {
    /// A medium with this content.
    pub fn new(bytes: Vec<u8>) -> Disk {
        Disk(Rc::new(RefCell::new(bytes)))
    }
    /// What is on it now.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.borrow().clone()
    }
    /// Takes everything off it.
    pub(super) fn clear(&self) {
        self.0.take();
    }
}

impl Block for Disk {
    fn blocks(&self) -> u64 {
        (self.0.borrow().len() / SECTOR_BYTES) as u64
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, out.len())?;
        let at = sector as usize * SECTOR_BYTES;
        out.copy_from_slice(&self.0.borrow()[at..at + out.len()]);
        Ok(())
    }
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, data.len())?;
        let at = sector as usize * SECTOR_BYTES;
        self.0.borrow_mut()[at..at + data.len()].copy_from_slice(data);
        Ok(())
    }
}

/// A serial line whose other end is the host program.
#[derive(Clone, Default)]
pub struct Line {
    keys: Rc<RefCell<VecDeque<u8>>>,
    screen: Rc<RefCell<Vec<u8>>>,
}

impl Line {
    /// Presses keys; the console still has to be notified.
    pub fn press(&self, keys: &[u8]) {
        self.keys.borrow_mut().extend(keys);
    }
    /// All that was written.
    pub fn screen(&self) -> Vec<u8> {
        self.screen.borrow().clone()
    }
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

/// Remembers with what status the system was stopped first.
#[derive(Default)]
pub struct Switch(Cell<Option<u8>>);

impl Switch {
    /// The status, if it was stopped.
    pub fn status(&self) -> Option<u8> {
        self.0.get()
    }
}

impl Power for Switch {
    fn stop(&self, status: u8) {
        self.0.set(self.0.get().or(Some(status)));
    }
}
