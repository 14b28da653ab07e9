//! What boards that measure say to each other: the payload of frames.
//!
//! Not here: when.

use super::Errors;
use super::flow::{DATA_BYTES, Flow};

/// Bytes of a message but of [`Message::Data`].
pub const SHORT_BYTES: usize = 48;
/// In the place of a board: the receiver's successor.
pub const NEXT: u8 = 0xff;

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Are you there? Forget what you counted.
    Hello,
    /// I am.
    Here,
    /// Send as many frames as you can.
    Stream {
        /// To this board.
        to: u8,
        /// For so long, us.
        span_us: u32,
    },
    /// One of them.
    Data {
        /// How many came before.
        number: u32,
    },
    /// What have you counted?
    Ask,
    /// This, and so many frames sent in the last stream.
    Counts {
        /// What has come.
        flow: Flow,
        /// Frames of its last stream.
        sent: u32,
        /// What went wrong.
        errors: Errors,
    },
    /// Answer at once.
    Ping {
        /// Which one.
        number: u32,
    },
    /// At once.
    Pong {
        /// Which one.
        number: u32,
    },
}

impl Message {
    /// Writes it; how many bytes it has.
    pub fn write(&self, out: &mut [u8; DATA_BYTES]) -> usize {
        let mut fields = [0; FIELDS];
        let (kind, bytes) = match *self {
            Message::Hello => (1, SHORT_BYTES),
            Message::Here => (2, SHORT_BYTES),
            Message::Stream { to, span_us } => {
                (fields[0], fields[1]) = (u32::from(to), span_us);
                (3, SHORT_BYTES)
            }
            Message::Data { number } => {
                fields[0] = number;
                (4, DATA_BYTES)
            }
            Message::Ask => (5, SHORT_BYTES),
            Message::Counts { flow, sent, errors } => {
                let Errors { again, given_up, unsent, broken, tokens } = errors;
                let Flow { frames, missing, double, span_us } = flow;
                fields[..10].copy_from_slice(&[
                    frames, missing, double, span_us, sent, again, given_up, unsent, broken, tokens,
                ]);
                (6, SHORT_BYTES)
            }
            Message::Ping { number } => {
                fields[0] = number;
                (7, SHORT_BYTES)
            }
            Message::Pong { number } => {
                fields[0] = number;
                (8, SHORT_BYTES)
            }
        };
        for (place, field) in out[4..].as_chunks_mut::<4>().0.iter_mut().zip(fields) {
            *place = field.to_le_bytes();
        }
        out[0] = kind;
        bytes
    }

    /// Whether this message answers `question`.
    pub fn answers(&self, question: Message) -> bool {
        match (self, question) {
            (Message::Here, Message::Hello) | (Message::Counts { .. }, Message::Ask) => true,
            (Message::Pong { number }, Message::Ping { number: asked }) => *number == asked,
            _ => false,
        }
    }

    /// Reads one; nothing if it is none.
    pub fn read(payload: &[u8]) -> Option<Message> {
        let mut fields = [0; FIELDS];
        for (place, field) in payload.get(4..SHORT_BYTES)?.as_chunks::<4>().0.iter().zip(&mut fields) {
            *field = u32::from_le_bytes(*place);
        }
        let [first, second, ..] = fields;
        Some(match payload[0] {
            1 => Message::Hello,
            2 => Message::Here,
            3 => Message::Stream { to: first as u8, span_us: second },
            4 => Message::Data { number: first },
            5 => Message::Ask,
            6 => {
                let [frames, missing, double, span_us, sent, again, given_up, unsent, broken, tokens, _] = fields;
                let flow = Flow { frames, missing, double, span_us };
                Message::Counts { flow, sent, errors: Errors { again, given_up, unsent, broken, tokens } }
            }
            7 => Message::Ping { number: first },
            8 => Message::Pong { number: first },
            _ => return None,
        })
    }
}

const FIELDS: usize = (SHORT_BYTES - 4) / 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linkbench_message_roundtrip() {
        let flow = Flow { frames: 1, missing: 2, double: 3, span_us: 4 };
        let errors = Errors { again: 6, given_up: 7, unsent: 8, broken: 9, tokens: 10 };
        for message in [
            Message::Hello,
            Message::Here,
            Message::Stream { to: NEXT, span_us: 1_000_000 },
            Message::Data { number: 70_000 },
            Message::Ask,
            Message::Counts { flow, sent: 5, errors },
            Message::Ping { number: 1 },
            Message::Pong { number: 2 },
        ] {
            let mut out = [0; DATA_BYTES];
            let bytes = message.write(&mut out);
            assert_eq!(Message::read(&out[..bytes]), Some(message));
        }
        assert_eq!((Message::read(&[9; SHORT_BYTES]), Message::read(&[1; 7])), (None, None));
    }
}
