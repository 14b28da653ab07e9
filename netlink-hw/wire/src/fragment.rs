//! Fragments: a message (words, and a slice of up to 4096 bytes) in payloads of up to 1039 bytes.
//!
//! The first byte of a data frame's payload acknowledges ([`crate::FrameKind::Data`]); a fragment follows:
//!
//! | byte | content |
//! |---|---|
//! | 0 | bits 7..5 which fragment, bits 4..0 the entry's number of a call; else 1: packed, or of the paired form |
//! | 1.. | the fields of [`Head`] in their order, as numbers of seven bits a byte (call numbers: one byte; words: see `words`) |
//! | rest | the next bytes of the slice |
//!
//! The mask of the words of a call says in bit 6 that the length of the slice given follows, in bit 7
//! that the capacity of the slice taken follows; of a reply, in bit 6 that the length of the answer
//! does, in bit 7 that a [`Cost`] follows. Of a packed reply the length of the unpacked answer follows that of the
//! packed. A call with entry number 31 is one for an account that the board of its caller does not make plain: the
//! entry's number follows in a byte of its own, and the account. A `More` continues the message of the same caller
//! (slot): frames arrive in order, so it needs no offset.

use crate::cursor::{FrameReader, FrameWriter};
use crate::words::{self, Words};
use crate::{PAYLOAD_BYTES_MAX, WireError};

/// Most bytes of a fragment with its head: a payload without the acknowledging byte.
pub const FRAGMENT_BYTES_MAX: usize = PAYLOAD_BYTES_MAX - 1;
/// Most bytes of a slice.
pub const SLICE_BYTES_MAX: usize = 4096;
/// Numbers of entries are below this.
pub const ENTRIES_MAX: u8 = 31;

/// The request of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Request {
    /// The server's index on its board.
    pub destination: u16,
    /// The entry's number, below [`ENTRIES_MAX`].
    pub op: u8,
    /// Its words.
    pub words: Words,
    /// Bytes of the slice given, at most [`SLICE_BYTES_MAX`].
    pub given_bytes: u16,
    /// Capacity of the slice taken, at most [`SLICE_BYTES_MAX`], bytes.
    pub taken_bytes: u16,
    /// Whose work it is, in the routers' numbering; 0: as the caller makes plain.
    pub account: u32,
}

/// A board's costs for an account that it has not reported yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Processor time, us.
    pub time_us: u32,
    /// Blocks read from the medium.
    pub blocks_read: u32,
    /// Blocks written to the medium.
    pub blocks_written: u32,
}

impl Cost {
    /// Nothing.
    pub const NONE: Cost = Cost { time_us: 0, blocks_read: 0, blocks_written: 0 };
}

/// A fragment without its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Head {
    /// Starts a call.
    Call {
        /// The caller's index on its board.
        caller: u16,
        /// The caller's calls counted, wrapping.
        number: u8,
        /// The request.
        request: Request,
    },
    /// Continues a call.
    CallMore {
        /// As in the call.
        caller: u16,
    },
    /// Starts a reply.
    Reply {
        /// Whose call is answered.
        caller: u16,
        /// Which call.
        number: u8,
        /// The reply's words.
        words: Words,
        /// Bytes of the answer that are sent.
        used_bytes: u16,
        /// Bytes of the answer in the slice taken, once the sent ones are unpacked; 0: they are not packed.
        plain_bytes: u16,
        /// The costs reported now for the account of the call.
        cost: Cost,
    },
    /// Continues a reply.
    ReplyMore {
        /// As in the reply.
        caller: u16,
    },
    /// The caller would rather have an early answer.
    Interrupt {
        /// Whose call.
        caller: u16,
        /// Which call.
        number: u8,
    },
    /// A call that returns data, in paired form: the caller has the answer, so the second rendezvous is over.
    Received {
        /// Whose call.
        caller: u16,
        /// Which call.
        number: u8,
    },
    /// Likewise: the call is passed on to its server, so the first rendezvous is over.
    Accepted {
        /// Whose call.
        caller: u16,
        /// Which call.
        number: u8,
    },
    /// Starts an asynchronous call, whose caller has continued.
    Async {
        /// Which copy of the sender's pool.
        slot: u16,
        /// The request; its reply returns no slice.
        request: Request,
    },
    /// Continues an asynchronous call.
    AsyncMore {
        /// As in the call.
        slot: u16,
    },
    /// An asynchronous call is done: the credit comes back.
    Done {
        /// Which copy.
        slot: u16,
        /// Why it failed; 0: it did not.
        errno: u16,
    },
}

const HAS_GIVEN: u8 = 1;
const HAS_TAKEN: u8 = 2;
const HAS_USED: u8 = 1;
const HAS_COST: u8 = 2;
/// In the place of an entry's number: not an interruption but [`Head::Received`], not an end but [`Head::Accepted`].
const PAIRED: u8 = 1;
/// Likewise of a reply: its answer is packed.
const PACKED: u8 = 1;
/// The entry's number that says that another follows, and an account.
const FOR_ACCOUNT: u8 = ENTRIES_MAX;

