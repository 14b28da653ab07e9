//! A card whose supply and host were left at 1.8 V: it does not answer a driver that expects 3.3 V, and a reset of a Pi
//! 4 then cuts the board's power. Renga never selects 1.8 V, and returns such a card to 3.3 V.

use super::bus::PeripheralBus;
use super::card::{SdHostModel, card, card_on};
use super::mailbox::mailbox_on;
use crate::boards::{BCM2711, BCM2837, CARD_CLOCK_HZ};
use crate::sd_supply::prepare;
use renga_hal::block::{Block, BlockError};
use std::rc::Rc;

/// 1.8 V at the host: Host Control 2, signalling.
const HOST_AT_1_8_V: u32 = 1 << 19;

fn left_low(slot: &mut SdHostModel) {
    slot.registers[0x3c / 4] = HOST_AT_1_8_V;
}

/// Holds: silicon-card.
#[test]
fn sd_host_left_at_1_8_v_returns_to_3_3_v() {
    let (card, slot) = card(left_low);
    assert!(card.is_ok() && slot.borrow().registers[0x3c / 4] & HOST_AT_1_8_V == 0);
}

/// Holds: silicon-card.
#[test]
fn sd_supply_left_at_1_8_v_returns_and_settles() {
    let bus = PeripheralBus::default();
    let (mut mailbox, firmware, clock) = mailbox_on(&bus, |_| ());
    let supplied_ns = Rc::clone(&firmware.borrow().supplied_ns);
    let of_card = Rc::clone(&supplied_ns);
    let (card, _) = card_on(&bus, move |slot| slot.supplied_ns = Some(of_card));
    assert_eq!(card.err(), Some(BlockError::Timeout), "without its supply it does not answer");
    assert_eq!(prepare(&mut mailbox, &BCM2711.card, &clock), CARD_CLOCK_HZ, "a clock that the firmware does not know");
    assert!(supplied_ns.get().is_some_and(|since_ns| clock.peek_ns() - since_ns >= 5_000_000));
    let (card, _) = card_on(&bus, move |slot| slot.supplied_ns = Some(supplied_ns));
    assert!(card.is_ok_and(|card| card.blocks() > 0));
}

#[test]
fn sd_supply_absent_is_not_requested() {
    let bus = PeripheralBus::default();
    let (mut mailbox, firmware, clock) = mailbox_on(&bus, |_| ());
    prepare(&mut mailbox, &BCM2837.card, &clock);
    assert_eq!(firmware.borrow().supplied_ns.get(), None);
}
