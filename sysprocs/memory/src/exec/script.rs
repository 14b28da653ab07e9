//! The first line of a script: `#!interpreter argument`.
//!
//! As Linux reads it: at most 255 bytes, blanks around both, everything behind the interpreter is one
//! argument.

use heapless::Vec;

/// Bytes of the first line that count, as on Linux.
pub const LINE_BYTES: usize = 256;
/// What a script begins with.
pub const SCRIPT_MARK: &[u8] = b"#!";
/// A part of the line.
pub type ArgumentText = Vec<u8, LINE_BYTES>;

/// What a script's first line says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShebangLine {
    /// Path of the program to run instead.
    pub interpreter: ArgumentText,
    /// Its first argument, before the script's path.
    pub argument: Option<ArgumentText>,
}

impl ShebangLine {
    /// Reads the first bytes of a file; none if they are not of a script, or name no interpreter, or
    /// do not end the interpreter's name.
    pub fn parse(start: &[u8; LINE_BYTES]) -> Option<ShebangLine> {
        let rest = start.strip_prefix(SCRIPT_MARK)?;
        let end = rest.iter().position(|&byte| byte == b'\n' || byte == 0);
        let line = rest[..end.unwrap_or(rest.len())].trim_ascii();
        let name_end = line.iter().position(|&byte| byte == b' ' || byte == b'\t');
        if end.is_none() && name_end.is_none() {
            return None; // the name may go on behind what was read
        }
        let (name, argument) = line.split_at(name_end.unwrap_or(line.len()));
        let interpreter = ArgumentText::from_slice(name).ok().filter(|name| !name.is_empty())?;
        let argument = ArgumentText::from_slice(argument.trim_ascii()).ok().filter(|argument| !argument.is_empty());
        Some(ShebangLine { interpreter, argument })
    }
}
