//! The plan as a drawing (SVG): a strip for each board with its pins, a vertical line for each wire that they share,
//! the token's wires beside.
//!
//! Invariant: each pin of the plan is drawn once, with its resistor; a dot is where a pin joins its wire.

use crate::header::grounds;
use crate::plan::{PlanPin, PlanWire, WireKind, WiringPlan};
use std::fmt::Write;

/// Where the first board's column of pins begins, and how far one is from the next, in units of the drawing.
const LEFT: usize = 150;
const PITCH: usize = 46;
/// Where the first board's strip begins, its height, and how far one is from the next.
const TOP: usize = 268;
const STRIP: usize = 46;
const STEP: usize = 150;
/// Where the rail of 3.3 V and the ends of the wires are.
const RAIL: usize = 146;
const WIRES_TOP: usize = 196;
/// Length of a resistor.
const RESISTOR: usize = 30;
/// From a strip up to where its pins join their wires.
const STUB: usize = 58;
/// Where the last board's token goes up to the first.
const TOKEN_BACK: usize = 18;
const TOKEN_COLOUR: &str = "#b60";
const SUPPLY_COLOUR: &str = "#c00";

/// A column of pins.
struct PinColumn<'a> {
    wire: &'a PlanWire,
    /// Of a board's pins on that wire the first, second and so on.
    nth: usize,
    x: usize,
    /// The vertical line of the wire.
    wire_x: usize,
}

/// The drawing of the plan of cluster `cluster`.
pub fn drawing(plan: &WiringPlan, cluster: &str) -> String {
    let columns = columns(plan);
    let ground_x = columns.last().map_or(LEFT + 3 * PITCH, |column| column.wire_x) + PITCH;
    let right = ground_x + PITCH;
    let (width, height) = (right + 20, strip_y(plan.boards.len()) - STEP + STRIP + 60);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\" role=\"img\" aria-label=\"Wiring of {} boards\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n",
        plan.boards.len()
    );
    text(&mut svg, 20, 30, "font-size=\"19\" font-weight=\"bold\"", &format!("Wiring of cluster {cluster}"));
    text(&mut svg, 20, 52, "fill=\"#a00\"", "Drawn from the data sheets. Nobody has built it yet.");
    let facts = "In each box: the place on the header, and the processor's pin below it. Resistors in ohm.";
    text(&mut svg, 20, 72, "fill=\"#555\"", facts);
    columns.iter().filter(|column| column.nth == 0).for_each(|column| shared_wire(&mut svg, plan, column));
    rail(&mut svg, &columns);
    ground(&mut svg, ground_x, plan.boards.len());
    for (number, board) in plan.boards.iter().enumerate() {
        let y = strip_y(number);
        let _ = writeln!(
            svg,
            "<rect x=\"40\" y=\"{y}\" width=\"{}\" height=\"{STRIP}\" rx=\"6\" fill=\"#f3f6f3\" stroke=\"#333\" \
             stroke-width=\"1.5\"/>",
            right - 40
        );
        text(&mut svg, 52, y + 20, "font-weight=\"bold\"", &format!("board {}", board.name));
        text(&mut svg, 52, y + 37, "font-size=\"11\"", board.model.name());
    }
    (0..plan.boards.len()).for_each(|board| ground_cell(&mut svg, ground_x, strip_y(board)));
    for column in &columns {
        (0..plan.boards.len()).for_each(|board| bus_pin(&mut svg, column, board));
    }
    plan.tokens().for_each(|wire| token(&mut svg, wire, plan.boards.len()));
    svg + "</svg>\n"
}

fn strip_y(board: usize) -> usize {
    TOP + board * STEP
}

/// The token has the first two columns: out, in.
fn token_x(end: usize) -> usize {
    LEFT + end * PITCH
}

/// As many columns for each wire as a board has pins on it at most.
fn columns(plan: &WiringPlan) -> Vec<PinColumn<'_>> {
    let mut x = token_x(2);
    let mut columns = Vec::new();
    for wire in plan.shared() {
        let of_board = |board| wire.pins.iter().filter(|pin| pin.board == board).count();
        let most = (0..plan.boards.len()).map(of_board).max().unwrap_or(0);
        let wire_x = x + (most.max(1) - 1) * PITCH + PITCH / 2;
        columns.extend((0..most).map(|nth| PinColumn { wire, nth, x: x + nth * PITCH, wire_x }));
        x += most * PITCH;
    }
    columns
}

fn colour(wire: &PlanWire) -> &'static str {
    match wire.kind {
        WireKind::Control => "#06c",
        WireKind::Data => "#080",
        WireKind::Token => TOKEN_COLOUR,
    }
}

/// The line of a wire, its name, and its resistor to 3.3 V.
fn shared_wire(svg: &mut String, plan: &WiringPlan, column: &PinColumn<'_>) {
    let (x, colour) = (column.wire_x, colour(column.wire));
    let end = strip_y(plan.boards.len() - 1) - STUB;
    line(svg, (x, WIRES_TOP), (x, end), colour);
    let name_y = if let Some(ohm) = column.wire.pull_up_ohm {
        line(svg, (x, RAIL), (x, WIRES_TOP), SUPPLY_COLOUR);
        resistor(svg, (x, WIRES_TOP - 10), ohm);
        RAIL
    } else {
        WIRES_TOP
    };
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" fill=\"{colour}\" transform=\"rotate(-90 {0} {1})\">{}</text>",
        x + 5,
        name_y - 6,
        column.wire.name
    );
}

