//! The frame of `docs/reference/link-pins.md`: four 16-bit words of header, the payload, its checksum.
//!
//! Little-endian 16-bit words:
//!
//! | word | bits 15..12 | 11..8 | 7..4 | 3..0 |
//! |---|---|---|---|---|
//! | W0 | `A` | kind | destination, `F` all | source |
//! | W1 | epoch | | sequence number | |
//! | W2 | 0 | payload bytes, at most 1040 | | |
//! | W3 | CRC-16/IBM-3740 of W0 to W2 | | | |
//!
//! A payload follows, padded with a zero byte to whole words, then CRC-32C of the padded payload.
//! Without a payload the frame ends with W3. The poll word of the bus (`bus`) comes after that.

use crate::WireError;
use crate::checksum;

/// Bytes before the payload.
pub const HEADER_BYTES: usize = 8;
/// Most bytes of a payload: a page and the heads of its fragments fill four frames.
pub const PAYLOAD_BYTES_MAX: usize = 1040;
/// Bytes of the payload's checksum.
pub const CHECKSUM_BYTES: usize = 4;
/// Most bytes of a frame.
pub const FRAME_BYTES_MAX: usize = HEADER_BYTES + PAYLOAD_BYTES_MAX + CHECKSUM_BYTES;
/// The destination that means every board.
pub const BROADCAST: u8 = 0xf;

const MARK: u8 = 0xa;

/// What a frame is for. Numbers from 8 on belong to the token protocol (`mac`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FrameKind {
    /// A fragment, in sequence; its first payload byte acknowledges as `Ack` does.
    Data,
    /// Acknowledges: its sequence number is the next one expected; those before it have arrived.
    Ack,
    /// As `Ack`, and the one expected is missing: send from there on again.
    Nak,
    /// Opens a session; see [`Hello`].
    Hello,
    /// Gives the token to the destination; the epoch is the token's, as in all that follow. Byte 0 of the
    /// payload: the members, a bit each. The sequence number counts the sender's tokens.
    Token,
    /// Broadcasts the epoch, and in byte 0 the members.
    Map,
    /// Polls all boards: which are present, and which want the token.
    Poll,
    /// Announces to all boards that the source takes part; payload: its serial number, eight bytes.
    Join,
    /// Walking ones, by which a phy finds broken wires.
    Test,
}

impl FrameKind {
    const fn number(self) -> u8 {
        match self {
            FrameKind::Data => 1,
            FrameKind::Ack => 2,
            FrameKind::Nak => 3,
            FrameKind::Hello => 4,
            FrameKind::Token => 8,
            FrameKind::Map => 9,
            FrameKind::Poll => 10,
            FrameKind::Join => 11,
            FrameKind::Test => 12,
        }
    }

    /// Whether the frame belongs to the token protocol.
    pub const fn is_control(self) -> bool {
        self.number() >= 8
    }
    /// Whether the bytes of a frame, perhaps damaged, have the form of the token protocol's.
    pub fn looks_control(frame: &[u8]) -> bool {
        frame.get(1).is_some_and(|byte| byte & 0xf >= 8)
    }

    const fn from_number(number: u8) -> Option<FrameKind> {
        match number {
            1 => Some(FrameKind::Data),
            2 => Some(FrameKind::Ack),
            3 => Some(FrameKind::Nak),
            4 => Some(FrameKind::Hello),
            8 => Some(FrameKind::Token),
            9 => Some(FrameKind::Map),
            10 => Some(FrameKind::Poll),
            11 => Some(FrameKind::Join),
            12 => Some(FrameKind::Test),
            _ => None,
        }
    }
}

/// W0 and W1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Header {
    /// What for.
    pub kind: FrameKind,
    /// Board that it is for, below 16; [`BROADCAST`]: all.
    pub destination: u8,
    /// Board that sent it, below 16.
    pub source: u8,
    /// The sender's session with the destination.
    pub epoch: u8,
    /// Number in the session, wrapping.
    pub sequence: u8,
}

/// A frame that has arrived intact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkFrame<'a> {
    /// What it says of itself.
    pub header: Header,
    /// Its content, without padding.
    pub payload: &'a [u8],
}

/// Bytes that a frame with `payload_bytes` of payload has.
pub const fn frame_bytes(payload_bytes: usize) -> usize {
    if payload_bytes == 0 { HEADER_BYTES } else { HEADER_BYTES + payload_bytes.next_multiple_of(2) + CHECKSUM_BYTES }
}

impl<'a> LinkFrame<'a> {
    /// Checks and opens the bytes of a frame; bytes behind it are ignored.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(bytes: &'a [u8]) -> Result<LinkFrame<'a>, WireError> {
        LinkFrame::parse_by(bytes, checksum::of_payload)
    }

    /// As [`LinkFrame::parse`], where `crc32c` computes the payload's checksum.
    ///
    /// # Errors
    /// As [`LinkFrame::parse`].
    #[inline(always)]
    pub fn parse_by(bytes: &'a [u8], crc32c: impl FnOnce(&[u8]) -> u32) -> Result<LinkFrame<'a>, WireError> {
        let (head, rest) = bytes.split_first_chunk::<HEADER_BYTES>().ok_or(WireError::Short)?;
        let (header, length) = Header::open(head)?;
        if length == 0 {
            return Ok(LinkFrame { header, payload: &[] });
        }
        let (padded, rest) = rest.split_at_checked(length.next_multiple_of(2)).ok_or(WireError::Short)?;
        let checksum = rest.first_chunk::<CHECKSUM_BYTES>().ok_or(WireError::Short)?;
        if crc32c(padded) != u32::from_le_bytes(*checksum) {
            return Err(WireError::PayloadChecksum);
        }
        Ok(LinkFrame { header, payload: &padded[..length] })
    }
}

