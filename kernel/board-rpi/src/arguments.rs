//! The firmware's data for the kernel: the command line, the size of memory, and the place of the loaded file.
//!
//! Two forms exist: ATAGs (QEMU without a device tree, old firmware) and a flattened device tree. Both
//! are read from plain bytes, and a malformed one gives nothing rather than a fault.

use crate::{atags, device_tree};
use core::ops::Range;

/// Longest device tree that is read: a Pi's has some 60 KB.
const TREE_BYTES_MAX: usize = 1 << 20;
/// Longest list of ATAGs: they lie below the image, and end themselves.
const TAGS_BYTES_MAX: usize = 4096;

/// How many bytes the firmware's message has, by its first eight.
pub fn length(header: [u8; 8]) -> usize {
    device_tree::length(header).map_or(TAGS_BYTES_MAX, |bytes| bytes.min(TREE_BYTES_MAX))
}

/// The firmware's message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments<'a> {
    /// Words separated by spaces.
    pub command_line: Option<&'a str>,
    /// Physical memory that is the processor's.
    pub memory: Option<Range<u64>>,
    /// What the board is: the first word of the tree's `compatible`.
    pub compatible: Option<&'a str>,
    /// Where the firmware put the file that `config.txt` has it load beside the kernel.
    pub loaded: Option<Range<u64>>,
}

impl<'a> Arguments<'a> {
    /// Reads either form; `bytes` may be longer than it ([`length`]).
    pub fn parse(bytes: &'a [u8]) -> Self {
        device_tree::parse(bytes).or_else(|| atags::parse(bytes)).unwrap_or_default()
    }

    /// The value of `name=value` on the command line.
    pub fn value(&self, name: &str) -> Option<&'a str> {
        let mut words = self.command_line?.split_ascii_whitespace();
        words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    /// Whether `name` is a word of the command line.
    pub fn has(&self, name: &str) -> bool {
        self.command_line.is_some_and(|line| line.split_ascii_whitespace().any(|word| word == name))
    }

    /// The value of `name=value`, as a decimal number.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.value(name)?.parse().ok()
    }
}

/// A string that ends at its first zero byte.
pub(crate) fn text(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    core::str::from_utf8(&bytes[..end]).ok()
}
