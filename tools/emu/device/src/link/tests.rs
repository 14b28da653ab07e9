//! Every register, and what changes it.

use super::*;
use crate::registers::{
    ARRIVAL_LOW, BOARD, EPOCH_HIGH, EPOCH_LOW, EPOCH_NS, EXIT, FLAG_INTERACTIVE, FLAGS, INTERRUPT_RECEIVE,
    INTERRUPT_TRANSMIT, INTERRUPTS, MAGIC, MAGIC_VALUE, RECEIVE_DROP, RECEIVE_LENGTH, RECEIVE_WORD, STARTS, STATUS,
    STATUS_OVERRUN, STATUS_RECEIVED, STATUS_SENDING, TOKEN_WAIT, TRANSMIT_FREE, TRANSMIT_SEND, TRANSMIT_WORD,
    WIRE_TIME,
};

fn device() -> EmulatedLink {
    EmulatedLink::new(Welcome {
        origin_ns: 0,
        board: 3,
        flags: FLAG_INTERACTIVE,
        epoch_ns: (1 << 32 | 7) * 1_000_000_000 + 9,
        starts: 2,
        lookahead_ns: 100,
        wiring: None,
        bare: None,
    })
}

fn deliver(device: &mut EmulatedLink, time_ns: u64, bytes: &[u8]) {
    device.order(BoardOrder::Deliver { time_ns, bytes: bytes.to_vec() }, 0);
}

#[test]
fn link_device_frame_shows_from_arrival() {
    let mut device = device();
    deliver(&mut device, 50, b"abcdef");
    assert_eq!(device.next_ns(), Some(50));
    assert_eq!(device.read(STATUS, 49), 0);
    assert_eq!(device.read(STATUS, 50), STATUS_RECEIVED);
    assert!(!device.interrupt());
    device.write(INTERRUPTS, INTERRUPT_RECEIVE, 51);
    assert!(device.interrupt());
    assert_eq!(device.read(RECEIVE_LENGTH, 52), 6);
    assert_eq!(device.read(ARRIVAL_LOW, 52), 50);
    assert_eq!(device.read(RECEIVE_WORD, 52), u32::from_le_bytes(*b"abcd"));
    assert_eq!(device.read(RECEIVE_WORD, 52), u32::from_le_bytes(*b"ef\0\0"));
    device.write(RECEIVE_DROP, 1, 53);
    assert!(!device.interrupt());
    assert_eq!(device.read(RECEIVE_LENGTH, 53), 0);
}

#[test]
fn link_device_sent_frame_occupies_slot() {
    let mut device = device();
    device.write(TRANSMIT_WORD, u32::from_le_bytes(*b"abcd"), 10);
    let effect = device.write(TRANSMIT_SEND, 1 << 16 | 3, 11);
    let frame = BoardRecord::Frame { time_ns: 11, destination: 1, bytes: b"abc".to_vec() };
    assert_eq!(effect, LinkEffect::Report(frame));
    assert_eq!(device.read(STATUS, 12), STATUS_SENDING);
    assert_eq!(device.read(TRANSMIT_FREE, 12), TRANSMIT_SLOTS as u32 - 1);
    device.order(BoardOrder::Departed { time_ns: 40, token_wait_ns: 9, wire_ns: 20 }, 12);
    assert_eq!(device.next_ns(), None, "the board does not wait for it");
    assert_eq!(device.read(STATUS, 39), STATUS_SENDING);
    assert_eq!(device.read(STATUS, 40), 0);
    assert_eq!((device.read(TOKEN_WAIT, 41), device.read(WIRE_TIME, 41)), (9, 20));
}

#[test]
fn link_device_full_transmitter_reports_overflow_and_interrupts() {
    let mut device = device();
    for slot in 0..=TRANSMIT_SLOTS {
        device.write(TRANSMIT_WORD, 0, 1);
        let sent = device.write(TRANSMIT_SEND, 4, 1) != LinkEffect::None;
        assert_eq!(sent, slot < TRANSMIT_SLOTS);
    }
    assert_eq!(device.read(STATUS, 2), STATUS_SENDING | STATUS_OVERRUN);
    assert_eq!(device.write(STATUS, STATUS_OVERRUN, 2), LinkEffect::None);
    assert_eq!(device.read(STATUS, 2), STATUS_SENDING);
    device.write(INTERRUPTS, INTERRUPT_TRANSMIT, 2);
    assert!(!device.interrupt());
    device.order(BoardOrder::Departed { time_ns: 30, token_wait_ns: 0, wire_ns: 20 }, 2);
    assert_eq!(device.next_ns(), Some(30));
    device.advance(30);
    assert!(device.interrupt());
}

#[test]
fn link_device_receive_queue_is_bounded() {
    let mut device = device();
    for time_ns in 0..RECEIVE_SLOTS as u64 + 2 {
        deliver(&mut device, time_ns, b"x");
    }
    assert_eq!(device.read(STATUS, 1000), STATUS_RECEIVED | STATUS_OVERRUN);
    assert_eq!(device.overruns(), 2);
}

#[test]
fn link_device_reports_identity_and_exit() {
    let mut device = device();
    assert_eq!(device.read(MAGIC, 8), MAGIC_VALUE);
    assert_eq!(device.read(BOARD, 8), 3);
    assert_eq!((device.read(EPOCH_LOW, 8), device.read(EPOCH_HIGH, 8), device.read(EPOCH_NS, 8)), (7, 1, 9));
    assert_eq!(device.read(STARTS, 8), 2);
    assert_eq!(device.read(FLAGS, 8), FLAG_INTERACTIVE);
    assert_eq!(device.write(EXIT, 0x103, 9), LinkEffect::Exit(3));
}

#[test]
#[should_panic(expected = "too late")]
fn link_device_order_for_past_is_refused() {
    device().order(BoardOrder::Deliver { time_ns: 5, bytes: vec![0] }, 6);
}
