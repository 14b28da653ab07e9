//! Branches that go past a probe.
//!
//! A probe without an instruction of its own is at the instruction that follows it. If that instruction is reached in
//! more than one way, some of them may go past the probe: from the instruction before it and by a branch, or by two
//! branches. One branch alone, behind code that goes elsewhere, leads to the probe itself. Not seen: branches through
//! registers, which a table of a `match` may take.

use super::MachineInstruction;
use anyhow::{Context, Result};
use object::{Object, ObjectSection, SectionKind};
use std::collections::{BTreeMap, BTreeSet};

/// NOP: the instruction of a probe that has one.
const NOP: MachineInstruction = MachineInstruction(0xd503_201f);

/// Of these places in the code of the ELF file `kernel`, those that are not probes' own and are reached in more than
/// one way.
///
/// # Errors
/// If the file cannot be read.
pub fn passed(kernel: &[u8], places: impl Iterator<Item = u64>) -> Result<Vec<u64>> {
    let places: BTreeSet<u64> = places.collect();
    let file = object::File::parse(kernel).context("the kernel's ELF file cannot be read")?;
    let mut found = BTreeSet::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        found.extend(passed_in(section.address(), section.data()?, &places));
    }
    Ok(found.into_iter().collect())
}

fn passed_in(address: u64, code: &[u8], places: &BTreeSet<u64>) -> BTreeSet<u64> {
    let words = code.as_chunks::<4>().0;
    let instruction = |at: u64| {
        let index = at.checked_sub(address)? / 4;
        words.get(index as usize).map(|word| MachineInstruction(u32::from_le_bytes(*word)))
    };
    let mut ways: BTreeMap<u64, u32> = BTreeMap::new();
    for at in (0..words.len() as u64).map(|index| address + index * 4) {
        let Some(instruction) = instruction(at) else { continue };
        let next = (!instruction.leaves_the_line()).then_some(at + 4);
        for to in next.into_iter().chain(instruction.branches_to(at)).filter(|to| places.contains(to)) {
            *ways.entry(to).or_default() += 1;
        }
    }
    let shared = ways.into_iter().filter(|(at, ways)| *ways > 1 && instruction(*at) != Some(NOP));
    shared.map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of all places in this code are passed: their indices.
    fn passed_at<const N: usize>(words: [u32; N]) -> Vec<u64> {
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let all: BTreeSet<u64> = (0..N as u64).map(|index| 0x8000 + index * 4).collect();
        passed_in(0x8000, &code, &all).into_iter().map(|at| (at - 0x8000) / 4).collect()
    }

    #[test]
    fn passed_branch_to_label_is_found_to_nop_is_not() {
        // cbz x0, +8; nop; ldr x1, [x2]; b -8; tbnz x0, #3, -8; b.eq +4; ret
        let words = [0xb400_0040, 0xd503_201f, 0xf940_0041, 0x17ff_fffe, 0x371f_ffc0, 0x5400_0020, 0xd65f_03c0];
        assert_eq!(passed_at(words), [2, 6]);
    }

    #[test]
    fn passed_single_branch_after_jump_is_allowed_two_are_not() {
        const LOAD: u32 = 0xf940_0041;
        // cbz x0, to the last; then what goes elsewhere: ret, b, br x8; or, as bl does, comes back.
        for (leaves, is_passed) in
            [(0xd65f_03c0, false), (0x17ff_ffff, false), (0xd61f_0100, false), (0x97ff_ffff, true)]
        {
            assert_eq!(passed_at([0xb400_0040, leaves, LOAD]).contains(&2), is_passed, "{leaves:#x}");
        }
        // cbz x0, to the last; cbz x1, to the last; ret.
        assert_eq!(passed_at([0xb400_0060, 0xb400_0041, 0xd65f_03c0, LOAD]), [3]);
    }
}
