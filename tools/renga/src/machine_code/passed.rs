//! Branches that go past a probe.
//!
//! A probe without an instruction of its own is at the instruction that follows it. If a branch goes there too, that
//! instruction is not always reached by way of the probe. Not seen: branches through registers, which a table of a `match`
//! may take.

use super::Instruction;
use anyhow::{Context, Result};
use object::{Object, ObjectSection, SectionKind};
use std::collections::BTreeSet;

/// NOP: the instruction of a probe that has one.
const NOP: Instruction = Instruction(0xd503_201f);

/// Of these places in the code of the ELF file `kernel`, those that are not probes' own and to which a branch goes.
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
        words.get(index as usize).map(|word| Instruction(u32::from_le_bytes(*word)))
    };
    let ends = (0..words.len() as u64).map(|index| address + index * 4);
    let targets = ends.filter_map(|at| instruction(at)?.branches_to(at));
    targets.filter(|target| places.contains(target) && instruction(*target) != Some(NOP)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_to_a_label_is_found_and_one_to_a_nop_is_not() {
        // cbz x0, +8; nop; ldr x1, [x2]; b -8; tbnz x0, #3, -8; b.eq +4; ret
        let words = [0xb400_0040, 0xd503_201f, 0xf940_0041, 0x17ff_fffe, 0x371f_ffc0, 0x5400_0020, 0xd65f_03c0];
        let code: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        let at = |index: u64| 0x8000 + index * 4;
        let all: BTreeSet<u64> = (0..words.len() as u64).map(at).collect();
        assert_eq!(passed_in(0x8000, &code, &all), BTreeSet::from([at(2), at(6)]));
    }
}
