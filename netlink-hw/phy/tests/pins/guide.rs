//! The guide's table and drawing of the wires are those of the driver: a builder of a cluster has only the guide.

use renga_phy::pins::{HarnessLine, data_pin};
use std::fs;
use std::path::Path;

/// Where each GPIO is on the 40-pin header of every board: the foundation's documentation, "GPIO and the 40-pin
/// header".
const HEADER: [u8; 28] =
    [27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33, 8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13];

fn guide(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides").join(name);
    fs::read_to_string(path).expect("the guide is there")
}

/// Each wire's name and pin.
fn wires() -> impl Iterator<Item = (String, u8)> {
    let control = HarnessLine::ALL.map(|line| (line.name().to_string(), line.pin()));
    control.into_iter().chain((0..16).map(|wire| (format!("D{wire}"), data_pin(wire))))
}

/// Holds: pins-harness.
#[test]
fn guide_names_header_place_of_each_wire() {
    let guide = guide("build-a-cluster.md");
    for (name, pin) in wires() {
        let row = format!("| {name} | {pin} | {} |", HEADER[usize::from(pin)]);
        assert!(guide.lines().any(|line| line.starts_with(&row)), "no line begins with {row}");
    }
    let places: Vec<u8> = wires().map(|(_, pin)| HEADER[usize::from(pin)]).collect();
    let power = [1, 2, 4, 6, 9, 14, 17, 20, 25, 30, 34, 39];
    let mut all: Vec<u8> = [&places[..], &power, &HEADER[..2], &HEADER[3..4], &HEADER[14..16]].concat();
    all.sort_unstable();
    assert_eq!(all, (1..=40).collect::<Vec<u8>>(), "each place is one thing's");
}

/// Holds: pins-harness.
#[test]
fn guide_drawing_shows_driver_pins() {
    let drawing = guide("wiring.svg");
    for line in HarnessLine::ALL {
        let (name, pin) = (line.name(), line.pin());
        if matches!(line, HarnessLine::TokenIn | HarnessLine::TokenOut) {
            assert_eq!(drawing.matches(&format!(">GPIO{pin} {name}<")).count(), 2, "{name}");
            continue;
        }
        let at = drawing.find(&format!(">{name}<")).unwrap_or_else(|| panic!("no {name}"));
        let labels: Vec<&str> = drawing[..at].rsplit(">GPIO").take(2).collect();
        assert!(labels.iter().all(|label| label.starts_with(&format!("{pin}<"))), "{name}");
    }
    for (name, first, last) in [("D0-D11", 0, 11), ("D12-D15", 12, 15)] {
        let at = drawing.find(&format!(">{name}<")).unwrap_or_else(|| panic!("no {name}"));
        let label = format!("{}-{}<", data_pin(first), data_pin(last));
        assert!(drawing[..at].rsplit(">GPIO").take(2).all(|found| found.starts_with(&label)), "{name}");
    }
}
