//! ATAGs: a list of tagged records of little-endian words. Linux `arch/arm/include/uapi/asm/setup.h`.

use crate::arguments::{Arguments, text};

const TAG_CORE: u32 = 0x5441_0001;
const TAG_MEMORY: u32 = 0x5441_0002;
const TAG_INITRD2: u32 = 0x5442_0005;
const TAG_COMMAND_LINE: u32 = 0x5441_0009;
const TAG_NONE: u32 = 0;
/// Words of a record's header: its length in words with the header, and its tag.
const HEADER_WORDS: usize = 2;
/// More than any boot loader writes.
const RECORDS_MAX: usize = 64;

/// Reads a list; `None` when there is none.
pub fn parse(bytes: &[u8]) -> Option<Arguments<'_>> {
    let mut rest = bytes;
    if word(rest, 1)? != TAG_CORE {
        return None;
    }
    let mut arguments = Arguments::default();
    for _ in 0..RECORDS_MAX {
        let (length, tag) = (word(rest, 0)? as usize, word(rest, 1)?);
        let body = rest.get(HEADER_WORDS * 4..length.checked_mul(4)?);
        match tag {
            TAG_NONE => break,
            TAG_MEMORY => {
                let (size, start) = (u64::from(word(body?, 0)?), u64::from(word(body?, 1)?));
                arguments.memory.get_or_insert(start..start + size);
            }
            TAG_INITRD2 => {
                let (start, size) = (u64::from(word(body?, 0)?), u64::from(word(body?, 1)?));
                arguments.loaded = Some(start..start + size);
            }
            TAG_COMMAND_LINE => arguments.command_line = text(body?),
            _ => {}
        }
        // A record shorter than its header would never end the list.
        body?;
        rest = rest.get(length * 4..)?;
    }
    Some(arguments)
}

fn word(bytes: &[u8], index: usize) -> Option<u32> {
    let bytes = bytes.get(index * 4..index * 4 + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
