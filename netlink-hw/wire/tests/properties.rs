//! Whatever is emitted parses to the same; whatever arrives is refused or parsed, never a panic.

use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use renga_wire::frame::{Hello, frame_bytes};
use renga_wire::{Cost, FRAME_BYTES_MAX, FrameKind, Head, Header, LinkFrame, PAYLOAD_BYTES_MAX, Request, WireError};

fn header() -> impl Strategy<Value = Header> {
    let kind = prop_oneof![
        Just(FrameKind::Data),
        Just(FrameKind::Ack),
        Just(FrameKind::Nak),
        Just(FrameKind::Hello),
        Just(FrameKind::Token),
        Just(FrameKind::Map),
        Just(FrameKind::Poll),
        Just(FrameKind::Join),
        Just(FrameKind::Test)
    ];
    (kind, 0u8..16, 0u8..16, any::<u8>(), any::<u8>()).prop_map(|(kind, destination, source, epoch, sequence)| Header {
        kind,
        destination,
        source,
        epoch,
        sequence,
    })
}

use proptest::strategy::Just;

fn word() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0u64..100, any::<u64>(), any::<i32>().prop_map(|v| i64::from(v) as u64), Just(u64::MAX)]
}

fn request() -> impl Strategy<Value = Request> {
    (any::<u16>(), 0u8..31, prop::array::uniform6(word()), 0u16..=4096, 0u16..=4096, word()).prop_map(
        |(destination, op, words, given_bytes, taken_bytes, account)| Request {
            destination,
            op,
            words,
            given_bytes,
            taken_bytes,
            account: account as u32,
        },
    )
}

fn head() -> impl Strategy<Value = Head> {
    prop_oneof![
        (any::<u16>(), any::<u8>(), request()).prop_map(|(caller, number, request)| Head::Call {
            caller,
            number,
            request
        }),
        any::<u16>().prop_map(|caller| Head::CallMore { caller }),
        (
            any::<u16>(),
            any::<u8>(),
            prop::array::uniform6(word()),
            [0u16..=4096, 0u16..=4096],
            prop::array::uniform3(word())
        )
            .prop_map(|(caller, number, words, [used_bytes, plain_bytes], [time, read, written])| {
                let cost = Cost { time_us: time as u32, blocks_read: read as u32, blocks_written: written as u32 };
                Head::Reply { caller, number, words, used_bytes, plain_bytes, cost }
            }),
        any::<u16>().prop_map(|caller| Head::ReplyMore { caller }),
        (any::<u16>(), any::<u8>()).prop_map(|(caller, number)| Head::Interrupt { caller, number }),
        (any::<u16>(), any::<u8>()).prop_map(|(caller, number)| Head::Received { caller, number }),
        (any::<u16>(), any::<u8>()).prop_map(|(caller, number)| Head::Accepted { caller, number }),
        (any::<u16>(), request()).prop_map(|(slot, request)| Head::Async { slot, request }),
        any::<u16>().prop_map(|slot| Head::AsyncMore { slot }),
        (any::<u16>(), any::<u16>()).prop_map(|(slot, errno)| Head::Done { slot, errno }),
    ]
}

proptest! {
    #[test]
    fn wire_frame_roundtrip(header in header(), payload in prop::collection::vec(any::<u8>(), 0..=PAYLOAD_BYTES_MAX)) {
        let mut bytes = [0xee; FRAME_BYTES_MAX];
        let length = header.emit(&payload, &mut bytes).unwrap();
        prop_assert_eq!(length, frame_bytes(payload.len()));
        prop_assert_eq!(LinkFrame::parse(&bytes[..length]), Ok(LinkFrame { header, payload: &payload[..] }));
    }

    /// Holds: frame-damage.
    #[test]
    fn wire_changed_bit_is_detected(header in header(), payload in prop::collection::vec(any::<u8>(), 0..64), at in any::<prop::sample::Index>()) {
        let mut bytes = [0; FRAME_BYTES_MAX];
        let length = header.emit(&payload, &mut bytes).unwrap();
        let bit = at.index(length * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(LinkFrame::parse(&bytes[..length]).is_err());
    }

    /// Holds: frame-damage.
    #[test]
    fn wire_cut_frame_is_detected(header in header(), payload in prop::collection::vec(any::<u8>(), 0..64), at in any::<prop::sample::Index>()) {
        let mut bytes = [0; FRAME_BYTES_MAX];
        let length = header.emit(&payload, &mut bytes).unwrap();
        prop_assert_eq!(LinkFrame::parse(&bytes[..at.index(length)]), Err(WireError::Short));
    }

    #[test]
    fn wire_fragment_roundtrip(head in head(), data in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut bytes = [0; 512];
        let length = head.emit(&mut bytes).unwrap();
        bytes[length..length + data.len()].copy_from_slice(&data);
        prop_assert_eq!(Head::parse(&bytes[..length + data.len()]), Ok((head, &data[..])));
    }

    /// Holds: frame-damage.
    #[test]
    fn wire_noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = LinkFrame::parse(&bytes);
        let _ = Head::parse(&bytes);
        let _ = Hello::parse(&bytes);
    }

    #[test]
    fn wire_small_buffer_is_refused(head in head(), room in 0usize..80) {
        let mut bytes = [0; 128];
        let length = head.emit(&mut bytes).unwrap();
        prop_assert_eq!(head.emit(&mut bytes[..room]).is_ok(), room >= length);
    }
}

#[test]
fn wire_layout_is_fixed() {
    let header = Header { kind: FrameKind::Data, destination: 0, source: 1, epoch: 0x77, sequence: 0x12 };
    let mut bytes = [0; 32];
    let length = header.emit(b"123456789", &mut bytes).unwrap();
    assert_eq!(length, 8 + 10 + 4);
    assert_eq!(bytes[..6], [0x01, 0xa1, 0x12, 0x77, 9, 0]);
    assert_eq!(bytes[8..18], *b"123456789\0");
}

#[test]
fn wire_null_call_is_small() {
    let request = Request { destination: 20, op: 5, words: [0; 6], given_bytes: 0, taken_bytes: 0, account: 0 };
    let mut bytes = [0; 32];
    assert_eq!(Head::Call { caller: 40, number: 200, request }.emit(&mut bytes), Ok(5));
    let reply = Head::Reply { caller: 40, number: 200, words: [0; 6], used_bytes: 0, plain_bytes: 0, cost: Cost::NONE };
    assert_eq!(reply.emit(&mut bytes), Ok(4));
}

/// A page and the heads of its fragments need no fifth frame.
#[test]
fn fragment_heads_and_page_fill_four_frames() {
    let words = [0, 1 << 27, 1 << 27, 1 << 27, 1 << 27, 1 << 27];
    let cost = Cost { time_us: 1 << 20, blocks_read: 100, blocks_written: 100 };
    let (caller, account) = (u16::MAX, u32::MAX);
    let request = Request { destination: u16::MAX, op: 28, words, given_bytes: 4096, taken_bytes: 4096, account };
    let reply = Head::Reply { caller, number: 255, words, used_bytes: 4096, plain_bytes: 4096, cost };
    let call = Head::Call { caller, number: 255, request };
    for (first, more) in [(reply, Head::ReplyMore { caller }), (call, Head::CallMore { caller })] {
        let mut room = [0; PAYLOAD_BYTES_MAX];
        let [first, more] = [first, more].map(|head| 1 + head.emit(&mut room).expect("it fits"));
        assert!(first + 3 * more + 4096 <= 4 * PAYLOAD_BYTES_MAX, "heads of {first} and {more} bytes");
    }
}
