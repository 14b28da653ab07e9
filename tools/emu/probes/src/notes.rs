//! The notes of an ELF file that describe probes, in SystemTap's form.
//!
//! A note: its owner `stapsdt`, its type 3, then the probe's address, two more addresses that are not used here, and
//! three strings, each with a zero byte at its end: provider, name, operands. Operands are separated by spaces:
//! `4@x1` is in a register, `4@[x1,16]` in memory, 16 bytes behind where the register points; `4@5` is the number 5.
//!
//! Invariant: whatever the file contains, it is read or refused.

use crate::hit::OPERAND_BYTES_MAX;
use object::{Object, ObjectSection, ObjectSegment};

/// The section.
const SECTION: &str = ".note.stapsdt";
/// The provider of the kernel's probes.
const PROVIDER: &str = "renga";
/// X0 to X30.
const REGISTERS: u8 = 31;

/// A probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeNote {
    /// Its place among the notes.
    pub index: u16,
    /// What it is about; others may have the same name.
    pub name: String,
    /// Its instruction.
    pub address: u64,
    /// Its operands.
    pub operands: Vec<Operand>,
}

/// Where an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its size, bytes: 1 to 8.
    pub bytes: u8,
    /// The general register that has it, or points near it.
    pub register: u8,
    /// How far behind there; none if it is in the register itself.
    pub offset: Option<u64>,
}

/// All probes of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probes {
    /// From a physical address to the virtual one at which the kernel has all memory.
    pub linear_base: u64,
    /// In the order of the notes; those that the linker left out are not among them.
    pub probes: Vec<ProbeNote>,
}

impl Probes {
    /// Reads a kernel's ELF file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(file: &[u8]) -> Result<Probes, String> {
        let file = object::File::parse(file).map_err(|error| format!("not an ELF file: {error}"))?;
        let object::File::Elf64(elf) = &file else { return Err("not an ELF file of 64 bits".to_string()) };
        let first = elf.segments().next().ok_or("no segments")?;
        let physical = first.elf_program_header().p_paddr.get(elf.endian());
        let linear_base = first.address().wrapping_sub(physical);
        let mut probes = Vec::new();
        for section in elf.sections().filter(|section| section.name() == Ok(SECTION)) {
            let bytes = section.data().map_err(|error| error.to_string())?;
            notes(bytes, &mut probes).ok_or_else(|| format!("{SECTION} is malformed"))?;
        }
        Ok(Probes { linear_base, probes })
    }
}

fn notes(mut notes: &[u8], probes: &mut Vec<ProbeNote>) -> Option<()> {
    let mut index = 0u16;
    while !notes.is_empty() {
        let owner = number(notes, 0)? as usize;
        let content = number(notes, 4)? as usize;
        let at = 12 + owner.next_multiple_of(4);
        let address = u64::from(number(notes, at)?) | u64::from(number(notes, at + 4)?) << 32;
        let mut strings = notes.get(at + 24..at + content)?.split(|byte| *byte == 0);
        let mut text = || std::str::from_utf8(strings.next()?).ok();
        let (provider, name, operands) = (text()?, text()?, text()?);
        if provider == PROVIDER && address != 0 {
            let operands = operands.split_whitespace().map(operand).collect::<Option<Vec<_>>>()?;
            let bytes: usize = operands.iter().map(|operand| usize::from(operand.bytes)).sum();
            if bytes > OPERAND_BYTES_MAX {
                return None;
            }
            probes.push(ProbeNote { index, name: name.to_string(), address, operands });
        }
        index = index.checked_add(1)?;
        notes = notes.get(at + content.next_multiple_of(4)..)?;
    }
    Some(())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn operand(text: &str) -> Option<Operand> {
    let (bytes, place) = text.split_once('@')?;
    let inner = place.strip_prefix('[').and_then(|place| place.strip_suffix(']'));
    let (register, offset) = match inner.map(|inner| inner.split_once(',').unwrap_or((inner, "0"))) {
        Some((register, offset)) => (register, Some(offset.trim().parse().ok()?)),
        None => (place, None),
    };
    let bytes = bytes.parse().ok().filter(|bytes| (1..=8).contains(bytes))?;
    let register = register.strip_prefix(['x', 'w'])?.parse().ok().filter(|number| *number < REGISTERS)?;
    Some(Operand { bytes, register, offset })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A note as the assembler writes it.
    fn note(address: u64, strings: &[u8]) -> Vec<u8> {
        let mut bytes = [8u32, 24 + strings.len() as u32, 3].map(u32::to_le_bytes).concat();
        bytes.extend(b"stapsdt\0");
        bytes.extend([address, 0, 0].map(u64::to_le_bytes).concat());
        bytes.extend(strings);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    #[test]
    fn probe_notes_are_read() {
        let two = [note(0x80000, b"renga\0call\x004@[x19,328] 4@x8\0"), note(0x80010, b"renga\0idle\0\0")].concat();
        let mut probes = Vec::new();
        assert_eq!(notes(&two, &mut probes), Some(()));
        let operands = vec![
            Operand { bytes: 4, register: 19, offset: Some(328) },
            Operand { bytes: 4, register: 8, offset: None },
        ];
        let call = ProbeNote { index: 0, name: "call".into(), address: 0x80000, operands };
        let idle = ProbeNote { index: 1, name: "idle".into(), address: 0x80010, operands: Vec::new() };
        assert_eq!(probes, [call, idle]);
    }

    #[test]
    fn probe_notes_of_others_are_skipped() {
        let bytes =
            [note(0, b"renga\0call\0\0"), note(8, b"libc\0malloc\x008@x0\0"), note(16, b"renga\0idle\0\0")].concat();
        let mut probes = Vec::new();
        assert_eq!(notes(&bytes, &mut probes), Some(()));
        assert_eq!(probes.iter().map(|probe| probe.index).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn probe_notes_nonsense_is_refused() {
        for operands in ["4@x31", "9@x0", "4@y1", "4", "4@[x1,z]", "8@x0 8@x0 8@x0 8@x0"] {
            let strings = format!("renga\0call\0{operands}\0");
            assert_eq!(notes(&note(8, strings.as_bytes()), &mut Vec::new()), None, "{operands}");
        }
        let whole = note(8, b"renga\0call\x004@x0\0");
        for bytes in 1..whole.len() {
            assert_eq!(notes(&whole[..bytes], &mut Vec::new()), None, "{bytes} of {} bytes", whole.len());
        }
        assert!(Probes::read(b"hello").is_err());
    }
}