impl Header {
    /// Checks and opens W0 to W3: the header, and the payload's length in bytes.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn open(head: &[u8; HEADER_BYTES]) -> Result<(Header, usize), WireError> {
        let [summed @ .., low, high] = head;
        if checksum::of_header(summed) != u16::from_le_bytes([*low, *high]) {
            return Err(WireError::HeaderChecksum);
        }
        if head[1] >> 4 != MARK {
            return Err(WireError::NotAFrame);
        }
        let kind = FrameKind::from_number(head[1] & 0xf).ok_or(WireError::NotAFrame)?;
        let length = usize::from(u16::from_le_bytes([head[4], head[5]]));
        if length > PAYLOAD_BYTES_MAX {
            return Err(WireError::TooLarge);
        }
        let header =
            Header { kind, destination: head[0] >> 4, source: head[0] & 0xf, epoch: head[3], sequence: head[2] };
        Ok((header, length))
    }

    /// Completes a frame whose payload already stands in `frame[HEADER_BYTES..]`; its length, bytes.
    ///
    /// # Errors
    /// `TooLarge` above the bound of a payload, `Short` if `frame` has no room.
    pub fn seal(&self, payload_bytes: usize, frame: &mut [u8]) -> Result<usize, WireError> {
        self.seal_by(payload_bytes, frame, checksum::of_payload)
    }

    /// As [`Header::seal`], where `crc32c` computes the payload's checksum.
    ///
    /// # Errors
    /// As [`Header::seal`].
    #[inline(always)]
    pub fn seal_by(
        &self,
        payload_bytes: usize,
        frame: &mut [u8],
        crc32c: impl FnOnce(&[u8]) -> u32,
    ) -> Result<usize, WireError> {
        if payload_bytes > PAYLOAD_BYTES_MAX {
            return Err(WireError::TooLarge);
        }
        let bytes = frame_bytes(payload_bytes);
        let frame = frame.get_mut(..bytes).ok_or(WireError::Short)?;
        let (head, body) = frame.split_first_chunk_mut::<HEADER_BYTES>().ok_or(WireError::Short)?;
        let [first, second] = (payload_bytes as u16).to_le_bytes();
        let to_and_from = self.destination << 4 | self.source & 0xf;
        let summed = [to_and_from, MARK << 4 | self.kind.number(), self.sequence, self.epoch, first, second];
        let [low, high] = checksum::of_header(&summed).to_le_bytes();
        let [a, b, c, d, e, f] = summed;
        *head = [a, b, c, d, e, f, low, high];
        if payload_bytes > 0 {
            let padded = payload_bytes.next_multiple_of(2);
            if padded > payload_bytes {
                body[payload_bytes] = 0;
            }
            let checksum = crc32c(&body[..padded]).to_le_bytes();
            body[padded..].copy_from_slice(&checksum);
        }
        Ok(bytes)
    }

    /// Writes a whole frame into `frame`; its length, bytes.
    ///
    /// # Errors
    /// As [`Header::seal`].
    pub fn emit(&self, payload: &[u8], frame: &mut [u8]) -> Result<usize, WireError> {
        let room = frame.get_mut(HEADER_BYTES..HEADER_BYTES + payload.len()).ok_or(WireError::Short)?;
        room.copy_from_slice(payload);
        self.seal(payload.len(), frame)
    }
}

/// Payload of a `Hello`: the sender's epoch is in the header, and as its sequence number the next data
/// frame that the sender expects.
///
/// Byte 0: the receiver's epoch as the sender knows it; byte 1: bit 0, it knows one; bit 1, it wants
/// an answer; bits 4..2, the number of its last question; bits 7..5, of the last that it has received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hello {
    /// The receiver's epoch as the sender knows it.
    pub known: Option<u8>,
    /// The sender wants a `Hello` back.
    pub asks: bool,
    /// The number of the sender's last question, below [`Hello::QUESTIONS`].
    pub question: u8,
    /// The number of the receiver's question that this answers.
    pub answers: u8,
}

impl Hello {
    /// Bytes of the payload.
    pub const BYTES: usize = 2;
    /// Numbers of questions are below this, and wrap there.
    pub const QUESTIONS: u8 = 8;

    /// As payload.
    pub fn to_bytes(self) -> [u8; Hello::BYTES] {
        let numbers = (self.question % Hello::QUESTIONS) << 2 | (self.answers % Hello::QUESTIONS) << 5;
        [self.known.unwrap_or(0), u8::from(self.known.is_some()) | u8::from(self.asks) << 1 | numbers]
    }
    /// From payload.
    ///
    /// # Errors
    /// `Short`.
    pub fn parse(payload: &[u8]) -> Result<Hello, WireError> {
        let [known, flags] = *payload.first_chunk::<{ Hello::BYTES }>().ok_or(WireError::Short)?;
        let known = (flags & 1 != 0).then_some(known);
        Ok(Hello { known, asks: flags & 2 != 0, question: flags >> 2 & 7, answers: flags >> 5 })
    }
}
