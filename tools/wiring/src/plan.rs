//! The plan: every wire, with the pins that it joins.

use crate::header::place_of;
use crate::spi_pins::{SpiPins, chip, spi_pins};
use renga_boot_card::{LinkMode, Model};
use renga_phy::pins::wiring::{DATA_NAMES, TERMINATED};
use renga_phy::pins::{HarnessLine, Width, data_pin};
use renga_phy::spi::wiring as spi;

/// In series with a pin of a data wire, of a control line, and of TOK_IN#, ohm.
const DATA_OHM: u32 = 220;
const CONTROL_OHM: u32 = 68;
const TOKEN_IN_OHM: u32 = 4_700;
/// From a terminated line to 3.3 V, once on the harness, ohm.
const PULL_UP_OHM: u32 = 1_000;

/// A board of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedBoard {
    /// Its name.
    pub name: String,
    /// What it is.
    pub model: Model,
}

/// A pin that is on a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanPin {
    /// The board's number.
    pub board: usize,
    /// The processor's pin.
    pub gpio: u8,
    /// Its place on the header.
    pub place: u8,
    /// The resistor between it and the wire, ohm; 0 is none.
    pub series_ohm: u32,
}

/// What a wire is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireKind {
    /// A control line, which all boards share.
    Control,
    /// A data wire, or one of SPI, which all boards share.
    Data,
    /// The token, from one board to the next.
    Token,
}

/// A wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanWire {
    /// The name on the harness; of the token, both boards'.
    pub name: String,
    /// What it is for.
    pub kind: WireKind,
    /// What it joins: of the token the output first.
    pub pins: Vec<PlanPin>,
    /// The one resistor between it and 3.3 V, ohm.
    pub pull_up_ohm: Option<u32>,
}

/// The wires of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WiringPlan {
    /// Its boards, by number: the token goes round in this order.
    pub boards: Vec<PlannedBoard>,
    /// What joins them.
    pub link: LinkMode,
    /// The wires that all boards share, then those of the token.
    pub wires: Vec<PlanWire>,
}

impl WiringPlan {
    /// For these boards. One board alone has no wires.
    pub fn of(boards: &[PlannedBoard], link: LinkMode) -> WiringPlan {
        let (boards, mut wires) = (boards.to_vec(), Vec::new());
        if boards.len() > 1 {
            wires.extend(match link {
                LinkMode::Pins => on_pins(&boards, Width::Sixteen),
                LinkMode::Pins4 => on_pins(&boards, Width::Four),
                LinkMode::Spi => over_spi(&boards),
            });
            wires.extend(token(&boards, link));
        }
        WiringPlan { boards, link, wires }
    }

    /// The wires that all boards share.
    pub fn shared(&self) -> impl Iterator<Item = &PlanWire> {
        self.wires.iter().filter(|wire| wire.kind != WireKind::Token)
    }

    /// Those of the token.
    pub fn tokens(&self) -> impl Iterator<Item = &PlanWire> {
        self.wires.iter().filter(|wire| wire.kind == WireKind::Token)
    }
}

/// The lines that all boards share, but for the strobe's place.
const CONTROL: [HarnessLine; 5] =
    [HarnessLine::Busy, HarnessLine::Strobe, HarnessLine::NotReady, HarnessLine::NotAccepted, HarnessLine::Attention];

fn on_pins(boards: &[PlannedBoard], width: Width) -> Vec<PlanWire> {
    let all = |mask: u32| vec![mask; boards.len()];
    let control = CONTROL.map(|line| shared(line.name(), WireKind::Control, &all(line.mask()), TERMINATED));
    let data = (0..width.wires() as u8).zip(DATA_NAMES);
    let data = data.map(|(wire, name)| shared(name, WireKind::Data, &all(1 << data_pin(wire)), TERMINATED));
    control.into_iter().chain(data).collect()
}

fn over_spi(boards: &[PlannedBoard]) -> Vec<PlanWire> {
    let pins: Vec<SpiPins> = boards.iter().map(|board| spi_pins(chip(board.model))).collect();
    let of = |wire: fn(&SpiPins) -> u32| pins.iter().map(wire).collect::<Vec<u32>>();
    let data = [("CE#", of(|pins| pins.select)), ("DATA", of(|pins| pins.data)), ("SCLK", of(|pins| pins.clock))];
    let data = data.map(|(name, masks)| shared(name, WireKind::Data, &masks, spi::TERMINATED));
    // The select is in the place of the strobe.
    let control = CONTROL.into_iter().filter(|line| *line != HarnessLine::Strobe);
    let control = control
        .map(|line| shared(line.name(), WireKind::Control, &vec![spi::mask(line); boards.len()], spi::TERMINATED));
    control.chain(data).collect()
}

/// A wire to the pins of `masks`, those of each board.
fn shared(name: &str, kind: WireKind, masks: &[u32], terminated: u32) -> PlanWire {
    let series_ohm = if kind == WireKind::Data { DATA_OHM } else { CONTROL_OHM };
    let of_board = |(board, mask): (usize, &u32)| gpios(*mask).map(move |gpio| pin(board, gpio, series_ohm));
    let pins: Vec<PlanPin> = masks.iter().enumerate().flat_map(of_board).collect();
    let is_terminated = masks.iter().any(|mask| mask & terminated != 0);
    PlanWire { name: name.to_string(), kind, pins, pull_up_ohm: is_terminated.then_some(PULL_UP_OHM) }
}

/// From each board to the next, and from the last to the first.
fn token(boards: &[PlannedBoard], link: LinkMode) -> impl Iterator<Item = PlanWire> {
    let mask = move |line: HarnessLine| if link == LinkMode::Spi { spi::mask(line) } else { line.mask() };
    let end = move |board: usize, line: HarnessLine, series_ohm: u32| {
        gpios(mask(line)).map(move |gpio| pin(board, gpio, series_ohm))
    };
    (0..boards.len()).map(move |from| {
        let to = (from + 1) % boards.len();
        let name = format!("token, {} to {}", boards[from].name, boards[to].name);
        let pins = end(from, HarnessLine::TokenOut, 0).chain(end(to, HarnessLine::TokenIn, TOKEN_IN_OHM)).collect();
        PlanWire { name, kind: WireKind::Token, pins, pull_up_ohm: None }
    })
}

fn pin(board: usize, gpio: u8, series_ohm: u32) -> PlanPin {
    let place = place_of(gpio).expect("the header has every pin that a link uses, as a test checks");
    PlanPin { board, gpio, place, series_ohm }
}

fn gpios(mask: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |gpio| mask >> gpio & 1 != 0)
}
