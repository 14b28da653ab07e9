//! A card that is slow: while it is, the core is others'.

use super::bus::{PeripheralBus, Plain};
use super::card::{ModelCard, card, card_on};
use super::clock::Clock;
use renga_hal::block::{Block, BlockError, Progress, SECTOR_BYTES};
use renga_hal::registers::Registers;

/// The standard's limits (4.6.2): so long before a read's first block, and after a write's last one, ns; a block takes
/// 41 us at 25 MHz.
const SLOW_NS: [u64; 3] = [100_000_000, 41_000, 250_000_000];
/// No process may have the core longer at a stretch: the link's process has to sample its lines every 60 us.
const STRETCH_NS_MAX: u64 = 40_000;

/// Carries a transfer on to its end, with `between` whenever others have the core; how often and how long it had the
/// core at most, and how long it all took, ns.
fn carried_on(
    clock: &Clock,
    mut go_on: impl FnMut() -> Result<Progress, BlockError>,
    mut between: impl FnMut(),
) -> (Result<(), BlockError>, u32, u64, u64) {
    let (began_ns, mut calls, mut longest_ns) = (clock.peek_ns(), 0, 0);
    loop {
        let call_ns = clock.peek_ns();
        let progress = go_on();
        longest_ns = longest_ns.max(clock.peek_ns() - call_ns);
        calls += 1;
        match progress {
            Ok(Progress::Later(wait_ns)) => {
                between();
                clock.pass_ns(wait_ns);
            }
            end => return (end.map(|_| ()), calls, longest_ns, clock.peek_ns() - began_ns),
        }
    }
}

fn slow() -> (ModelCard, Clock, std::rc::Rc<std::cell::RefCell<super::card::SdHostModel>>) {
    let bus = PeripheralBus::default();
    let clock = bus.clock.clone();
    let (card, slot) = card_on(&bus, |slot| slot.late_ns = SLOW_NS);
    (card.expect("it starts"), clock, slot)
}

/// Holds: silicon-card.
#[test]
fn sd_transfer_slow_card_frees_core() {
    let (mut card, clock, slot) = slow();
    let mut page = [0; 8 * SECTOR_BYTES];
    let (done, calls, longest_ns, took_ns) = carried_on(&clock, || card.read_on(16, &mut page), || ());
    assert_eq!((done, &page[..]), (Ok(()), &slot.borrow().medium[16 * SECTOR_BYTES..24 * SECTOR_BYTES]));
    assert!(longest_ns < STRETCH_NS_MAX, "a read has the core for {longest_ns} ns");
    assert!((100_000_000..103_000_000).contains(&took_ns) && calls < 300, "{took_ns} ns, {calls} calls");
    page.reverse();
    let (done, calls, longest_ns, took_ns) = carried_on(&clock, || card.write_on(40, &page), || ());
    assert_eq!((done, &page[..]), (Ok(()), &slot.borrow().medium[40 * SECTOR_BYTES..48 * SECTOR_BYTES]));
    assert!(longest_ns < STRETCH_NS_MAX, "a write has the core for {longest_ns} ns");
    assert!((250_000_000..253_000_000).contains(&took_ns) && calls < 500, "{took_ns} ns, {calls} calls");
}

#[test]
fn sd_transfer_quick_card_keeps_core() {
    let (card, _) = card(|slot| slot.late_ns = [0, 5_000, 5_000]);
    let mut card = card.expect("it starts");
    let mut page = [7; 8 * SECTOR_BYTES];
    assert_eq!(card.read_on(16, &mut page), Ok(Progress::Done));
    assert_eq!(card.write_on(16, &page), Ok(Progress::Done));
}

#[test]
fn sd_transfer_slow_card_leaves_peripherals_to_others() {
    let bus = PeripheralBus::default();
    let (other, _) = bus.add(Plain::garbage(16));
    let (card, _) = card_on(&bus, |slot| slot.late_ns = SLOW_NS);
    let (mut card, mut page) = (card.expect("it starts"), [0; 2 * SECTOR_BYTES]);
    other.read(0);
    let (done, ..) = carried_on(&bus.clock, || card.read_on(3, &mut page), || _ = other.read(0));
    assert_eq!((done, other.read(4)), (Ok(()), other.read(4)));
    let (done, ..) = carried_on(&bus.clock, || card.write_on(3, &page), || _ = other.read(0));
    assert_eq!((done, other.read(4)), (Ok(()), other.read(4)));
}

/// Holds: silicon-card.
#[test]
fn sd_transfer_endless_card_fails_without_blocking() {
    let (mut card, clock, slot) = slow();
    slot.borrow_mut().late_ns[2] = 60_000_000_000;
    let page = [0; SECTOR_BYTES];
    let (done, _, longest_ns, took_ns) = carried_on(&clock, || card.write_on(40, &page), || ());
    assert_eq!(done, Err(BlockError::Timeout));
    assert!(longest_ns < STRETCH_NS_MAX && took_ns < 8_000_000_000, "{longest_ns} of {took_ns} ns");
    clock.pass_ns(60_000_000_000);
    let mut page = [0; SECTOR_BYTES];
    assert_eq!(carried_on(&clock, || card.read_on(16, &mut page), || ()).0, Ok(()));
    assert_eq!(page, slot.borrow().medium[16 * SECTOR_BYTES..17 * SECTOR_BYTES]);
}

#[test]
#[should_panic(expected = "half-way")]
fn sd_transfer_completes_before_next_begins() {
    let (mut card, ..) = slow();
    let mut page = [0; SECTOR_BYTES];
    assert!(matches!(card.read_on(16, &mut page), Ok(Progress::Later(_))));
    let _ = card.read_on(17, &mut page);
}
