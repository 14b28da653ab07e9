//! A setting of the system: a made file below `/proc/renga`, which is read and written whole.

use crate::Errno;
use crate::syscall::{close, open, read, write};
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
    // Each turn passes what one call reads.
    loop {
        match read(descriptor, &mut page)? {
            0 => return close(descriptor),
            bytes => write(1, &page[..bytes])?,
        };
    }
}

/// Words with a space behind each, as far as there is room.
pub struct Words {
    text: [u8; TEXT_BYTES_MAX],
    bytes: usize,
}

impl Default for Words {
    fn default() -> Self {
        Words { text: [0; TEXT_BYTES_MAX], bytes: 0 }
    }
}

impl Words {
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
