//! Wiring plans of two, three and eight boards against the constants of the boards' drivers.

use renga_boot_card::{LinkMode, Model};
use renga_phy::pins::wiring::{DATA_NAMES, PinName, TERMINATED};
use renga_phy::pins::{HarnessLine, Width, data_pin};
use renga_phy::spi::wiring::{self as spi, CLOCK, DATA, MASTER, SELECT, SpiChip, slave};
use renga_wiring::{HeaderUse, PlanWire, PlannedBoard, WireKind, WiringPlan, drawing, page, place_of, use_of};
use std::collections::BTreeSet;

const COUNTS: [usize; 3] = [2, 3, 8];

/// Boards a, b and so on: every model in turn.
fn boards(count: usize) -> Vec<PlannedBoard> {
    let models = Model::ALL.into_iter().cycle();
    ('a'..).zip(models).take(count).map(|(name, model)| PlannedBoard { name: name.to_string(), model }).collect()
}

fn plans() -> impl Iterator<Item = WiringPlan> {
    COUNTS.into_iter().flat_map(|count| LinkMode::ALL.map(|link| WiringPlan::of(&boards(count), link)))
}

/// The pins of one board on a wire, as a mask.
fn mask(wire: &PlanWire, board: usize) -> u32 {
    wire.pins.iter().filter(|pin| pin.board == board).fold(0, |mask, pin| mask | 1 << pin.gpio)
}

/// Where each pin of the processor is on the header: the foundation's documentation, "GPIO and the 40-pin header".
const HEADER: [u8; 28] =
    [27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33, 8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13];

/// Holds: pins-harness.
#[test]
fn header_places_are_those_of_the_boards() {
    assert!((0..).zip(HEADER).all(|(gpio, place)| place_of(gpio) == Some(place)));
    let gpios = (1..=40).filter(|place| matches!(use_of(*place), Some(HeaderUse::Gpio(_)))).count();
    assert_eq!((gpios, place_of(28)), (HEADER.len(), None));
}

#[test]
fn plan_each_pin_is_on_one_wire_at_its_place() {
    for plan in plans() {
        let mut used = BTreeSet::new();
        for pin in plan.wires.iter().flat_map(|wire| &wire.pins) {
            assert!(used.insert((pin.board, pin.gpio)), "{:?}: GPIO{} of {} twice", plan.link, pin.gpio, pin.board);
            assert_eq!(use_of(pin.place), Some(HeaderUse::Gpio(pin.gpio)), "{pin:?}");
            assert!(![0, 1, 3, 14, 15].contains(&pin.gpio), "the firmware or the console has {pin:?}");
        }
    }
}

/// Holds: pins-harness.
#[test]
fn plan_wires_on_pins_join_pins_of_one_line_of_every_board() {
    for plan in plans().filter(|plan| plan.link != LinkMode::Spi) {
        let width = if plan.link == LinkMode::Pins { Width::Sixteen } else { Width::Four };
        for wire in plan.shared() {
            for board in 0..plan.boards.len() {
                let pins: Vec<u8> = wire.pins.iter().filter(|pin| pin.board == board).map(|pin| pin.gpio).collect();
                let [gpio] = pins[..] else { panic!("{}: {pins:?}", wire.name) };
                assert_eq!(PinName(gpio).on_harness(), Some(wire.name.as_str()));
                assert_eq!(wire.pull_up_ohm.is_some(), TERMINATED >> gpio & 1 != 0, "{}", wire.name);
            }
        }
        let names: BTreeSet<&str> = plan.shared().map(|wire| wire.name.as_str()).collect();
        let tokens = [HarnessLine::TokenIn, HarnessLine::TokenOut];
        let lines = HarnessLine::ALL.into_iter().filter(|line| !tokens.contains(line)).map(HarnessLine::name);
        let wanted: BTreeSet<&str> = lines.chain(DATA_NAMES.into_iter().take(width.wires() as usize)).collect();
        assert_eq!(names, wanted, "every line, and none twice");
        assert_eq!(plan.shared().count(), wanted.len());
        assert!(plan.shared().any(|wire| wire.name == "D3" && mask(wire, 0) == 1 << data_pin(3)));
    }
}

