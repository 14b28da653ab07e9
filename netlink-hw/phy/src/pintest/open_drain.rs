//! Pins that are pulled low or let go, with pull-ups: the only way in which this test drives a wire.
//!
//! Invariant: the latch of each of these pins is low before it becomes an output, and stays so.

use crate::pins::wiring::{function_bits, outputs};
use renga_hal::gpio::{PinBank, Pull};

const WORDS: usize = 3;

pub struct OpenDrain<G> {
    pub gpio: G,
    pins: u32,
    /// Function words with all of these pins inputs.
    base: [u32; WORDS],
}

impl<G: PinBank> OpenDrain<G> {
    /// Lets go of all of `pins`, and switches their pull-ups on.
    pub fn begin(mut gpio: G, pins: u32) -> OpenDrain<G> {
        let base = [0, 1, 2].map(|word| gpio.functions(word) & !function_bits(pins, word as u32));
        let mut open = OpenDrain { gpio, pins, base };
        open.pull(0);
        open.gpio.clear(pins);
        open.gpio.set_pulls(pins, Pull::Up);
        open
    }

    /// Pulls those of `mask`, and lets go of all others.
    pub fn pull(&mut self, mask: u32) {
        for (word, base) in self.base.iter().enumerate() {
            self.gpio.store_functions(word, base | outputs(mask & self.pins, word as u32));
        }
    }

    /// Which of the pins are high.
    pub fn levels(&mut self) -> u32 {
        self.gpio.levels() & self.pins
    }

    pub fn now_ns(&mut self) -> u64 {
        self.gpio.now_ns()
    }

    pub fn wait_until(&mut self, at_ns: u64) {
        self.gpio.wait_until(at_ns);
    }
}
