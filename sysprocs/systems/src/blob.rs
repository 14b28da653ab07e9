//! The tables of a system as bytes: what the placement tool writes, a boot loader puts into memory, a board reads.
//!
//! A head (magic, version of this form, number of the code's kinds, length, check sum), then the fields of
//! [`System`] in their order: numbers little-endian, texts and lists behind their length. One description serves
//! both directions. Invariant: what [`read`] accepts is whole, of this code, and keeps the rules of
//! [`crate::valid`], so a board boots from it or not at all. Not here: where the bytes lie.

use crate::facts::FACTS;
use crate::fields::{BlobReader, TableField};
use crate::tables::System;
use crate::valid;
use core::fmt;
use crc::{CRC_32_ISCSI, Crc};
use renga_core::Arena;

/// What tables begin with.
pub const MAGIC: [u8; 8] = *b"RENGASYS";
/// Of the form; another one is another number.
pub const VERSION: u32 = 6;
/// Longest tables.
pub const BYTES_MAX: usize = 64 << 10;
/// Magic, version, code, length of the body, its check sum.
pub const HEAD_BYTES: usize = 24;
const LENGTH_AT: usize = 16;

static SUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);

/// Why bytes are not this board's tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadTables {
    /// They do not begin with [`MAGIC`].
    NotTables,
    /// They are of another form.
    OtherVersion(u32),
    /// The tool that wrote them was built from other kinds of process than this kernel.
    OtherCode,
    /// There are fewer or more bytes than the head says.
    Length,
    /// The check sum is another one.
    Damaged,
    /// A number names no kind, a text is not text, a list is longer than the rest.
    Malformed,
    /// They break this rule.
    RuleBroken(&'static str),
}

impl fmt::Display for BadTables {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadTables::NotTables => write!(out, "these are not a system's tables"),
            BadTables::OtherVersion(found) => {
                write!(out, "their form is version {found}, this kernel reads version {VERSION}: rebuild both")
            }
            BadTables::OtherCode => write!(out, "they were made for another kernel: build both from the same sources"),
            BadTables::Length => write!(out, "some of their bytes are missing, or there are too many"),
            BadTables::Damaged => write!(out, "they are damaged: the check sum is another one"),
            BadTables::Malformed => write!(out, "they are malformed"),
            BadTables::RuleBroken(rule) => write!(out, "they break a rule: {rule}"),
        }
    }
}

/// `bytes` without the zeros behind tables that fill a file only in part.
pub fn without_padding(bytes: &[u8]) -> &[u8] {
    let len =
        bytes.get(LENGTH_AT..LENGTH_AT + 4).and_then(|word| word.first_chunk().copied()).map_or(0, u32::from_le_bytes);
    match bytes.split_at_checked(HEAD_BYTES + len as usize) {
        Some((tables, rest)) if rest.iter().all(|byte| *byte == 0) => tables,
        _ => bytes,
    }
}

/// The name of the system whose tables these are, whatever the rest of them says; none: they are not tables of this
/// form.
pub fn system_name(bytes: &[u8]) -> Option<&str> {
    let (head, body) = bytes.split_at_checked(HEAD_BYTES)?;
    // The name is the first field.
    let (length, rest) = body.split_first()?;
    let name = core::str::from_utf8(rest.get(..usize::from(*length))?).ok()?;
    (head[..8] == MAGIC && head[8..12] == VERSION.to_le_bytes()).then_some(name)
}

/// A number that changes with the kinds of process, their protocols and entries: what the tables' numbers mean.
pub fn code_number() -> u32 {
    let mut digest = SUM.digest();
    for facts in FACTS {
        digest.update(facts.kind.name().as_bytes());
        for edge in facts.signature.edges.iter().copied().flatten() {
            let protocol = edge.protocol();
            digest.update(protocol.name.as_bytes());
            for (op, name) in protocol.names {
                digest.update(&[*op as u8]);
                digest.update(name.as_bytes());
            }
            for set in [protocol.entries, protocol.defers, protocol.releases] {
                digest.update(&set.to_le_bytes());
            }
        }
    }
    digest.finalize()
}

/// The head of tables with this body.
pub fn head(body: &[u8]) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(&MAGIC);
    let numbers = [VERSION, code_number(), body.len() as u32, SUM.checksum(body)];
    for (at, number) in head[8..].chunks_exact_mut(4).zip(numbers) {
        at.copy_from_slice(&number.to_le_bytes());
    }
    head
}

/// Hands the body of the tables of `system` to `out`, piece by piece.
pub fn write(system: &System<'_>, out: &mut dyn FnMut(&[u8])) {
    system.put(out);
}

/// Reads tables into `arena`; `bytes` are no longer needed.
///
/// # Errors
/// Why they are refused.
pub fn read(arena: &'static Arena, bytes: &[u8]) -> Result<&'static System<'static>, BadTables> {
    let (head, body) = bytes.split_at_checked(HEAD_BYTES).ok_or(BadTables::Length)?;
    let number = |index: usize| {
        let at = 8 + index * 4;
        u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]])
    };
    if head[..8] != MAGIC {
        return Err(BadTables::NotTables);
    }
    if number(0) != VERSION {
        return Err(BadTables::OtherVersion(number(0)));
    }
    if number(1) != code_number() {
        return Err(BadTables::OtherCode);
    }
    if body.len() > BYTES_MAX || number(2) as usize != body.len() {
        return Err(BadTables::Length);
    }
    if number(3) != SUM.checksum(body) {
        return Err(BadTables::Damaged);
    }
    let mut reader = BlobReader { rest: body, arena, malformed: false };
    let system = System::get(&mut reader);
    if reader.malformed || !reader.rest.is_empty() {
        return Err(BadTables::Malformed);
    }
    valid::check(&system).map_err(BadTables::RuleBroken)?;
    Ok(arena.put(|| system))
}
