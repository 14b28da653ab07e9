//! The leader: it pulls one wire after the other, and notes what happens.

use super::harness::Use;
use super::report::{Answer, PinReport};
use super::slots::{CODE_BITS, RISES, SYMBOL_NS, bit_ns, wire_ns, wire_of};
use super::{READINGS, Tester};
use renga_hal::gpio::PinBank;

/// Wires that are let go are up after so long, ns.
const RISEN_NS: u64 = 50_000;
/// Wires that are pulled are down after so long, ns: shorter than others take to believe it.
const FALLEN_NS: u64 = 5_000;

impl<G: PinBank> Tester<G> {
    /// One round as leader.
    pub(super) fn lead(&mut self) {
        self.report.restart();
        let begin_ns = self.pins.now_ns();
        self.pins.wait_until(begin_ns + RISEN_NS);
        let rest = self.pins.levels();
        let PinReport { harness, sights, .. } = &mut self.report;
        for (wire, sight) in harness.wires().iter().zip(sights) {
            sight.held_low = rest & wire.pins == 0;
        }
        (0..RISES).for_each(|_| self.measure_rise(rest));
        for wire in 0..self.report.harness.wires().len() {
            if !self.report.sights[wire].held_low && self.report.harness.wires()[wire].used != Use::TokenIn {
                self.try_wire(wire, rest);
            }
        }
    }

    /// Lets all wires go at once and notes when each is up.
    fn measure_rise(&mut self, rest: u32) {
        let begin_ns = self.pins.now_ns();
        self.pins.pull(rest);
        self.pins.wait_until(begin_ns + FALLEN_NS);
        self.pins.gpio.fence();
        let go_ns = self.pins.now_ns();
        self.pins.pull(0);
        for reading in &mut self.readings {
            *reading = self.pins.gpio.levels();
        }
        self.pins.gpio.fence();
        let read_ns = ((self.pins.now_ns() - go_ns) / READINGS as u64).max(1);
        let PinReport { harness, sights, read_ns: least_ns, .. } = &mut self.report;
        // A stall makes the average longer, and a wire seem to rise within fewer readings.
        *least_ns = if *least_ns == 0 { read_ns } else { read_ns.min(*least_ns) };
        for (wire, sight) in harness.wires().iter().zip(sights) {
            let low = |reading: &u32| reading & wire.pull == 0;
            let rise = self.readings.iter().rposition(low).map_or(0, |last| last + 1);
            sight.rise_readings = sight.rise_readings.max((rise < READINGS).then_some(rise));
        }
        self.pins.wait_until(begin_ns + wire_ns(self.boards));
    }

    /// Pulls one wire, and reads which boards saw it.
    fn try_wire(&mut self, number: usize, rest: u32) {
        let wire = self.report.harness.wires()[number];
        // The token's wire leads to one board only: the others are to know that it answers.
        let mark = wire.pull | if wire.used == Use::TokenOut { self.control_pins() } else { 0 };
        let begin_ns = self.pins.now_ns();
        self.pins.pull(mark);
        self.pins.wait_until(begin_ns + SYMBOL_NS / 2);
        let fallen = rest & !self.pins.levels();
        let sight = &mut self.report.sights[number];
        // A wire that touches the token's shows when it is pulled itself.
        sight.touches = if wire.used == Use::TokenOut { 0 } else { fallen & !wire.pins };
        sight.unjoined = wire.pins & !fallen;
        self.pins.wait_until(begin_ns + SYMBOL_NS);
        self.pins.pull(0);
        let on = (wire.pull | self.control_pins()) & rest;
        let own = self.board;
        for board in (0..self.boards).filter(|board| *board != own) {
            let answer = self.hear(begin_ns, board, on);
            self.report.sights[number].answers[usize::from(board)] = answer;
        }
        self.pins.wait_until(begin_ns + wire_ns(self.boards));
    }

    /// What `board` says by pulling any of `on`.
    fn hear(&mut self, begin_ns: u64, board: u8, on: u32) -> Answer {
        let mut said = 0;
        for bit in 0..CODE_BITS {
            self.pins.wait_until(begin_ns + bit_ns(board, bit) + SYMBOL_NS / 2);
            said |= u32::from(on & !self.pins.levels() != 0) << bit;
        }
        match wire_of(said) {
            _ if said == 0 => Answer::None,
            Some(wire) if wire < self.report.harness.wires().len() => Answer::Sees(wire),
            _ => Answer::Garbled,
        }
    }
}
