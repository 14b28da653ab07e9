//! General-purpose pins, up to 64 of them; pin `n` is bit `n` of a mask.

/// What a pin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The pin is read.
    Input,
    /// The pin is driven to its latch.
    Output,
    /// The pin belongs to a peripheral: alternative 0 to 5.
    Alternative(u8),
}

/// The resistor on an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pull {
    /// None.
    Off,
    /// To ground.
    Down,
    /// To the supply.
    Up,
}

/// The first 32 pins as words, for a driver that plays a protocol on them.
///
/// Stores are posted: they return before the pins change, and keep their order. A driver is straight-line
/// code that spins on [`PinBank::levels`]; an imitation of several boards gives each of them a stack of its
/// own, and in a read or a wait runs whichever board is behind in time.
pub trait PinBank {
    /// Time since boot, ns. Never goes back.
    fn now_ns(&mut self) -> u64;

    /// Stores `value` in function word `word`: three bits a pin, ten pins a word; 0 input, 1 output.
    fn store_functions(&mut self, word: usize, value: u32);

    /// What function word `word` holds.
    fn functions(&mut self, word: usize) -> u32;

    /// Sets the latches of the pins in `mask`. The latch of an input appears when it becomes an output.
    fn set(&mut self, mask: u32);

    /// Clears the latches of the pins in `mask`.
    fn clear(&mut self, mask: u32);

    /// Chooses the resistor of each pin in `mask`.
    fn set_pulls(&mut self, mask: u32, pull: Pull);

    /// The levels at the pins.
    fn levels(&mut self) -> u32;

    /// Interrupts while the levels of the pins in `mask` are not as in `levels`; an empty mask: never.
    fn wake_on_change(&mut self, mask: u32, levels: u32) {
        let _ = (mask, levels);
    }

    /// Orders all earlier accesses before all later ones, whichever peripherals they go to.
    fn fence(&mut self) {}

    /// Lets time pass until `at_ns`.
    fn wait_until(&mut self, at_ns: u64) {
        while self.now_ns() < at_ns {}
    }
}
