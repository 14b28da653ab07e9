//! Each rule on the least code that breaks it, and on its nearest neighbour that does not. The words were
//! assembled by llvm-mc.

use super::{BOOT, FRAME_BYTES_MAX, ImageParts, Span, Text, code, frames, header, instructions};
use std::collections::BTreeMap;

const ADDRESS: u64 = 0x1000;
const LOAD: u32 = 0xf940_0020; // ldr x0, [x1]
const NOP: u32 = 0xd503_201f;
const MULTIPLY_ADD: u32 = 0x9b02_0c20; // madd x0, x1, x2, x3
const ADRP_X0: u32 = 0x9000_0000;
const LOAD_OFFSET: u32 = 0xf940_0402; // ldr x2, [x0, #8]
const LOAD_X2: u32 = 0xf940_0022; // ldr x2, [x1]

/// Findings in `words` at `address`; the first four words are dark, floating point is allowed at 0x2000,
/// DC ZVA at 0x2800.
fn findings(address: u64, words: &[u32]) -> Vec<String> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let floating = vec![Span { start: 0x2000, end: 0x2010 }];
    let constants = vec![Span { start: 0x4000, end: 0x4010 }];
    let (dark, zeroing) = (Span { start: 0x1000, end: 0x1010 }, Span { start: 0x2800, end: 0x2810 });
    code(address, &bytes, &ImageParts { dark, floating, zeroing, constants })
}

#[test]
fn errata_multiply_accumulate_after_access_is_found() {
    assert_eq!(findings(0x3000, &[LOAD, MULTIPLY_ADD]).len(), 1);
    assert!(findings(0x3000, &[LOAD, NOP, MULTIPLY_ADD]).is_empty());
    // mul x0, x1, x2 is madd with the zero register, and madd w0, w1, w2, w3 has 32 bits.
    assert!(findings(0x3000, &[LOAD, 0x9b02_7c20]).is_empty());
    assert!(findings(0x3000, &[LOAD, 0x1b02_0c20]).is_empty());
    // A store and a prefetch count; umaddl x0, w1, w2, x3 counts.
    assert_eq!(findings(0x3000, &[0xf900_0020, 0x9ba2_0c20]).len(), 1);
    assert_eq!(findings(0x3000, &[0xf980_0020, MULTIPLY_ADD]).len(), 1);
}

/// Holds: silicon-code.
#[test]
fn errata_adrp_at_end_of_page_is_found() {
    for at in [0x3ff8, 0x3ffc] {
        assert_eq!(findings(at, &[ADRP_X0, LOAD_X2, LOAD_OFFSET]).len(), 1);
        assert_eq!(findings(at, &[ADRP_X0, LOAD_X2, NOP, LOAD_OFFSET]).len(), 1);
    }
    assert!(findings(0x3ff4, &[ADRP_X0, LOAD_X2, LOAD_OFFSET]).is_empty());
    assert!(findings(0x3ff8, &[ADRP_X0, NOP, LOAD_OFFSET]).is_empty());
    // The second instruction overwrites the register.
    assert!(findings(0x3ff8, &[ADRP_X0, LOAD, LOAD_OFFSET]).is_empty());
}

/// Holds: silicon-code.
#[test]
fn machine_code_floating_point_outside_switch_is_found() {
    for word in [0x1e62_2820, 0x3dc0_0020, 0x4ea2_1c20, 0xad40_0400] {
        // fadd d0, d1, d2; ldr q0, [x1]; orr v0, v1, v2; ldp q0, q1, [x0].
        assert_eq!(findings(0x3000, &[word]).len(), 1, "{word:#x}");
        assert!(findings(0x2000, &[word]).is_empty(), "{word:#x}");
    }
    assert!(findings(0x3000, &[LOAD, 0xa940_0400, 0x8b02_0020]).is_empty());
    assert!(findings(0x4000, &[0x1e62_2820]).is_empty(), "a constant");
}

#[test]
fn machine_code_unsupported_or_sleeping_instruction_is_found() {
    for word in [0xf820_0041, 0xf8e0_8041, 0xc8a0_7c41, 0xd50b_7420, 0xd503_205f] {
        // ldadd x0, x1, [x2]; swpal; cas x0, x1, [x2]; dc zva, x0; wfe.
        assert_eq!(findings(0x3000, &[word]).len(), 1, "{word:#x}");
    }
    assert!(findings(0x2800, &[0xd50b_7420]).is_empty());
}

/// Holds: silicon-code.
#[test]
fn machine_code_access_before_translation_is_found() {
    for word in [0xc85f_7c41, 0xc800_7c41, 0x9400_0010, 0xd63f_0000, 0xa900_0440, 0x3900_0041, 0xb900_0041] {
        // ldxr; stxr; bl; blr x0; stp; strb; str w.
        assert_eq!(findings(ADDRESS, &[word]).len(), 1, "{word:#x}");
        assert!(findings(0x3000, &[word]).is_empty(), "{word:#x}");
    }
    // str x1, [x2, #8]; str x5, [x2, x4, lsl #3]; ldr x1, literal; a plain branch.
    assert!(findings(ADDRESS, &[0xf900_0441, 0xf824_7845, 0x5800_0041, 0x1400_0002]).is_empty());
}

