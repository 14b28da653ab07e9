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

/// A block of pins.
pub trait Gpio {
    /// Chooses what `pin` does.
    fn set_function(&mut self, pin: u8, function: Function);

    /// Chooses the resistor of `pin`. It survives a soft reset: boot sets all that matter.
    fn set_pull(&mut self, pin: u8, pull: Pull);

    /// Sets the latches of the pins in `mask`.
    fn set(&mut self, mask: u64);

    /// Clears the latches of the pins in `mask`.
    fn clear(&mut self, mask: u64);

    /// The levels at the pins.
    fn levels(&self) -> u64;
}
