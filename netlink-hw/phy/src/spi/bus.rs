//! One board's pins, master and slave on the bus.
//!
//! Invariant: a board gives its pins to its master only when no other board talks, and takes them back before the poll;
//! its slave never drives a wire. Not here: the handshake (`talk`, `listen`).

use super::wiring::{
    self, CLOCK, DATA, MASTER, OPEN_DRAIN, Role, SELECT, SpiChip, TERMINATED, TOKEN_IN, line_of, mask, slave,
};
use crate::FRAME_BYTES_MAX;
use crate::bus_phy::TokenBus;
use crate::pins::bus::{Layout, PinBus, Stopped};
use crate::pins::{BusError, Handshake, HarnessLine, PinTiming, PullUps, Reception, Width, Wiring};
use crate::token::Arming;
use renga_hal::gpio::PinBank;
use renga_hal::spi::{SpiReceiver, SpiSender};
use renga_wire::bus::{Answers, Poll};

pub(super) const ACCEPTED: u32 = mask(HarnessLine::NotAccepted);
pub(super) const READY: u32 = mask(HarnessLine::NotReady);
pub(super) const ATTENTION: u32 = mask(HarnessLine::Attention);

/// The bus as one board drives it.
pub struct SpiBus<G, M, S> {
    pub(super) pins: PinBus<G>,
    pub(super) sender: M,
    pub(super) receiver: S,
    pub(super) chip: SpiChip,
    /// The acknowledgement line that is released next, the other one being pulled.
    pub(super) due: u32,
}

impl<G: PinBank, M: SpiSender, S: SpiReceiver> SpiBus<G, M, S> {
    /// Takes the pins over, all released. `timing`: see [`super::timing`].
    pub fn begin(gpio: G, sender: M, receiver: S, chip: SpiChip, board: u8, pulls: PullUps, timing: PinTiming) -> Self {
        let layout = Layout {
            data: DATA,
            terminated: TERMINATED,
            open_drain: OPEN_DRAIN,
            token_in: 1 << TOKEN_IN,
            down: DATA | CLOCK,
            off: slave(chip) & !MASTER,
            functions: wiring::functions(chip, Role::Listens),
            line_of,
        };
        // Of the pins' wiring only the pull-ups matter here.
        let wiring = Wiring { width: Width::One, handshake: Handshake::TwoEdge, pulls };
        let mut pins = PinBus::begin_on(gpio, board, wiring, timing, &layout);
        // What select is driven to in the poll.
        pins.gpio.clear(SELECT);
        SpiBus { pins, sender, receiver, chip, due: ACCEPTED }
    }

    /// Bounds and pauses.
    pub fn timing(&self) -> &PinTiming {
        self.pins.timing()
    }

    /// Changes the role of the pins: select is driven first, and let go last.
    pub(super) fn route(&mut self, role: Role) {
        let words = if role == Role::Listens { [2, 1, 0] } else { [0, 1, 2] };
        self.pins.route(MASTER | slave(self.chip), wiring::functions(self.chip, role), words);
    }

    /// Releases all but the token's lines.
    pub(super) fn release(&mut self) {
        self.route(Role::Listens);
        self.pins.change(0, ACCEPTED | READY | ATTENTION);
    }

    pub(super) fn stop(&mut self, why: BusError) -> Stopped {
        self.pins.stop(why)
    }

    /// The other acknowledgement is due next.
    pub(super) fn turn_round(&mut self) {
        self.due ^= ACCEPTED | READY;
    }
}

impl<G: PinBank, M: SpiSender, S: SpiReceiver> TokenBus for SpiBus<G, M, S> {
    type Pins = G;

    fn mask(line: HarnessLine) -> u32 {
        mask(line)
    }
    fn board(&self) -> u8 {
        self.pins.board()
    }
    fn gpio(&mut self) -> &mut G {
        self.pins.gpio()
    }
    fn levels(&mut self) -> u32 {
        self.pins.levels()
    }
    fn frame_begins(levels: u32) -> bool {
        levels & (ATTENTION | READY | SELECT) == SELECT
    }
    fn change(&mut self, pull: u32, release: u32) {
        self.pins.change(pull, release);
    }
    fn pulls(&self, mask: u32) -> bool {
        self.pins.pulls(mask)
    }
    fn pulls_all(&self, mask: u32) -> bool {
        self.pins.pulls_all(mask)
    }
    fn talk(&mut self, frame: &[u8], _: Arming) -> Result<Poll, BusError> {
        // Its slots separate two talkers by time; beside its chunks the pause is short.
        SpiBus::talk(self, frame)
    }
    fn listen(
        &mut self,
        into: &mut [u8; FRAME_BYTES_MAX],
        room: bool,
        answers: &Answers,
    ) -> Result<Reception, BusError> {
        SpiBus::listen(self, into, room, answers)
    }
    fn bid(&mut self) -> u16 {
        SpiBus::bid(self)
    }
}
