//! The plan as a page of Markdown.

use crate::header::{HeaderUse, grounds, place_of, use_of};
use crate::plan::{PlanPin, PlanWire, WiringPlan};
use std::fmt::Write;

/// Pins of the console: out, in.
const CONSOLE: [u8; 2] = [14, 15];

/// The page of cluster `cluster`, beside which the drawing is called `drawing`.
pub fn page(plan: &WiringPlan, cluster: &str, drawing: &str) -> String {
    let boards: Vec<String> = plan.boards.iter().map(|board| format!("{} (a {})", board.name, board.model)).collect();
    let mut page = format!("# Wiring of cluster {cluster}\n\nBoards: {}.", boards.join(", "));
    if plan.wires.is_empty() {
        page += " One board alone has no link.\n\n";
        return page + &console();
    }
    let _ = write!(
        page,
        " Link: `{}`. **Nobody has built this yet**: pins and values follow from data sheets.\n\n\
         ![Which place of which header is joined to which]({drawing})\n\n\
         A figure is a place on the header of 40; behind it is the processor's pin. Place 1 is at the card's end, in \
         the inner row of odd places.\n\n",
        plan.link
    );
    page += &shared(plan);
    page += &token(plan);
    page += &parts(plan);
    page += &supply();
    page + &console()
}

/// What joins all boards: a row for each wire.
fn shared(plan: &WiringPlan) -> String {
    let names: Vec<&str> = plan.boards.iter().map(|board| board.name.as_str()).collect();
    let mut text = format!(
        "## Wires that all boards share\n\n| Wire | {} | In series, at each pin | To 3.3 V, once |\n|---|{}---|---|\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    for wire in plan.shared() {
        let of_board = |board: usize| {
            let pins: Vec<String> = wire.pins.iter().filter(|pin| pin.board == board).map(pin_text).collect();
            pins.join(" and ")
        };
        let cells: Vec<String> = (0..names.len()).map(of_board).collect();
        let series_ohm = wire.pins.first().map_or(0, |pin| pin.series_ohm);
        let pull_up = wire.pull_up_ohm.map(ohms).unwrap_or_default();
        let _ = writeln!(text, "| {} | {} | {} | {pull_up} |", wire.name, cells.join(" | "), ohms(series_ohm));
    }
    text + "\n"
}

/// The token's way: a row for each pair of boards.
fn token(plan: &WiringPlan) -> String {
    let mut text = "## The token\n\nEach board's TOK_OUT# leads to TOK_IN# of the next board, the last one's to the \
        first.\n\n| Wire | From TOK_OUT# | To TOK_IN# | In series, at TOK_IN# |\n|---|---|---|---|\n"
        .to_string();
    for wire in plan.tokens() {
        let ends: Vec<String> =
            wire.pins.iter().map(|pin| format!("{} {}", plan.boards[pin.board].name, pin_text(pin))).collect();
        let series_ohm = wire.pins.last().map_or(0, |pin| pin.series_ohm);
        let _ = writeln!(text, "| {} | {} | {} |", wire.name, ends.join(" | "), ohms(series_ohm));
    }
    text + "\n"
}

/// The resistors to buy.
fn parts(plan: &WiringPlan) -> String {
    let mut counts = std::collections::BTreeMap::<u32, usize>::new();
    let of_wire = |wire: &PlanWire| {
        let series = wire.pins.iter().map(|pin| pin.series_ohm).filter(|ohm| *ohm != 0);
        series.chain(wire.pull_up_ohm).collect::<Vec<u32>>()
    };
    plan.wires.iter().flat_map(of_wire).for_each(|ohm| *counts.entry(ohm).or_default() += 1);
    let list: Vec<String> = counts.iter().map(|(ohm, count)| format!("{count} of {}", ohms(*ohm))).collect();
    format!("## Resistors\n\n{}.\n\n", list.join(", "))
}

fn supply() -> String {
    let places = |wanted: HeaderUse| (1..=40).filter(move |place| use_of(*place) == Some(wanted));
    format!(
        "## Ground and supply\n\n\
         - Join ground of all boards, places {}, with a ground beside every few wires, 0.5 m at most.\n\
         - The resistors to 3.3 V are at place {} of one board only.\n\
         - Join no 5 V (places {}), and no 3.3 V of two boards. One switch gives all boards power at once.\n\n",
        list(grounds(), "and"),
        list(places(HeaderUse::Volts3), "or"),
        list(places(HeaderUse::Volts5), "and"),
    )
}

fn console() -> String {
    let [out, input] = CONSOLE.map(|gpio| format!("{} (GPIO{gpio})", place_of(gpio).unwrap_or_default()));
    format!(
        "## Consoles\n\nEach board has a serial adapter of 3.3 V: its RX at {out}, its TX at {input}, its ground at any \
         ground.\n"
    )
}

fn list(places: impl Iterator<Item = u8>, word: &str) -> String {
    let places: Vec<String> = places.map(|place| place.to_string()).collect();
    match places.as_slice() {
        [all @ .., last] if !all.is_empty() => format!("{} {word} {last}", all.join(", ")),
        all => all.concat(),
    }
}

fn pin_text(pin: &PlanPin) -> String {
    format!("{} (GPIO{})", pin.place, pin.gpio)
}

/// A resistance in words.
fn ohms(ohm: u32) -> String {
    match ohm {
        0 => String::new(),
        1000.. if ohm.is_multiple_of(1000) => format!("{} kohm", ohm / 1000),
        1000.. => format!("{}.{} kohm", ohm / 1000, ohm % 1000 / 100),
        _ => format!("{ohm} ohm"),
    }
}
