//! The harness: resistances, capacitances, which pin of which board is on which wire.
//!
//! Not here: what the pins do (`state`), voltages (`net`).

use super::net::{Net, Thresholds};
use super::peripherals::{LINK, SlavePins};
use super::{HarnessFault, ModelSetup};
use crate::pins::wiring::HarnessLine;
use std::vec::Vec;

/// Pins of a bank.
pub const PINS: usize = 32;

/// Resistances, ohm.
pub mod ohms {
    /// In series with a data pin, and with a control pin.
    pub const DATA: f64 = 220.0;
    pub const CONTROL: f64 = 68.0;
    pub const TOKEN_IN: f64 = 4_700.0;
    /// Of a pin that drives, at the 8 mA class.
    pub const PAD: f64 = 40.0;
    /// The hard pull-up of GPIO2 and GPIO3.
    pub const HARD_PULL: f64 = 1_800.0;
    /// The protection diode of a board without power, and its voltage.
    pub const CLAMP: f64 = 50.0;
    pub const CLAMP_V: f64 = 0.7;
    /// A wire that touches the supply or ground.
    pub const SHORT: f64 = 1.0;
}
/// Capacitance of the ribbon, and of each board on it, pF: 110 pF with eight boards.
pub const RIBBON_PF: f64 = 30.0;
pub const BOARD_PF: f64 = 10.0;
/// The wire at a pin of a board, with what is wrong with the harness.
pub fn wire_of(
    setup: &ModelSetup,
    board: usize,
    pin: usize,
    nets: &mut Vec<Net>,
    thresholds: [Thresholds; 2],
) -> usize {
    let boards = setup.boards.len();
    let mut place = pin;
    for fault in &setup.faults {
        match *fault {
            HarnessFault::Open { board: at, pin: open } if (usize::from(at), usize::from(open)) == (board, pin) => {
                nets.push(Net::new(BOARD_PF, thresholds));
                return nets.len() - 1;
            }
            HarnessFault::Swapped { board: at, pins: (a, b) } if usize::from(at) == board => {
                place = match pin {
                    _ if pin == usize::from(a) => usize::from(b),
                    _ if pin == usize::from(b) => usize::from(a),
                    _ => place,
                };
            }
            _ => {}
        }
    }
    for fault in &setup.faults {
        if let HarnessFault::Shorted(a, b) = *fault
            && place == usize::from(b)
        {
            place = usize::from(a);
        }
    }
    if let Some(serial) = setup.serial
        && let Some(wire) = SlavePins::of(&serial, &setup.boards[board]).wire(place)
    {
        place = wire;
    }
    // The token's output goes to the next board's input: the wire has the number of the pin that it leads to.
    match place {
        2 => PINS + (board + 1) % boards,
        _ if place == usize::from(token_in(setup)) => PINS + board,
        place if is_alone(setup, place) => {
            nets.push(Net::new(BOARD_PF, thresholds));
            nets.len() - 1
        }
        place => place,
    }
}

/// The pin of TOK_IN#.
pub fn token_in(setup: &ModelSetup) -> u8 {
    if setup.serial.is_some() { crate::spi::wiring::TOKEN_IN } else { HarnessLine::TokenIn.pin() }
}

/// Whether no wire of a bus over SPI leads to this pin.
fn is_alone(setup: &ModelSetup, pin: usize) -> bool {
    setup.serial.is_some() && LINK >> pin & 1 == 0
}