impl Head {
    /// Writes the head to the front of `out`; its length, bytes.
    ///
    /// # Errors
    /// `Short` if `out` has no room.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, WireError> {
        let mut out = FrameWriter::new(out);
        match self {
            Head::Call { caller, number, request } => {
                out.byte(request.first_op())?;
                out.varint(u64::from(*caller))?;
                out.byte(*number)?;
                request.put(&mut out)?;
            }
            Head::CallMore { caller } => more(1, *caller, &mut out)?,
            Head::Reply { caller, number, words, used_bytes, plain_bytes, cost } => {
                out.byte(2 << 5 | if *plain_bytes > 0 { PACKED } else { 0 })?;
                out.varint(u64::from(*caller))?;
                out.byte(*number)?;
                let used = if *used_bytes > 0 { HAS_USED } else { 0 };
                let cost_flag = if *cost == Cost::NONE { 0 } else { HAS_COST };
                words::put(words, used | cost_flag, &mut out)?;
                for bytes in [*used_bytes, *plain_bytes] {
                    if bytes > 0 {
                        out.varint(u64::from(bytes))?;
                    }
                }
                if cost_flag != 0 {
                    cost.put(&mut out)?;
                }
            }
            Head::ReplyMore { caller } => more(3, *caller, &mut out)?,
            Head::Interrupt { caller, number } => {
                more(4, *caller, &mut out)?;
                out.byte(*number)?;
            }
            Head::Received { caller, number } => paired(4, *caller, *number, &mut out)?,
            Head::Accepted { caller, number } => paired(7, *caller, *number, &mut out)?,
            Head::Async { slot, request } => {
                out.byte(5 << 5 | request.first_op())?;
                out.varint(u64::from(*slot))?;
                request.put(&mut out)?;
            }
            Head::AsyncMore { slot } => more(6, *slot, &mut out)?,
            Head::Done { slot, errno } => {
                more(7, *slot, &mut out)?;
                out.varint(u64::from(*errno))?;
            }
        }
        Ok(out.length())
    }

    /// Reads a fragment: its head and its data.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(fragment: &[u8]) -> Result<(Head, &[u8]), WireError> {
        let mut from = FrameReader(fragment);
        let first = from.byte()?;
        let (which, op) = (first >> 5, first & 0x1f);
        let index = from.index()?;
        let head = match which {
            0 => Head::Call { caller: index, number: from.byte()?, request: Request::get(op, &mut from)? },
            1 => Head::CallMore { caller: index },
            2 => {
                let number = from.byte()?;
                let (words, flags) = words::get(&mut from)?;
                let used_bytes = slice_bytes(flags & HAS_USED != 0, &mut from)?;
                let plain_bytes = slice_bytes(op == PACKED, &mut from)?;
                let cost = if flags & HAS_COST != 0 { Cost::get(&mut from)? } else { Cost::NONE };
                Head::Reply { caller: index, number, words, used_bytes, plain_bytes, cost }
            }
            3 => Head::ReplyMore { caller: index },
            4 if op == PAIRED => Head::Received { caller: index, number: from.byte()? },
            4 => Head::Interrupt { caller: index, number: from.byte()? },
            5 => Head::Async { slot: index, request: Request::get(op, &mut from)? },
            6 => Head::AsyncMore { slot: index },
            7 if op == PAIRED => Head::Accepted { caller: index, number: from.byte()? },
            _ => Head::Done { slot: index, errno: from.index()? },
        };
        Ok((head, from.0))
    }
}

fn more(which: u8, index: u16, out: &mut FrameWriter<'_>) -> Result<(), WireError> {
    out.byte(which << 5)?;
    out.varint(u64::from(index))
}

fn paired(which: u8, caller: u16, number: u8, out: &mut FrameWriter<'_>) -> Result<(), WireError> {
    out.byte(which << 5 | PAIRED)?;
    out.varint(u64::from(caller))?;
    out.byte(number)
}

fn slice_bytes(present: bool, from: &mut FrameReader<'_>) -> Result<u16, WireError> {
    let bytes = if present { from.index()? } else { 0 };
    if usize::from(bytes) > SLICE_BYTES_MAX { Err(WireError::TooLarge) } else { Ok(bytes) }
}

impl Cost {
    fn put(&self, out: &mut FrameWriter<'_>) -> Result<(), WireError> {
        [self.time_us, self.blocks_read, self.blocks_written].iter().try_for_each(|part| out.varint(u64::from(*part)))
    }

    fn get(from: &mut FrameReader<'_>) -> Result<Cost, WireError> {
        Ok(Cost { time_us: from.number()?, blocks_read: from.number()?, blocks_written: from.number()? })
    }
}

impl Request {
    /// The entry's number as it stands in the first byte.
    fn first_op(&self) -> u8 {
        if self.account == 0 { self.op } else { FOR_ACCOUNT }
    }

    fn put(&self, out: &mut FrameWriter<'_>) -> Result<(), WireError> {
        if self.account != 0 {
            out.byte(self.op)?;
            out.varint(u64::from(self.account))?;
        }
        let given = if self.given_bytes > 0 { HAS_GIVEN } else { 0 };
        let taken = if self.taken_bytes > 0 { HAS_TAKEN } else { 0 };
        out.varint(u64::from(self.destination))?;
        words::put(&self.words, given | taken, out)?;
        for bytes in [self.given_bytes, self.taken_bytes] {
            if bytes > 0 {
                out.varint(u64::from(bytes))?;
            }
        }
        Ok(())
    }

    fn get(first_op: u8, from: &mut FrameReader<'_>) -> Result<Request, WireError> {
        let (op, account) = if first_op == FOR_ACCOUNT { (from.byte()?, from.number()?) } else { (first_op, 0) };
        if op >= ENTRIES_MAX {
            return Err(WireError::TooLarge);
        }
        let destination = from.index()?;
        let (words, flags) = words::get(from)?;
        let given_bytes = slice_bytes(flags & HAS_GIVEN != 0, from)?;
        let taken_bytes = slice_bytes(flags & HAS_TAKEN != 0, from)?;
        Ok(Request { destination, op, words, given_bytes, taken_bytes, account })
    }
}