/// Holds: silicon-code.
#[test]
fn machine_code_header_names_load_address() {
    let image = |offset: u64, flags: u64, magic: &[u8]| {
        let mut raw = vec![0; 64];
        raw[8..16].copy_from_slice(&offset.to_le_bytes());
        raw[16..24].copy_from_slice(&64u64.to_le_bytes());
        raw[24..32].copy_from_slice(&flags.to_le_bytes());
        raw[56..60].copy_from_slice(magic);
        header(&raw)
    };
    assert_eq!(image(0x8_0000, 0x2, b"ARM\x64"), None);
    assert!(image(0x8_0000, 0xa, b"ARM\x64").is_some(), "may be loaded anywhere");
    assert!(image(0, 0x2, b"ARM\x64").is_some());
    assert!(image(0x8_0000, 0x2, b"none").is_some());
}

#[test]
fn machine_code_large_stack_frame_is_found() {
    // sub sp, sp, #3, lsl #12; sub sp, sp, #4095; sub sp, sp, #1; a second function: sub x9, sp, #4, lsl #12; sub sp,
    // sp, #16.
    let words = [0xd140_0fff, 0xd13f_ffff, 0xd100_07ff, 0xd140_13e9, 0xd100_43ff, 0xd100_0421];
    let bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    let functions = BTreeMap::from([(ADDRESS, "first".to_string()), (ADDRESS + 12, "second".to_string())]);
    let found = frames(ADDRESS, &bytes, &functions);
    let boot = BTreeMap::from([(ADDRESS, BOOT.0.to_string())]);
    assert_eq!(frames(ADDRESS, &bytes, &boot), Vec::<String>::new(), "boot may take more");
    assert_eq!(found.len(), 1, "the first takes just what it may: {found:?}");
    assert!(found[0].contains(&(FRAME_BYTES_MAX + 16).to_string()) && found[0].contains("second"), "{found:?}");
}

/// Holds: programs-unmapped.
#[test]
fn machine_code_entry_hides_program_pages() {
    const ENTERING: u32 = 0x97ff_fc00; // bl 0x1000 bytes before, from ADDRESS + 0x1000 on
    const ROOT: u32 = 0xd518_2008; // msr ttbr0_el1, x8
    const ISB: u32 = 0xd503_3fdf;
    const RET: u32 = 0xd65f_03c0;
    const LATER: u32 = 0x5400_0060; // b.eq, three words on
    const FORTH: u32 = 0x1400_0002; // b, two words on
    const CALL: u32 = 0x9400_0400; // bl 0x1000 bytes on
    let kept = |words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let panic = ADDRESS + 0x1000 + 8 + 0x1000;
        let functions = BTreeMap::from([(panic, "core::panicking::panic_fmt".to_string())]);
        let text = Text { address: ADDRESS + 0x1000, words: &instructions(&bytes), functions: &functions };
        text.kept_spaces(ADDRESS).len()
    };
    assert_eq!(kept(&[ENTERING, NOP, ROOT, NOP, ISB, RET]), 0);
    assert_eq!(kept(&[ENTERING, NOP, RET]), 1);
    assert_eq!(kept(&[ENTERING, ROOT, RET]), 1, "not effective yet");
    assert_eq!(kept(&[ENTERING, ISB, ROOT, RET]), 1);
    assert_eq!(kept(&[ENTERING, CALL, ROOT, ISB]), 1, "a call before");
    assert_eq!(kept(&[ENTERING, FORTH, RET, ROOT, ISB, RET]), 0);
    // Both ways of a branch count; one may panic.
    assert_eq!(kept(&[ENTERING, LATER, ROOT, ISB, RET]), 1);
    assert_eq!(kept(&[ENTERING, LATER, ROOT, ISB, ROOT, ISB]), 0);
    assert_eq!(kept(&[ENTERING, NOP, CALL]), 0, "it is `panic_fmt` that is called");
    assert_eq!(kept(&[NOP, RET]), 0);
}

/// Holds: silicon-caches.
#[test]
fn machine_code_translation_change_is_broadcast() {
    const STORED: u32 = 0xd503_3a9f; // dsb ishst
    const FORGOTTEN: u32 = 0xd503_3b9f; // dsb ish
    for (all, alone) in [(0xd508_83a0, 0xd508_87a0), (0xd508_8340, 0xd508_8740)] {
        // tlbi vale1is, x0 and vale1; aside1is, x0 and aside1.
        assert!(findings(0x3000, &[STORED, all, FORGOTTEN]).is_empty(), "{all:#x}");
        for words in [[STORED, alone, FORGOTTEN], [NOP, all, FORGOTTEN], [STORED, all, NOP], [STORED, all, STORED]] {
            assert_eq!(findings(0x3000, &words).len(), 1, "{words:x?}");
        }
        assert_eq!(findings(0x3000, &[all]).len(), 1, "at the end");
    }
    assert!(findings(0x3000, &[NOP, 0xd508_871f, NOP]).is_empty(), "vmalle1, of a core that starts");
}
