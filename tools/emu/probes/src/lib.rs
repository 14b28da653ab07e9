//! Probes of a kernel: their notes in its ELF file, and the reports of the emulator's plugin.
//!
//! Used by the plugin, which reads registers and memory at a probe, and by the tools, which know what it means. Not
//! here:
//! either of the two (`renga-emu-plugin`, `renga-trace`).
#![forbid(unsafe_code)]

mod hit;
mod notes;

pub use hit::{Hit, Hits, OPERAND_BYTES_MAX, push};
pub use notes::{Operand, ProbeNote, Probes};