/// The supply of the resistors.
fn rail(svg: &mut String, columns: &[PinColumn<'_>]) {
    let mut pulled = columns.iter().filter(|column| column.nth == 0 && column.wire.pull_up_ohm.is_some());
    let Some(first) = pulled.next().map(|column| column.wire_x) else { return };
    let last = pulled.next_back().map_or(first, |column| column.wire_x);
    line(svg, (first - 18, RAIL), (last, RAIL), SUPPLY_COLOUR);
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"{SUPPLY_COLOUR}\" font-size=\"12\">3.3 V of one board</text>",
        first - 22,
        RAIL + 4
    );
}

/// What joins the boards' grounds.
fn ground(svg: &mut String, x: usize, boards: usize) {
    if boards > 1 {
        line(svg, (x, strip_y(0)), (x, strip_y(boards - 1)), "#000");
    }
}

/// Ground of a board, which is at several places.
fn ground_cell(svg: &mut String, x: usize, y: usize) {
    cell_box(svg, x, y);
    text(svg, x, y + 21, "text-anchor=\"middle\" font-weight=\"bold\" font-size=\"12\"", "GND");
    text(svg, x, y + 36, "text-anchor=\"middle\" font-size=\"8\"", &format!("{} places", grounds().count()));
}

/// A pin of a board, its resistor, and its way to the wire.
fn bus_pin(svg: &mut String, column: &PinColumn<'_>, board: usize) {
    let Some(pin) = column.wire.pins.iter().filter(|pin| pin.board == board).nth(column.nth) else { return };
    let (y, colour) = (strip_y(board), colour(column.wire));
    let joint = y - STUB;
    line(svg, (column.x, y), (column.x, joint), colour);
    line(svg, (column.x, joint), (column.wire_x, joint), colour);
    resistor(svg, (column.x, y - 10), pin.series_ohm);
    let _ = writeln!(svg, "<circle cx=\"{}\" cy=\"{joint}\" r=\"3.5\" fill=\"{colour}\"/>", column.wire_x);
    cell(svg, column.x, y, pin);
}

/// The wire of the token from one board to the next; that of the last board goes back to the first.
fn token(svg: &mut String, wire: &PlanWire, boards: usize) {
    let [from, to] = wire.pins.as_slice() else { return };
    let (out, into, start) = (token_x(0), token_x(1), strip_y(from.board) + STRIP);
    let (end, turn) = (strip_y(to.board), start + 18);
    let way = if from.board + 1 == boards {
        format!("V{turn} H{TOKEN_BACK} V{} H{into}", end - STUB)
    } else {
        format!("V{turn} H{into}")
    };
    let _ = writeln!(
        svg,
        "<path d=\"M{out} {start} {way} V{end}\" fill=\"none\" stroke=\"{TOKEN_COLOUR}\" stroke-width=\"2\"/>"
    );
    resistor(svg, (into, end - 10), to.series_ohm);
    cell(svg, out, strip_y(from.board), from);
    cell(svg, into, end, to);
    for (x, board, name) in [(out, from.board, "TOK_OUT#"), (into, to.board, "TOK_IN#")] {
        let y = strip_y(board) + STRIP;
        let (x, y) = if x == out { (x - 4, y + 13) } else { (x + 6, y + 13) };
        let anchor = if x < out { "end" } else { "start" };
        text(svg, x, y, &format!("font-size=\"10\" text-anchor=\"{anchor}\" fill=\"{TOKEN_COLOUR}\""), name);
    }
}

/// The place and the pin, in a box of the strip that begins at `y`.
fn cell(svg: &mut String, x: usize, y: usize, pin: &PlanPin) {
    cell_box(svg, x, y);
    text(svg, x, y + 21, "text-anchor=\"middle\" font-weight=\"bold\"", &pin.place.to_string());
    text(svg, x, y + 36, "text-anchor=\"middle\" font-size=\"9\"", &format!("GPIO{}", pin.gpio));
}

fn cell_box(svg: &mut String, x: usize, y: usize) {
    let _ = writeln!(
        svg,
        "<rect x=\"{}\" y=\"{}\" width=\"38\" height=\"{}\" rx=\"3\" fill=\"white\" stroke=\"#999\"/>",
        x - 19,
        y + 4,
        STRIP - 8
    );
}

/// A resistor on a vertical line, whose lower end is at `y`.
fn resistor(svg: &mut String, (x, y): (usize, usize), ohm: u32) {
    if ohm == 0 {
        return;
    }
    let _ = writeln!(
        svg,
        "<rect x=\"{}\" y=\"{}\" width=\"16\" height=\"{RESISTOR}\" fill=\"white\" stroke=\"#333\"/>\
         <text x=\"{}\" y=\"{}\" font-size=\"10\" text-anchor=\"middle\" transform=\"rotate(-90 {x} {3})\" \
         dy=\"3.5\">{}</text>",
        x - 8,
        y - RESISTOR,
        x,
        y - RESISTOR / 2,
        short(ohm)
    );
}

/// A resistance as drawings have it.
fn short(ohm: u32) -> String {
    match (ohm / 1000, ohm % 1000 / 100) {
        (0, _) => ohm.to_string(),
        (thousands, 0) => format!("{thousands}k"),
        (thousands, hundreds) => format!("{thousands}k{hundreds}"),
    }
}

fn line(svg: &mut String, (x, y): (usize, usize), (to_x, to_y): (usize, usize), colour: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{x}\" y1=\"{y}\" x2=\"{to_x}\" y2=\"{to_y}\" stroke=\"{colour}\" stroke-width=\"2\"/>"
    );
}

fn text(svg: &mut String, x: usize, y: usize, style: &str, words: &str) {
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" {style}>{words}</text>");
}
