//! The block of pins by itself.

use super::*;

const STROBE: u32 = 1 << 5;
const DATA: u32 = 1 << 16;

fn pins() -> PinBlock {
    PinBlock::new(PullRegisters::Clocked, vec![PinDrive::RESET; 3], STROBE)
}

/// Function words 0 and 1 for outputs at the strobe and at the first data pin.
fn make_output(pins: &mut PinBlock, pin: u32, on: bool) -> Option<PinDrive> {
    let offset = FUNCTIONS + u64::from(pin / 10) * 4;
    let shift = pin % 10 * 3;
    let word = pins.read(offset, 0) & !(7 << shift);
    pins.write(offset, word | u32::from(on) << shift, 0)
}

fn order(pins: &mut PinBlock, time_ns: u64, board: u8, drive: PinDrive) {
    let changed = drive.differs(PinDrive::RESET);
    pins.order(BoardOrder::Pins { time_ns, board, drive, changed }, 0);
}

#[test]
fn pins_own_outputs_act_at_once() {
    let mut pins = pins();
    assert_eq!(pins.read(LEVELS, 0) & (STROBE | DATA), STROBE);
    assert_eq!(pins.write(SET, DATA, 1), None, "an input's latch is not seen");
    assert_eq!(pins.read(LEVELS, 1) & DATA, 0);
    let drive = make_output(&mut pins, 16, true).unwrap();
    assert_eq!((drive.high, drive.low), (DATA, 0));
    assert_eq!(pins.read(LEVELS, 2) & DATA, DATA);
    assert_eq!(pins.write(CLEAR, DATA, 3).unwrap().low, DATA);
    assert_eq!(pins.write(CLEAR, DATA, 3), None, "nothing changed");
    assert_eq!(make_output(&mut pins, 16, false).unwrap(), PinDrive::RESET);
}

#[test]
fn pins_low_of_other_board_wins() {
    let mut pins = pins();
    order(&mut pins, 20, 2, PinDrive { low: STROBE, ..PinDrive::RESET });
    order(&mut pins, 10, 1, PinDrive { high: DATA, ..PinDrive::RESET });
    order(&mut pins, 30, 2, PinDrive { low: DATA, ..PinDrive::RESET });
    let seen: Vec<u32> = [9, 10, 19, 20, 29, 30].map(|at| pins.read(LEVELS, at) & (STROBE | DATA)).to_vec();
    assert_eq!(seen, [STROBE, STROBE | DATA, STROBE | DATA, DATA, DATA, STROBE]);
}

#[test]
#[should_panic(expected = "too late")]
fn pins_order_for_past_is_a_fault() {
    let order = BoardOrder::Pins { time_ns: 4, board: 1, drive: PinDrive::RESET, changed: 0 };
    pins().order(order, 5);
}

#[test]
fn pins_edges_and_levels_interrupt_until_cleared() {
    let mut pins = pins();
    let falling = DETECTS + Detect::Falling as u64 * DETECT_STRIDE;
    let low = DETECTS + Detect::Low as u64 * DETECT_STRIDE;
    assert_eq!(pins.wakes(), 0);
    pins.write(falling, STROBE, 0);
    assert_eq!((pins.wakes(), pins.read(falling, 0)), (STROBE, STROBE));
    order(&mut pins, 10, 1, PinDrive { high: DATA, ..PinDrive::RESET });
    order(&mut pins, 20, 1, PinDrive { low: STROBE, ..PinDrive::RESET });
    order(&mut pins, 25, 1, PinDrive::RESET);
    assert_eq!(pins.next_ns(), Some(20), "data lines wake no board");
    pins.advance(19);
    assert!(!pins.interrupt());
    pins.advance(30);
    assert!(pins.interrupt(), "the edge is kept though the level is back");
    assert_eq!(pins.read(EVENTS, 30), STROBE);
    pins.write(EVENTS, STROBE, 31);
    assert!(!pins.interrupt());
    pins.write(falling, 0, 32);
    pins.write(low, DATA, 33);
    assert!(pins.interrupt());
    pins.write(EVENTS, DATA, 34);
    assert!(pins.interrupt(), "the level is still low");
    pins.write(low, 0, 35);
    pins.write(EVENTS, DATA, 36);
    assert!(!pins.interrupt());
}

#[test]
fn pins_pulls_follow_clock_word() {
    let mut pins = pins();
    pins.write(PULL, 2, 0);
    assert_eq!(pins.write(PULL_CLOCK, DATA, 0).unwrap().up, PinDrive::RESET.up | DATA);
    assert_eq!(pins.read(LEVELS, 0) & DATA, 0, "the others pull it down");
    let mut alone = PinBlock::new(PullRegisters::Clocked, Vec::new(), 0);
    alone.write(PULL, 2, 0);
    alone.write(PULL_CLOCK, DATA, 0);
    alone.write(PULL_CLOCK + 4, 1, 0);
    assert_eq!(alone.read(LEVELS, 0), DATA | 0x1ff);
    assert_eq!(alone.read(LEVELS + 4, 0), 1);
    alone.write(PULL, 0, 0);
    alone.write(PULL_CLOCK, DATA, 0);
    assert_eq!(alone.read(LEVELS, 0), 0x1ff);
}

#[test]
fn pins_pulls_of_bcm2711_have_own_registers() {
    let mut alone = PinBlock::new(PullRegisters::Direct, Vec::new(), 0);
    assert_eq!(alone.read(PULLS, 0), 0xaaa9_5555, "as after a reset: 0 to 8 up");
    let pulled = alone.write(PULLS + 4, 1 | 2 << 2, 0).unwrap();
    assert_eq!((pulled.up & DATA, pulled.down & DATA << 1), (DATA, DATA << 1));
    assert_eq!((alone.read(PULLS + 4, 0), alone.read(LEVELS, 0)), (1 | 2 << 2, DATA | 0x1ff));
    alone.write(PULLS + 8, 1, 0);
    assert_eq!(alone.read(LEVELS + 4, 0), 1);
    alone.write(PULL, 1, 0);
    assert_eq!(alone.write(PULL_CLOCK, DATA, 0), None, "it has no such registers");
    assert_eq!(alone.read(PULL, 0), 0);
    let mut older = pins();
    assert_eq!((older.write(PULLS, 0, 0), older.read(PULLS, 0)), (None, 0), "nor have the others these");
}

#[test]
fn pins_wire_between_different_pins_connects() {
    let drive = PinDrive { low: 1 << 2, high: DATA, up: 1 << 2, down: 0 };
    assert_eq!(drive.moved(2, 9), PinDrive { low: 1 << 9, high: 0, up: 1 << 9, down: 0 });
    assert_eq!(drive.only(DATA), PinDrive { high: DATA, ..PinDrive::default() });
}
