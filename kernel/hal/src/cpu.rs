//! What a core's executor needs of its processor.

/// One core.
pub trait Cpu {
    /// Stops until an interrupt is pending; it is not taken but left to `irq::Irq::pending`.
    fn wait_for_interrupt(&self);

    /// A counter for measurements: ticks of the system counter (instructions in the emulator when a
    /// tick is 1 ns and an instruction takes one).
    fn cycles(&self) -> u64;

    /// Index of this core on its board.
    fn core(&self) -> u8;
}
