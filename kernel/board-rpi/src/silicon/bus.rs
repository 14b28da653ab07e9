//! The bus between the processor and its peripherals. Without a barrier between two peripherals, one may get the
//! other's answer (the datasheet, 1.3): here that fails the test.

use super::clock::Clock;
use renga_hal::registers::Registers;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// An access takes so long, ns.
const ACCESS_NS: u64 = 50;

/// Registers that behave.
pub trait Device {
    /// A read.
    fn read(&mut self, offset: usize) -> u32;
    /// A write.
    fn write(&mut self, offset: usize, value: u32);
}

/// All peripherals of a board.
#[derive(Clone, Default)]
pub struct PeripheralBus {
    /// The peripheral that was accessed since the last barrier.
    last: Rc<Cell<Option<u32>>>,
    devices: Rc<Cell<u32>>,
    /// Time.
    pub clock: Clock,
}

/// One peripheral's registers, as a driver has them.
pub struct BusDevice<D> {
    bus: PeripheralBus,
    number: u32,
    device: Rc<RefCell<D>>,
}

/// As several handles to one block are.
impl<D> Clone for BusDevice<D> {
    fn clone(&self) -> Self {
        BusDevice { bus: self.bus.clone(), number: self.number, device: Rc::clone(&self.device) }
    }
}

impl PeripheralBus {
    /// Adds a peripheral; its registers, and the device for the test.
    pub fn add<D: Device>(&self, device: D) -> (BusDevice<D>, Rc<RefCell<D>>) {
        let number = self.devices.get();
        self.devices.set(number + 1);
        let device = Rc::new(RefCell::new(device));
        (BusDevice { bus: self.clone(), number, device: Rc::clone(&device) }, device)
    }

    fn access(&self, number: u32) {
        let last = self.last.replace(Some(number));
        assert!(last.is_none_or(|last| last == number), "from one peripheral to another without a barrier");
        self.clock.pass_ns(ACCESS_NS);
    }
}

impl<D: Device> Registers for BusDevice<D> {
    fn read(&self, offset: usize) -> u32 {
        self.bus.access(self.number);
        self.device.borrow_mut().read(offset)
    }
    fn write(&mut self, offset: usize, value: u32) {
        self.bus.access(self.number);
        self.device.borrow_mut().write(offset, value);
    }
    fn fence(&self) {
        self.bus.last.set(None);
    }
}

/// Registers that are memory, with whatever was in them.
pub struct Plain(pub Vec<u32>);

impl Plain {
    /// So many bytes of garbage.
    pub fn garbage(bytes: usize) -> Plain {
        let words = (0..bytes as u32 / 4).map(|word| word.wrapping_mul(0x9e37_79b9) ^ 0xdead_beef);
        Plain(words.collect())
    }
}

impl Device for Plain {
    fn read(&mut self, offset: usize) -> u32 {
        self.0[offset / 4]
    }
    fn write(&mut self, offset: usize, value: u32) {
        self.0[offset / 4] = value;
    }
}

/// Holds: silicon-code.
#[test]
#[should_panic(expected = "without a barrier")]
fn bus_peripheral_change_without_barrier_is_detected() {
    let bus = PeripheralBus::default();
    let ((first, _), (second, _)) = (bus.add(Plain::garbage(16)), bus.add(Plain::garbage(16)));
    first.read(0);
    second.read(0);
}
