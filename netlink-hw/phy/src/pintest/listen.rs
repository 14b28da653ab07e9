//! The listeners: each answers which wire it saw fall.

use super::Tester;
use super::harness::{Use, Wire};
use super::slots::{CODE_BITS, LISTEN_NS_MAX, POLL_NS, SYMBOL_NS, answered_ns, bit_ns, code, due_ns, restart_ns};
use renga_hal::gpio::PinBank;

/// More than two that touch.
const MANY_WIRES: usize = 3;

impl<G: PinBank> Tester<G> {
    /// Answers until the wires were still for as long as this board waits.
    pub(super) fn listen(&mut self) {
        let begin_ns = self.pins.now_ns();
        let (mut rest, mut changed_ns) = (self.pins.levels(), begin_ns);
        loop {
            let now_ns = self.pins.now_ns();
            let levels = self.pins.levels();
            let fallen = rest & !levels;
            if fallen != 0 {
                // The board that led first leads again.
                self.led &= now_ns - changed_ns < restart_ns(self.boards);
                self.answer(now_ns, rest);
            }
            if levels != rest {
                (rest, changed_ns) = (self.pins.levels(), self.pins.now_ns());
            }
            let still_ns = now_ns.saturating_sub(changed_ns);
            if still_ns >= due_ns(self.board, self.boards, self.led) || now_ns - begin_ns >= LISTEN_NS_MAX {
                return;
            }
            self.pins.wait_until(now_ns + POLL_NS);
        }
    }

    /// A wire of `rest` fell at `begin_ns`: says which, and lets the others say it.
    fn answer(&mut self, begin_ns: u64, rest: u32) {
        self.pins.wait_until(begin_ns + SYMBOL_NS / 2);
        let seen = rest & !self.pins.levels();
        // The board that measures a rise has released the wire by now.
        if let Some(wire) = self.meant(seen) {
            let on = self.answers_on(wire, seen);
            for bit in 0..CODE_BITS {
                self.pins.wait_until(begin_ns + bit_ns(self.board, bit));
                self.pins.pull(if code(wire) >> bit & 1 != 0 { on } else { 0 });
            }
            self.pins.wait_until(begin_ns + bit_ns(self.board, CODE_BITS));
            self.pins.pull(0);
        }
        self.pins.wait_until(begin_ns + answered_ns(self.boards));
    }

    /// Which wire was marked if those of `seen` fell: the first of them. If many fell it was the token's, marked so
    /// that all know that answers follow; only the board that it leads to has anything to say.
    fn meant(&self, seen: u32) -> Option<usize> {
        let wires = self.report.harness.wires();
        let many = wires.iter().filter(|wire| wire.pins & seen != 0).count() >= MANY_WIRES;
        let meant = |wire: &Wire| wire.pins & seen != 0 && (wire.used.is_token() || !many);
        wires.iter().position(meant)
    }

    /// By which pins it is said that wire `number` fell, of `seen`. The token's is not heard from the other end, behind
    /// its series resistor: instead by all shared control lines, of which one may do.
    fn answers_on(&self, number: usize, seen: u32) -> u32 {
        let wire = self.report.harness.wires()[number];
        let own = wire.pins & seen;
        if wire.used.is_token() { self.control_pins() } else { own & own.wrapping_neg() }
    }

    /// The pins of the control lines that all share.
    pub(super) fn control_pins(&self) -> u32 {
        self.report.harness.pulls_of(|wire| wire.used == Use::Control)
    }
}
