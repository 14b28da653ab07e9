//! The slices of a hostile call: paths, lists of frames, serialised processes, bytes.
//!
//! Invariant: a path names nothing that others have made. A serialised process has the process crate's layout, with
//! random numbers. Not here: the call.

use crate::call_choice::{Knowledge, word};
use renga_random::Random;
use renga_rt::PAGE_BYTES;

/// Parts of paths. The ones that everybody knows are directories, which have something in them.
const NAMES: [&[u8]; 14] = [
    b".",
    b"..",
    b"",
    b"h0",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"tmp",
    b"h6",
    b"h7",
    b"a name that is longer than most, so that not many of them fit into a block of a directory",
    b"\xff\xfe\x01",
];
const PARTS_MAX: u64 = 5;
const LENGTHS: [usize; 9] = [0, 1, 4, 8, 16, 64, 300, 4095, 4096];

/// Fills `page`; returns the bytes lent.
pub fn fill(
    random: &mut Random,
    known: &Knowledge,
    boards: (u8, u8),
    spawns: bool,
    page: &mut [u8; PAGE_BYTES],
) -> usize {
    if spawns && !random.once_in(8) {
        return descriptor(random, known, boards, page);
    }
    match random.below(8) {
        0..=3 => paths(random, page),
        4..=5 => {
            let bytes = random.one(&LENGTHS);
            for place in page[..bytes].as_chunks_mut::<4>().0 {
                *place = (word(random, known, boards) as u32).to_le_bytes();
            }
            bytes
        }
        6 => {
            let bytes = random.one(&LENGTHS);
            page[..bytes].fill(random.below(256) as u8);
            bytes
        }
        _ => {
            let bytes = random.below(PAGE_BYTES as u64 + 1) as usize;
            page[..bytes].iter_mut().for_each(|byte| *byte = random.below(256) as u8);
            bytes
        }
    }
}

fn paths(random: &mut Random, page: &mut [u8; PAGE_BYTES]) -> usize {
    let mut at = 0;
    let mut put = |bytes: &[u8]| {
        page[at..at + bytes.len()].copy_from_slice(bytes); // some parts of a hundred bytes each
        at += bytes.len();
    };
    for path in 0..1 + random.below(2) {
        put(if path > 0 { b"\0" } else { b"" });
        put(if random.once_in(3) { b"/" } else { b"" });
        for part in 0..random.below(PARTS_MAX) {
            put(if part > 0 { b"/" } else { b"" });
            put(random.one(&NAMES));
        }
    }
    at
}

/// Fields, one behind the other, as far as there is room.
struct Fields<'p> {
    page: &'p mut [u8; PAGE_BYTES],
    at: usize,
}

impl Fields<'_> {
    fn put(&mut self, bytes: &[u8]) {
        if let Some(place) = self.page.get_mut(self.at..self.at + bytes.len()) {
            place.copy_from_slice(bytes);
            self.at += bytes.len();
        }
    }
    fn word(&mut self, word: u64) {
        self.put(&word.to_le_bytes());
    }
}

/// Of which words few are not 0: a bit each, and these.
const REGISTERS: usize = 4;
/// The longest name of a program.
const NAME: [u8; 16] = *b"hostile\0\0\0\0\0\0\0\0\0";

fn descriptor(random: &mut Random, known: &Knowledge, boards: (u8, u8), page: &mut [u8; PAGE_BYTES]) -> usize {
    let mut out = Fields { page, at: 0 };
    let mut draw = |random: &mut Random| word(random, known, boards);
    for _ in 0..REGISTERS {
        let set = if random.once_in(4) { random.draw() & 0x3f } else { 0 };
        out.word(set);
        (0..set.count_ones()).for_each(|_| out.word(draw(random)));
    }
    // Parent, directory and mask, blocked signals, alternative stack.
    (0..5).for_each(|_| out.word(draw(random)));
    out.put(&NAME);
    // Limits, actions.
    out.word(0);
    out.word(0);
    out.put(&[0]);
    let pages = if random.once_in(4) { random.below(20) as u8 } else { 0 };
    out.put(&[pages]);
    (0..pages).for_each(|_| out.put(&(draw(random) as u32).to_le_bytes()));
    if pages == 0 {
        files(random, &mut out, &mut draw);
    }
    out.word(if random.once_in(4) { draw(random) } else { 0 });
    out.word(if random.once_in(4) { draw(random) } else { 0 });
    out.word(if random.once_in(16) { draw(random) } else { 0 }); // the policy that all have
    // Whether its space is said to be here, and whose root it has: frames are numbered from 0.
    out.put(&[random.below(3) as u8]);
    if random.once_in(2) {
        out.word(draw(random));
    }
    for _ in 0..random.below(40) {
        out.put(&[if random.once_in(3) { random.below(256) as u8 } else { random.below(16) as u8 }]);
    }
    let bytes = out.at;
    if random.once_in(16) {
        let at = random.below(bytes as u64) as usize;
        page[at] = random.below(256) as u8;
    }
    if random.once_in(32) { random.below(bytes as u64) as usize } else { bytes }
}

/// A few open files and pipes.
fn files(random: &mut Random, out: &mut Fields<'_>, draw: &mut impl FnMut(&mut Random) -> u64) {
    for number in 0..random.below(3) {
        let kind = 1 + random.below(10) as u8;
        out.put(&[kind, random.below(3) as u8, random.below(12) as u8, 0]);
        if kind <= 3 {
            out.put(&(0x00ff_0000 | draw(random) as u32).to_le_bytes());
        }
        out.put(&(number as u16).to_le_bytes());
        out.put(&(number as u16).to_le_bytes());
        out.put(&(draw(random) as u16).to_le_bytes());
        out.put(&[0]);
        out.put(&(draw(random) as u32).to_le_bytes());
        out.put(&(draw(random) as u32).to_le_bytes());
    }
    out.put(&[0; 4]);
}
