//! What the commands work on: always the same bytes.

use crate::disk_image::{Content, Placed};

/// Before anything is measured: the archive that is unpacked.
pub const PREPARE: &str = "cd /bench && tar cf tree.tar tree && cd /\n";
/// Removes what commands have made.
pub const UNDO: &str = "rm -rf /tmp/tree\n";

const TEXT_BYTES: usize = 1 << 20;
/// What is read for the first time.
const UNREAD_BYTES: usize = 16 << 20;
const FOLDERS: usize = 12;
const FILES: usize = 8;
const PERMISSIONS: u32 = 0o644;

/// A text of 1 MB, 16 MB that nothing else touches, and a tree as a program's sources are: 96 files of 0.3 to 12 KB in 12 folders.
pub fn files() -> Vec<Placed> {
    let mut words = Words(0x9e37_79b9);
    let mut files = vec![
        placed("/bench/text".to_string(), words.text(TEXT_BYTES)),
        placed("/bench/unread".to_string(), vec![b'u'; UNREAD_BYTES]),
    ];
    for folder in 0..FOLDERS {
        for file in 0..FILES {
            let bytes = 300 + words.next() as usize % 4000 * (1 + file % 3);
            files.push(placed(format!("/bench/tree/part{folder}/file{file}.c"), words.text(bytes)));
        }
    }
    files
}

fn placed(dest: String, bytes: Vec<u8>) -> Placed {
    Placed { dest, content: Content::Bytes(bytes), mode: PERMISSIONS }
}

/// Words without a short period (xorshift).
struct Words(u32);

impl Words {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// Lines of four to nine words, cut to `bytes`.
    fn text(&mut self, bytes: usize) -> Vec<u8> {
        let mut text = Vec::with_capacity(bytes + 100);
        while text.len() < bytes {
            for _ in 0..4 + self.next() % 6 {
                for _ in 0..2 + self.next() % 8 {
                    text.push(b'a' + (self.next() % 26) as u8);
                }
                text.push(b' ');
            }
            text.pop();
            text.push(b'\n');
        }
        text.truncate(bytes - 1);
        text.push(b'\n');
        text
    }
}
