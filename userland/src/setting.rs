//! A setting of the system: a synthetic file below `/proc/renga`, which is read and written whole; and commands that do
//! so.

use crate::syscall::{close, open, read, write};
use crate::text::complain;
use crate::{Errno, ProgramArguments};
use core::ffi::CStr;

/// Bytes of what is written at once.
pub const TEXT_BYTES_MAX: usize = 1024;
const READ_ONLY: i32 = 0;
const WRITE_ONLY: i32 = 1;

/// Writes `text` to `file`, by one call.
pub fn put(file: &CStr, text: &[u8]) -> Result<(), Errno> {
    let descriptor = open(file, WRITE_ONLY)?;
    let written = write(descriptor, text);
    close(descriptor)?;
    written.map(|_| ())
}

/// Copies `file` to standard output.
pub fn show(file: &CStr) -> Result<(), Errno> {
    let descriptor = open(file, READ_ONLY)?;
    let mut page = [0; TEXT_BYTES_MAX];
    // Each iteration passes what one call reads.
    loop {
        match read(descriptor, &mut page)? {
            0 => return close(descriptor),
            bytes => write(1, &page[..bytes])?,
        };
    }
}

/// What a command gives back if a setting cannot be read or written.
const FAILED: i32 = 1;
const EINVAL: Errno = Errno(22);

/// A command that prints and changes settings, and says why it cannot.
pub struct SettingCommand {
    /// Its name.
    pub name: &'static str,
    /// Why a setting cannot be reached; `None`: its text is refused.
    pub why: fn(Errno) -> Option<&'static str>,
}

impl SettingCommand {
    /// Prints `file`; the command's status.
    pub fn show(&self, file: &CStr) -> i32 {
        show(file).map_or_else(|errno| self.failed(errno, "it cannot be read"), |()| 0)
    }

    /// Writes the arguments from the second on to `file`, as one text; the command's status. `refused`: what is said of
    /// a text that is not allowed.
    pub fn set(&self, file: &CStr, arguments: &ProgramArguments, refused: &str) -> i32 {
        let (mut words, mut at) = (SpacedWords::default(), 2);
        // Bounded by the arguments.
        while let Some(word) = arguments.get(at).map(CStr::to_bytes) {
            if !words.add(word) {
                return self.failed(EINVAL, refused);
            }
            at += 1;
        }
        put(file, words.text()).map_or_else(|errno| self.failed(errno, refused), |()| 0)
    }

    /// Says why not; the command's status.
    pub fn failed(&self, errno: Errno, refused: &str) -> i32 {
        let why = (self.why)(errno).unwrap_or(refused);
        complain(&[self.name.as_bytes(), b": ", why.as_bytes(), b"\n"]);
        FAILED
    }
}

/// Words with a space behind each, as far as there is room.
pub struct SpacedWords {
    text: [u8; TEXT_BYTES_MAX],
    bytes: usize,
}

impl Default for SpacedWords {
    fn default() -> Self {
        SpacedWords { text: [0; TEXT_BYTES_MAX], bytes: 0 }
    }
}

impl SpacedWords {
    /// Adds `word`; whether it has room.
    pub fn add(&mut self, word: &[u8]) -> bool {
        let Some(place) = self.text.get_mut(self.bytes..=self.bytes + word.len()) else { return false };
        place[..word.len()].copy_from_slice(word);
        place[word.len()] = b' ';
        self.bytes += word.len() + 1;
        true
    }

    /// All of them.
    pub fn text(&self) -> &[u8] {
        &self.text[..self.bytes]
    }
}
