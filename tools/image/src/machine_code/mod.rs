//! What the kernel's image may not contain: instructions that QEMU forgives and a Pi does not, and ways on which a
//! program's pages stay in the kernel's sight.
//!
//! Invariant: every kernel that `artifacts` hands out has passed [`check`]. The rules and why they exist:
//! `docs/reference/silicon-traps.md`. Not here: what the code means; each rule but those about spaces and caches sees
//! at most four instructions.

mod caches;
mod decode;
mod errata;
mod passed;
mod spaces;
mod span;
mod translations;

use anyhow::{Context, Result, bail};
use caches::{Cared, neighbours, unfetched};
use decode::MachineInstruction;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
pub use passed::passed;
use spaces::Text;
use span::Span;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Where the raw image must be loaded.
const LOAD_ADDRESS: u64 = 0x8_0000;
/// Bits 1 and 2: 4 KiB pages; bit 3, "anywhere", is not set. Linux `Documentation/arch/arm64/booting.rst`.
const HEADER_FLAGS: u64 = 0x2;
const HEADER_MAGIC: &[u8] = b"ARM\x64";
/// The most that one function may take of the kernel's stack of 256 KB. The deepest chain in use is some ten of the
/// large ones; how deep it gets is measured too (cluster test `stack`).
const FRAME_BYTES_MAX: u64 = 16 << 10;
/// Boot, which everything else runs on top of, and the most that it and a closure of it may take, one on top of the
/// other.
const BOOT: (&str, u64) = ("renga_kernel_main", 118 << 10);
/// Runs a program until its next exception.
const ENTER: &str = "renga_enter_user";
/// What processor and firmware share.
const SHARED: &str = "shared_words";
/// Findings that are listed; more are counted.
const FINDINGS_LISTED_MAX: usize = 12;

/// The parts of an image to which rules of their own apply.
struct ImageParts {
    /// From the firmware's entry until translation and caches are on.
    dark: Span,
    /// The only code that may touch floating-point registers: it moves those of user programs.
    floating: Vec<Span>,
    /// The only code that may zero by cache lines: it clears pages of user memory.
    zeroing: Span,
    /// Constants among the code.
    constants: Vec<Span>,
}

/// Checks a kernel: its ELF file and the raw image made of it.
///
/// # Errors
/// If a file cannot be read, or a rule is broken: which, where, how often.
pub fn check(elf: &Path, image: &Path) -> Result<()> {
    let raw = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let bytes = fs::read(elf).with_context(|| format!("cannot read {}", elf.display()))?;
    let mut findings: Vec<String> = header(&raw).into_iter().collect();
    let file = object::File::parse(&*bytes).context("the kernel's ELF file cannot be read")?;
    let (parts, functions, entry) = (parts(&file)?, functions(&file), symbol(&file, ENTER)?);
    let mut cared = Cared::default();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        findings.extend(code(section.address(), section.data()?, &parts));
        findings.extend(frames(section.address(), section.data()?, &functions));
        let words = instructions(section.data()?);
        let text = Text { address: section.address(), words: &words, functions: &functions };
        findings.extend(text.kept_spaces(entry));
        findings.extend(text.stale(&mut cared));
        findings.extend(unfetched(section.address(), &words, &parts.dark));
    }
    let things = file.symbols().filter(|symbol| matches!(symbol.kind(), SymbolKind::Data | SymbolKind::Unknown));
    findings.extend(neighbours(symbol(&file, SHARED)?, things.map(|symbol| (symbol.address(), symbol.size()))));
    for (cares, what) in [(cared.code, "code that was stored"), (cared.event, "other cores"), (cared.words, "devices")]
    {
        findings.extend((!cares).then(|| format!("nothing in it cleans the cache for {what}")));
    }
    if findings.is_empty() {
        return Ok(());
    }
    let listed = findings.iter().take(FINDINGS_LISTED_MAX).map(String::as_str).collect::<Vec<_>>().join("\n  ");
    bail!(
        "{} would fail on a board, {} times (docs/reference/silicon-traps.md):\n  {listed}",
        elf.display(),
        findings.len()
    )
}

