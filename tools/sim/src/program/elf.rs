//! The program file of a closure, and what the addresses in it mean.
//!
//! Invariant: all programs have the same addresses; only the entry differs, and identifies the program. The code
//! segment is one page, of which only the place matters; the data segment is zeros.

use renga_hal::memory::PAGE_BYTES;

/// Where the code is.
const CODE: u64 = 0x40_0000;
/// Where the data is.
pub const DATA: u64 = 0x50_0000;
/// Bytes of data of a program, or of a handler that interrupts it.
pub const FRAME_BYTES: u64 = 256 << 10;
/// How deep handlers may nest, the program itself included.
const FRAMES: u64 = 4;
/// A system call is due; the next address is behind it.
pub const CALL: u64 = CODE + 0x100;
/// A fork is due; behind it the child finds 0.
pub const FORK: u64 = CODE + 0x110;
/// Memory of its own is to be read or written.
pub const MEMORY: u64 = CODE + 0x120;
/// Nothing is due yet.
pub const THINK: u64 = CODE + 0x130;
/// Length of an instruction.
pub const INSTRUCTION_BYTES: u64 = 4;
/// Handlers of signals, by number.
const HANDLERS: u64 = CODE + 0x200;
/// One past the last signal.
const SIGNALS: u64 = 65;
/// Programs, by number.
const ENTRIES: u64 = CODE + 0x400;
/// Bytes from one entry to the next.
const STEP: u64 = 4;
/// Programs that there may be.
pub const PROGRAMS_MAX: u64 = (CODE + PAGE_BYTES as u64 - ENTRIES) / STEP;
/// Bytes of the file header and of a program header.
const HEADERS: (u64, u64) = (64, 56);

/// Where the handler of `signal` is.
pub fn handler(signal: u8) -> u64 {
    HANDLERS + STEP * u64::from(signal)
}

/// What a program counter means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodePlace {
    /// A program begins.
    Entry(usize),
    /// A handler begins.
    Handler(u8),
    /// See [`CALL`].
    Call,
    /// Behind it.
    Called,
    /// See [`FORK`].
    Fork,
    /// Behind it.
    Forked,
    /// See [`MEMORY`].
    Memory,
    /// See [`THINK`].
    Think,
    /// No program has business there.
    Nowhere,
}

/// What `pc` means.
pub fn place(pc: u64) -> CodePlace {
    const CALLED: u64 = CALL + INSTRUCTION_BYTES;
    const FORKED: u64 = FORK + INSTRUCTION_BYTES;
    let step = |from: u64| (pc - from) / STEP;
    match pc {
        CALL => CodePlace::Call,
        CALLED => CodePlace::Called,
        FORK => CodePlace::Fork,
        FORKED => CodePlace::Forked,
        MEMORY => CodePlace::Memory,
        THINK => CodePlace::Think,
        _ if !pc.is_multiple_of(STEP) => CodePlace::Nowhere,
        _ if pc >= HANDLERS && step(HANDLERS) < SIGNALS => CodePlace::Handler(step(HANDLERS) as u8),
        _ if pc >= ENTRIES && step(ENTRIES) < PROGRAMS_MAX => CodePlace::Entry(step(ENTRIES) as usize),
        _ => CodePlace::Nowhere,
    }
}

/// The file of program `number`.
pub fn file(number: usize) -> Vec<u8> {
    let page = PAGE_BYTES as u64;
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend([2, 0, 183, 0, 1, 0, 0, 0]); // ET_EXEC, EM_AARCH64
    for word in [ENTRIES + STEP * number as u64, HEADERS.0, 0] {
        file.extend(word.to_le_bytes());
    }
    file.extend([0; 4]);
    for half in [HEADERS.0 as u16, HEADERS.1 as u16, 2, 64, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    // Code: read and execute; data: read and write, of which the file has a word.
    let segments = [(5u32, 0, CODE, page, page), (6, page, DATA, 8, FRAMES * FRAME_BYTES)];
    for (flags, offset, address, file_bytes, memory_bytes) in segments {
        file.extend(1u32.to_le_bytes());
        file.extend(flags.to_le_bytes());
        for word in [offset, address, address, file_bytes, memory_bytes, page] {
            file.extend(word.to_le_bytes());
        }
    }
    file.resize(PAGE_BYTES, 0);
    file.extend(b"closure\n");
    file
}
