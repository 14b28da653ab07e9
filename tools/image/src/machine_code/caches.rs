//! What other cores, other devices and the fetching of instructions must see of what was stored: QEMU has no caches, so
//! nothing stale is ever seen there.
//!
//! Invariant: behind whatever cleans a line, on every way from there, comes the barrier that waits for it, and behind
//! what cleans code the whole sequence that makes it fetched (Arm ARM B2.4.4); a store notifies other cores of a word
//! only when it is in memory. Not here:
//! that code is cleaned before a program may execute it, which the types of `renga_arch_aarch64::memory` see to; what
//! the cache does with the mailbox's words, of which there is a model (`kernel/board-rpi/src/silicon/cache.rs`).

use super::decode::MachineInstruction;
use super::spaces::Text;
use super::span::Span;

/// Instructions within which it must be done, on each way.
const STEPS_MAX: usize = 48;
/// Instructions before a SEV among which the store is that it announces.
const STORE_WITHIN: usize = 12;
/// Bytes that the firmware reads and writes, and the longest line of any core that we run on.
const SHARED_BYTES: u64 = 128;
const LINE_BYTES: u64 = 64;

type InstructionTest = fn(MachineInstruction) -> bool;

/// How code that was cleaned comes to be fetched.
const FETCHED: &[InstructionTest] = &[
    MachineInstruction::is_data_barrier,
    MachineInstruction::forgets_instructions,
    MachineInstruction::is_data_barrier,
    MachineInstruction::is_synchronisation,
];
const FINISHED: &[InstructionTest] = &[MachineInstruction::is_data_barrier];

/// Which lines the code cares for at all.
#[derive(Default)]
pub struct Cared {
    /// Code that is to be fetched.
    pub code: bool,
    /// Words for other cores.
    pub event: bool,
    /// Words for devices.
    pub words: bool,
}

impl Text<'_> {
    /// What may stay in a cache.
    pub fn stale(&self, cared: &mut Cared) -> Vec<String> {
        let mut findings = Vec::new();
        for (index, &instruction) in self.words.iter().enumerate() {
            let at = self.address + index as u64 * 4;
            let stays = if instruction.cleans_code() {
                cared.code = true;
                (!self.follows(at + 4, STEPS_MAX, FETCHED, MachineInstruction::cleans_code))
                    .then_some("code that was cleaned is not made fetched behind this: DSB, IC, DSB, ISB")
            } else if instruction.cares_for_line() {
                cared.words = true;
                (!self.follows(at + 4, STEPS_MAX, FINISHED, MachineInstruction::cares_for_line))
                    .then_some("no barrier waits until this line is cleaned: DSB")
            } else if instruction.is_send_event() {
                cared.event = true;
                (!self.is_announced(index))
                    .then_some("an event of a word that may still be in the cache: STR, DC CIVAC, DSB, SEV")
            } else {
                None
            };
            findings.extend(stays.map(|what| format!("{at:#x}: {what} ({:#010x})", instruction.0)));
        }
        findings
    }

    /// Whether on each way from `at` on the `wanted` instructions come, in their order, before the function is left;
    /// who comes to one that is looked at by itself, `again`, is done.
    fn follows(&self, at: u64, steps: usize, wanted: &[InstructionTest], again: InstructionTest) -> bool {
        let (mut at, mut wanted, all) = (at, wanted, wanted.len());
        for left in (0..steps).rev() {
            let Some(&instruction) = self.words.get((at.wrapping_sub(self.address) / 4) as usize) else { return false };
            if wanted.first().is_some_and(|is| is(instruction)) {
                wanted = &wanted[1..];
            }
            if wanted.is_empty() || wanted.len() == all && again(instruction) {
                return true;
            }
            if instruction.is_call() {
                return self.panics(instruction.branches_to(at));
            }
            match instruction.branches_to(at) {
                Some(to) if instruction.leaves_the_line() => at = to,
                None if instruction.is_branch() => return false,
                Some(to) if !self.follows(to, left, wanted, again) => return false,
                _ => at += 4,
            }
        }
        false
    }

    /// Whether the word that the event at `index` announces is in memory by then.
    fn is_announced(&self, index: usize) -> bool {
        let [.., clean, barrier] = &self.words[..index] else { return false };
        let before = &self.words[index.saturating_sub(STORE_WITHIN)..index - 2];
        let stored = |word: &MachineInstruction| word.is_store_to(clean.target());
        clean.cares_for_line() && barrier.is_data_barrier() && before.iter().any(stored)
    }
}

/// Jumps to code that was moved there and is not made fetched, in the `dark` part, which runs in the order in which it
/// stands.
pub fn unfetched(address: u64, words: &[MachineInstruction], dark: &Span) -> Vec<String> {
    let (mut findings, mut wanted): (_, &[InstructionTest]) = (Vec::new(), &[]);
    for (index, instruction) in words.iter().enumerate() {
        let at = address + index as u64 * 4;
        if !dark.holds(at) {
            continue;
        }
        if instruction.is_memory() && !instruction.loads_target() {
            wanted = FETCHED;
        } else if wanted.first().is_some_and(|is| is(*instruction)) {
            wanted = &wanted[1..];
        } else if instruction.is_jump() && !wanted.is_empty() {
            findings.push(format!("{at:#x}: a jump to what was stored before, which may not be what is fetched"));
        }
    }
    findings
}