/// What is wrong with the image's header.
fn header(raw: &[u8]) -> Option<String> {
    let field = |at: usize| raw.get(at..at + 8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
    if raw.get(56..60) != Some(HEADER_MAGIC) {
        return Some("the image has no arm64 header".to_string());
    }
    let (offset, size, flags) = (field(8)?, field(16)?, field(24)?);
    if offset != LOAD_ADDRESS || flags != HEADER_FLAGS {
        return Some(format!("the image header says text_offset {offset:#x}, flags {flags:#x}"));
    }
    (size < raw.len() as u64).then(|| format!("the image header says {size} bytes, the file has {}", raw.len()))
}

fn symbol(file: &object::File<'_>, name: &str) -> Result<u64> {
    let mut found = file.symbols().filter(|symbol| symbol.name() == Ok(name));
    found.next().map(|symbol| symbol.address()).with_context(|| format!("the kernel has no symbol {name}"))
}

fn parts(file: &object::File<'_>) -> Result<ImageParts> {
    let symbol = |name: &str| symbol(file, name);
    let dark = Span { start: symbol("entry")?, end: symbol("high")? };
    let save = Span { start: symbol("renga_fp_save")?, end: symbol("renga_fp_load")? };
    let load = Span { start: symbol("renga_fp_load")?, end: symbol("renga_fp_end")? };
    let zeroing = Span { start: symbol("renga_clear_page")?, end: symbol("renga_clear_page_end")? };
    Ok(ImageParts { dark, floating: vec![save, load], zeroing, constants: constants(file) })
}

/// Where functions begin, and their names.
fn functions(file: &object::File<'_>) -> BTreeMap<u64, String> {
    let texts = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text);
    texts.map(|symbol| (symbol.address(), symbol.name().unwrap_or("?").to_string())).collect()
}

/// Functions of the code at `address` that take more of the stack than one may.
fn frames(address: u64, bytes: &[u8], functions: &BTreeMap<u64, String>) -> Vec<String> {
    let mut taken: BTreeMap<u64, u64> = BTreeMap::new();
    for (index, word) in bytes.as_chunks::<4>().0.iter().enumerate() {
        let at = address + index as u64 * 4;
        if let Some((&start, _)) = functions.range(..=at).next_back() {
            *taken.entry(start).or_default() += MachineInstruction(u32::from_le_bytes(*word)).stack_bytes();
        }
    }
    let describe = |(start, bytes): (u64, u64)| {
        let name = &functions[&start];
        let most = if name.contains(BOOT.0) { BOOT.1 } else { FRAME_BYTES_MAX };
        (bytes > most).then(|| format!("{start:#x}: a stack frame of {bytes} bytes, more than {most}: {name}"))
    };
    taken.into_iter().filter_map(describe).collect()
}

fn instructions(bytes: &[u8]) -> Vec<MachineInstruction> {
    bytes.as_chunks::<4>().0.iter().map(|word| MachineInstruction(u32::from_le_bytes(*word))).collect()
}

/// What the assembler marked as data: from `$d` to the next `$x`. ELF for the Arm 64-bit Architecture, 5.5.4.
fn constants(file: &object::File<'_>) -> Vec<Span> {
    let mark = |symbol: object::Symbol<'_, '_>| match symbol.name().ok()?.split('.').next()? {
        "$d" => Some((symbol.address(), true)),
        "$x" => Some((symbol.address(), false)),
        _ => None,
    };
    let mut marks: Vec<(u64, bool)> = file.symbols().filter_map(mark).collect();
    marks.sort_unstable();
    marks.push((u64::MAX, false));
    let span = |pair: &[(u64, bool)]| pair[0].1.then_some(Span { start: pair[0].0, end: pair[1].0 });
    marks.windows(2).filter_map(span).collect()
}

/// What is wrong with the code at `address`.
fn code(address: u64, bytes: &[u8], parts: &ImageParts) -> Vec<String> {
    let words = instructions(bytes);
    let mut findings = Vec::new();
    for (index, instruction) in words.iter().enumerate() {
        let at = address + index as u64 * 4;
        if parts.constants.iter().any(|span| span.holds(at)) {
            continue;
        }
        let window = &words[index..words.len().min(index + errata::WINDOW)];
        let around =
            [index.wrapping_sub(1), index, index + 1].map(|at| words.get(at).copied().unwrap_or(MachineInstruction(0)));
        let found = errata::find(at, window).or_else(|| misplaced(*instruction, at, parts));
        let found = found.or_else(|| translations::find(around));
        findings.extend(found.map(|what| format!("{at:#x}: {what} ({:#010x})", instruction.0)));
    }
    findings
}

/// Why this instruction may not be there.
fn misplaced(instruction: MachineInstruction, at: u64, parts: &ImageParts) -> Option<&'static str> {
    if instruction.is_floating() && !parts.floating.iter().any(|span| span.holds(at)) {
        return Some("a floating-point or SIMD instruction: those registers are the user programs'");
    }
    if instruction.is_large_system_atomic() {
        return Some("an atomic of ARMv8.1, which a Cortex-A53 does not have");
    }
    if instruction.is_zero_by_line() && !parts.zeroing.holds(at) {
        return Some("DC ZVA, which faults on device memory and while translation is off");
    }
    if instruction.is_wait_for_event() {
        return Some("WFE, whose event another core may have consumed");
    }
    if !parts.dark.holds(at) {
        return None;
    }
    if instruction.is_exclusive() {
        return Some("an exclusive access before the caches are on, which never succeeds or aborts");
    }
    if instruction.may_be_unaligned() {
        return Some("an access that may be unaligned before translation is on");
    }
    instruction.is_call().then_some("a call of compiled code before translation is on")
}

#[cfg(test)]
mod tests;
