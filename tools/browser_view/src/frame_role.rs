//! What a frame is for, and whose call it carries, from its bytes.

use renga_abi::ProcId;
use renga_wire::{FrameKind, Head, LinkFrame};

/// What frames are for.
pub const ROLE_NAMES: [&str; 13] = [
    "damaged or unknown",
    "call",
    "call, continued",
    "reply",
    "reply, continued",
    "asynchronous call",
    "asynchronous call, continued",
    "end of an asynchronous call",
    "interrupt of a call",
    "rendezvous of the paired form",
    "acknowledgement",
    "session",
    "token protocol",
];

/// A frame's purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameRole {
    /// A place in [`ROLE_NAMES`].
    pub role: u8,
    /// The caller of the call that it carries.
    pub caller: Option<ProcId>,
}

impl FrameRole {
    /// That of these bytes.
    pub fn of(bytes: &[u8]) -> FrameRole {
        let Ok(LinkFrame { header, payload }) = LinkFrame::parse(bytes) else { return FrameRole::default() };
        let alone = |role: u8| FrameRole { role, caller: None };
        match header.kind {
            FrameKind::Data => {}
            FrameKind::Ack | FrameKind::Nak => return alone(10),
            FrameKind::Hello => return alone(11),
            _ => return alone(12),
        }
        // The first byte acknowledges.
        let Some(Ok((head, _))) = payload.get(1..).map(Head::parse) else { return FrameRole::default() };
        let sent = |role: u8, index: u16| FrameRole { role, caller: Some(ProcId::new(header.source, index)) };
        let answered = |role: u8, index: u16| FrameRole { role, caller: Some(ProcId::new(header.destination, index)) };
        match head {
            Head::Call { caller, .. } => sent(1, caller),
            Head::CallMore { caller } => sent(2, caller),
            Head::Reply { caller, .. } => answered(3, caller),
            Head::ReplyMore { caller } => answered(4, caller),
            Head::Async { .. } => alone(5),
            Head::AsyncMore { .. } => alone(6),
            Head::Done { .. } => alone(7),
            Head::Interrupt { caller, .. } => sent(8, caller),
            Head::Received { caller, .. } => sent(9, caller),
            Head::Accepted { caller, .. } => answered(9, caller),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use renga_wire::{FRAME_BYTES_MAX, Header};

    fn frame(kind: FrameKind, head: Option<Head>) -> Vec<u8> {
        let (mut payload, mut bytes) = ([0; 64], [0; FRAME_BYTES_MAX]);
        let length = head.map_or(0, |head| 1 + head.emit(&mut payload[1..]).expect("it is short"));
        let header = Header { kind, destination: 0, source: 1, epoch: 3, sequence: 4 };
        let length = header.emit(&payload[..length], &mut bytes).expect("it is short");
        bytes[..length].to_vec()
    }

    #[test]
    fn frame_role_names_caller_on_its_own_board() {
        let reply = Head::ReplyMore { caller: 7 };
        let caller = Some(ProcId::new(0, 7));
        assert_eq!(FrameRole::of(&frame(FrameKind::Data, Some(reply))), FrameRole { role: 4, caller });
        let call = Head::CallMore { caller: 7 };
        let caller = Some(ProcId::new(1, 7));
        assert_eq!(FrameRole::of(&frame(FrameKind::Data, Some(call))), FrameRole { role: 2, caller });
        assert_eq!(FrameRole::of(&frame(FrameKind::Ack, None)), FrameRole { role: 10, caller: None });
    }

    #[test]
    fn frame_role_damaged_frame_has_no_caller() {
        let mut bytes = frame(FrameKind::Data, Some(Head::CallMore { caller: 7 }));
        bytes[9] ^= 1;
        assert_eq!(FrameRole::of(&bytes), FrameRole::default());
        assert_eq!(FrameRole::of(&[]), FrameRole::default());
    }
}
