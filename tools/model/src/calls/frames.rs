//! Frames on the modelled bus: the real bytes, their sender and its session.

use super::CallsMutant;
use renga_wire::frame::Hello;
use renga_wire::{FRAME_BYTES_MAX, FrameKind, Head, LinkFrame, Request};

/// A frame on its way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FrameInFlight {
    /// What the other board will see.
    pub bytes: Vec<u8>,
    /// The sender's session, counted over all its lives; no board can see it.
    pub session: u16,
    /// The receiver's, as the sender knows it.
    pub peer: Option<u16>,
}

/// A request of a modelled call: number `id` of the program's calls, from a caller that believes the server to be in
/// its incarnation `believes`.
pub fn request(id: u8, believes: Option<u8>) -> Request {
    let words = [u64::from(id), believes.map_or(0, |incarnation| 1 + u64::from(incarnation)), 0, 0, 0, 0];
    Request { destination: 0, op: 0, words, given_bytes: 0, taken_bytes: 0, account: 0 }
}

/// The inverse of [`request`].
pub fn asked(request: &Request) -> (u8, Option<u8>) {
    (request.words[0] as u8, request.words[1].checked_sub(1).map(|incarnation| incarnation as u8))
}

/// Writes a fragment; its length.
pub fn put(head: Head, room: &mut [u8]) -> usize {
    head.emit(room).unwrap_or_else(|error| panic!("a head fits into a fragment: {error:?}"))
}

/// The frame as a wrong sender or receiver would have it.
pub fn spoil(mutant: Option<CallsMutant>, bytes: &[u8], epoch: u8) -> Vec<u8> {
    let Ok(frame) = LinkFrame::parse(bytes) else { panic!("sessions send frames") };
    let (mut header, mut payload) = (frame.header, frame.payload.to_vec());
    match (mutant, header.kind) {
        (Some(CallsMutant::AcknowledgesTooMuch), FrameKind::Data) => payload[0] = payload[0].wrapping_add(1),
        (Some(CallsMutant::AcknowledgesTooMuch), FrameKind::Ack | FrameKind::Nak) => {
            header.sequence = header.sequence.wrapping_add(1)
        }
        (Some(CallsMutant::KnownNotChecked), FrameKind::Hello) => {
            let Ok(hello) = Hello::parse(&payload) else { panic!("sessions send greetings") };
            payload = Hello { known: Some(epoch), ..hello }.to_bytes().to_vec();
            header.sequence = 0;
        }
        _ => return bytes.to_vec(),
    }
    let mut out = [0; FRAME_BYTES_MAX];
    let length = header.emit(&payload, &mut out).unwrap_or_else(|error| panic!("it fits: {error:?}"));
    out[..length].to_vec()
}