#[test]
fn plan_wires_over_spi_join_masters_and_slaves_of_one_line() {
    for plan in plans().filter(|plan| plan.link == LinkMode::Spi) {
        let of =
            |name: &str, board: usize| plan.shared().find(|wire| wire.name == name).map_or(0, |wire| mask(wire, board));
        for (board, planned) in plan.boards.iter().enumerate() {
            let chip = if planned.model == Model::Pi4 { SpiChip::Bcm2711 } else { SpiChip::Bcm2837 };
            let [select, data, clock] = ["CE#", "DATA", "SCLK"].map(|name| of(name, board));
            assert!(select & SELECT != 0 && data & DATA != 0 && clock & CLOCK != 0, "{planned:?}");
            assert_eq!(select | data | clock, MASTER | slave(chip), "{planned:?}");
            // docs/reference/link-spi.md, Wires.
            let wanted = if planned.model == Model::Pi4 {
                [1 << 8, 1 << 10 | 1 << 9, 1 << 11]
            } else {
                [1 << 8 | 1 << 21, 1 << 10 | 1 << 20, 1 << 11 | 1 << 19]
            };
            assert_eq!([select, data, clock], wanted, "{planned:?}");
            for line in [HarnessLine::Busy, HarnessLine::NotReady, HarnessLine::NotAccepted, HarnessLine::Attention] {
                assert_eq!(of(line.name(), board), spi::mask(line), "{}", line.name());
            }
        }
        assert_eq!(plan.shared().count(), 7);
        let pulled: u32 = plan.shared().filter(|wire| wire.pull_up_ohm.is_some()).map(|wire| mask(wire, 0)).sum();
        assert_eq!(pulled & 0x1f0, spi::TERMINATED);
    }
}

#[test]
fn plan_token_goes_once_round_all_boards() {
    for plan in plans() {
        let count = plan.boards.len();
        let is_spi = plan.link == LinkMode::Spi;
        let pin = |line: HarnessLine| if is_spi { spi::mask(line) } else { line.mask() }.trailing_zeros() as u8;
        let ends: Vec<[(usize, u8); 2]> =
            plan.tokens().map(|wire| [&wire.pins[0], &wire.pins[1]].map(|end| (end.board, end.gpio))).collect();
        let wanted: Vec<[(usize, u8); 2]> = (0..count)
            .map(|from| [(from, pin(HarnessLine::TokenOut)), ((from + 1) % count, pin(HarnessLine::TokenIn))])
            .collect();
        assert_eq!(ends, wanted);
        assert!(plan.tokens().all(|wire| wire.pins.len() == 2 && wire.kind == WireKind::Token));
    }
}

#[test]
fn plan_of_one_board_has_no_wires() {
    let plan = WiringPlan::of(&boards(1), LinkMode::Pins);
    assert!(plan.wires.is_empty());
    assert!(page(&plan, "lab", "wiring.svg").contains("RX at 8 (GPIO14)"));
    assert!(drawing(&plan, "lab").ends_with("</svg>\n"));
}

#[test]
fn page_and_drawing_show_every_pin() {
    for plan in plans() {
        let (page, drawing) = (page(&plan, "lab", "wiring.svg"), drawing(&plan, "lab"));
        for wire in &plan.wires {
            let row = page.lines().find(|line| line.starts_with(&format!("| {} |", wire.name))).expect("a row");
            for pin in &wire.pins {
                assert!(row.contains(&format!("{} (GPIO{})", pin.place, pin.gpio)), "{row}");
            }
        }
        let pins = plan.wires.iter().map(|wire| wire.pins.len()).sum::<usize>();
        assert_eq!(drawing.matches(">GPIO").count(), pins);
        let resistors = plan.wires.iter().flat_map(|wire| wire.pins.iter().map(|pin| pin.series_ohm));
        let resistors = resistors.filter(|ohm| *ohm != 0).count();
        let pulled = plan.wires.iter().filter(|wire| wire.pull_up_ohm.is_some()).count();
        assert_eq!(drawing.matches("rotate(-90").count(), resistors + pulled + plan.shared().count());
    }
}

/// The guide's parts for two boards.
#[test]
fn page_of_two_boards_has_the_resistors_of_the_guide() {
    let page = page(&WiringPlan::of(&boards(2), LinkMode::Pins), "lab", "wiring.svg");
    assert!(page.contains("10 of 68 ohm, 32 of 220 ohm, 5 of 1 kohm, 2 of 4.7 kohm."), "{page}");
}

#[test]
fn header_place_of_each_pin_is_where_it_is() {
    let pins: Vec<u8> = (0..28).filter_map(place_of).collect();
    assert_eq!(pins.len(), 28, "GPIO0 to GPIO27");
    assert!((0..28).all(|gpio| place_of(gpio).and_then(use_of) == Some(HeaderUse::Gpio(gpio))));
}

/// `RENGA_BLESS=1 cargo test -p renga-wiring` rewrites it.
#[test]
fn drawing_of_the_guide_is_that_of_two_boards() {
    let boards = ["a", "b"].map(|name| PlannedBoard { name: name.to_string(), model: Model::Pi3 });
    let drawn = drawing(&WiringPlan::of(&boards, LinkMode::Pins), "lab");
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/wiring.svg");
    if std::env::var_os("RENGA_BLESS").is_some() {
        std::fs::write(&kept, &drawn).expect("it can be written");
    }
    assert!(std::fs::read_to_string(&kept).is_ok_and(|text| text == drawn), "{} differs", kept.display());
}