/// What shares its cache lines with the firmware's words at `shared`, of the `others`.
pub fn neighbours(shared: u64, others: impl Iterator<Item = (u64, u64)>) -> Option<String> {
    if !shared.is_multiple_of(LINE_BYTES) {
        return Some(format!("{shared:#x}: the firmware's words begin within a cache line"));
    }
    let lines = shared..shared + SHARED_BYTES;
    let mut near = others.filter(|(at, bytes)| *at < lines.end && at + bytes > lines.start && *at != shared);
    near.next().map(|(at, _)| format!("{at:#x}: in the cache lines of the firmware's words"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const CVAU: u32 = 0xd50b_7b28; // dc cvau, x8
    const CIVAC: u32 = 0xd50b_7e29; // dc civac, x9
    const DSB: u32 = 0xd503_3b9f;
    const IC: u32 = 0xd508_711f; // ic ialluis
    const ISB: u32 = 0xd503_3fdf;
    const RET: u32 = 0xd65f_03c0;
    const NOP: u32 = 0xd503_201f;
    const SEV: u32 = 0xd503_209f;
    const STORE: u32 = 0xf900_0121; // str x1, [x9]
    const BACK: u32 = 0x54ff_ffc3; // b.lo, two words back
    const LATER: u32 = 0x5400_0060; // b.eq, three words on

    fn stale(words: &[u32]) -> usize {
        let words: Vec<MachineInstruction> = words.iter().map(|word| MachineInstruction(*word)).collect();
        Text { address: 0x1000, words: &words, functions: &BTreeMap::new() }.stale(&mut Cared::default()).len()
    }

    /// Holds: silicon-caches.
    #[test]
    fn caches_cleaned_code_is_invalidated_on_every_path() {
        assert_eq!(stale(&[CVAU, NOP, BACK, DSB, IC, DSB, ISB, RET]), 0);
        for left_out in [3, 4, 5, 6] {
            let mut words = vec![CVAU, NOP, BACK, DSB, IC, DSB, ISB, RET];
            words.remove(left_out);
            assert_eq!(stale(&words), 1, "without the word at {left_out}");
        }
        assert_eq!(stale(&[CVAU, IC, DSB, ISB, DSB, RET]), 1, "in another order");
        assert_eq!(stale(&[CVAU, LATER, DSB, IC, RET, DSB, ISB, RET]), 1, "on one way only");
        assert_eq!(stale(&[CVAU, DSB, IC, 0x9400_0010, DSB, ISB, RET]), 1, "a call before");
    }

    /// Holds: silicon-caches.
    #[test]
    fn caches_clean_is_followed_by_barrier() {
        assert_eq!(stale(&[CIVAC, CIVAC, DSB, RET]), 0);
        assert_eq!(stale(&[CIVAC, CIVAC, RET]), 1);
        assert_eq!(stale(&[CIVAC, LATER, DSB, RET, RET]), 1);
        assert_eq!(stale(&[DSB, CIVAC, 0xd69f_03e0]), 1, "an exception return before");
    }

    /// Holds: silicon-caches.
    #[test]
    fn caches_event_comes_after_barrier() {
        assert_eq!(stale(&[STORE, CIVAC, DSB, SEV]), 0);
        assert_eq!(stale(&[STORE, DSB, SEV]), 1, "in the cache");
        assert_eq!(stale(&[STORE, CIVAC, SEV, DSB]), 1, "on its way");
        assert_eq!(stale(&[NOP, CIVAC, DSB, SEV]), 1, "nothing stored");
        assert_eq!(stale(&[0xf900_0101, CIVAC, DSB, SEV]), 1, "another word was stored");
    }

    /// Holds: silicon-caches.
    #[test]
    fn caches_moved_code_is_fetched_before_jump() {
        let dark = Span { start: 0x1000, end: 0x1020 };
        let found = |words: &[u32]| {
            let words: Vec<MachineInstruction> = words.iter().map(|word| MachineInstruction(*word)).collect();
            unfetched(0x1000, &words, &dark).len()
        };
        const JUMP: u32 = 0xd61f_0100; // br x8
        assert_eq!(found(&[STORE, DSB, IC, DSB, ISB, JUMP]), 0);
        assert_eq!(found(&[STORE, DSB, IC, DSB, JUMP]), 1);
        assert_eq!(found(&[STORE, JUMP]), 1);
        assert_eq!(found(&[DSB, IC, DSB, ISB, STORE, JUMP]), 1);
        assert_eq!(found(&[0xf940_0121, JUMP]), 0, "a load");
        assert_eq!(found(&[NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, STORE, JUMP]), 0, "behind the dark part");
    }

    /// Holds: silicon-caches.
    #[test]
    fn caches_firmware_words_have_own_lines() {
        let near = |shared, others: &[(u64, u64)]| neighbours(shared, others.iter().copied());
        assert_eq!(near(0x1040, &[(0x1000, 0x40), (0x1040, 0), (0x10c0, 8)]), None);
        assert!(near(0x1040, &[(0x1000, 0x41)]).is_some());
        assert!(near(0x1040, &[(0x10b8, 8)]).is_some());
        assert!(near(0x1048, &[]).is_some());
    }
}
