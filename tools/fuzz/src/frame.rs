//! Frames and fragments: whatever is parsed is emitted as the same again.
//!
//! The bytes are read three ways: as a frame (whose checksums are hardly ever right), as a fragment, and as
//! the payload of a frame that is sealed here, so that what is behind the checksums is reached too.

use renga_wire::frame::{Hello, frame_bytes};
use renga_wire::{FRAME_BYTES_MAX, FrameKind, Head, Header, LinkFrame, PAYLOAD_BYTES_MAX};

/// Longest head of a fragment, bytes: all words at their longest, lengths, indices.
const HEAD_BYTES_MAX: usize = 128;

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    if let Ok(frame) = LinkFrame::parse(bytes) {
        same_frame(frame);
    }
    fragment(bytes);
    let Some((&[kind, address, epoch, sequence], rest)) = bytes.split_first_chunk::<4>() else { return };
    let kind = [FrameKind::Data, FrameKind::Ack, FrameKind::Nak, FrameKind::Hello][usize::from(kind % 4)];
    let header = Header { kind, destination: address >> 4, source: address & 0xf, epoch, sequence };
    let mut frame = [0; FRAME_BYTES_MAX];
    match header.emit(rest, &mut frame) {
        Ok(length) => {
            assert_eq!(LinkFrame::parse(&frame[..length]), Ok(LinkFrame { header, payload: rest }));
            same_frame(LinkFrame { header, payload: rest });
        }
        Err(_) => assert!(rest.len() > PAYLOAD_BYTES_MAX, "a payload that fits is refused"),
    }
}

fn same_frame(frame: LinkFrame<'_>) {
    let mut bytes = [0; FRAME_BYTES_MAX];
    let Ok(length) = frame.header.emit(frame.payload, &mut bytes) else { panic!("a parsed frame is not emitted") };
    assert_eq!(length, frame_bytes(frame.payload.len()));
    assert_eq!(LinkFrame::parse(&bytes[..length]), Ok(frame));
    if let Ok(hello) = Hello::parse(frame.payload) {
        assert_eq!(Hello::parse(&hello.to_bytes()), Ok(hello));
    }
    if let Some((_, rest)) = frame.payload.split_first() {
        fragment(rest);
    }
}

fn fragment(bytes: &[u8]) {
    let Ok((head, data)) = Head::parse(bytes) else { return };
    assert!(bytes.ends_with(data));
    let mut emitted = [0; HEAD_BYTES_MAX];
    let Ok(length) = head.emit(&mut emitted) else { panic!("a parsed head is not emitted: {head:?}") };
    assert_eq!(Head::parse(&emitted[..length]), Ok((head, &[][..])));
}
