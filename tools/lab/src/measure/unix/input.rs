//! What the commands work on: always the same bytes.

use renga_bench::words::RandomWords;
use renga_images::disk_image::{FileContent, Placed};

/// Before anything is measured: the archive that is unpacked.
pub const PREPARE: &str = "cd /bench && tar cf tree.tar tree && cd /\n";
/// Removes what commands have made, from the medium too: no commit that is due for it falls into what is measured next.
pub const UNDO: &str = "rm -rf /tmp/tree; sync\n";

const TEXT_BYTES: usize = 1 << 20;
/// What is read for the first time.
const UNREAD_BYTES: usize = 16 << 20;
const FOLDERS: usize = 12;
const FILES: usize = 8;
const PERMISSIONS: u32 = 0o644;

/// A text of 1 MB, 16 MB that nothing else touches, and a tree as a program's sources are: 96 files of 0.3 to 12 KB in
/// 12 folders.
pub fn files() -> Vec<Placed> {
    let mut words = RandomWords::default();
    let mut files = vec![
        placed("/bench/text".to_string(), text(&mut words, TEXT_BYTES)),
        placed("/bench/unread".to_string(), vec![b'u'; UNREAD_BYTES]),
    ];
    for folder in 0..FOLDERS {
        for file in 0..FILES {
            let bytes = 300 + words.number() as usize % 4000 * (1 + file % 3);
            files.push(placed(format!("/bench/tree/part{folder}/file{file}.c"), text(&mut words, bytes)));
        }
    }
    files
}

fn placed(dest: String, bytes: Vec<u8>) -> Placed {
    Placed { dest, content: FileContent::Bytes(bytes), mode: PERMISSIONS }
}

/// Lines of four to nine words, cut to `bytes`.
fn text(words: &mut RandomWords, bytes: usize) -> Vec<u8> {
    let mut text = String::with_capacity(bytes + 100);
    while text.len() < bytes {
        text += &words.line(6);
        text.push('\n');
    }
    text.truncate(bytes - 1);
    text.push('\n');
    text.into_bytes()
}
