//! The next call of a hostile process: its server, its entry, its words.
//!
//! Invariant: no call uses a right that every program has (`spare`). Not here: slices (`slices.rs`).

use core::cell::Cell;
use renga_proto::file::AddReference;
use renga_proto::inode::{KnownOpen, KnownStatus, Reactivate};
use renga_proto::path::{Link, Rename};
use renga_proto::pipe::AddEnd;
use renga_proto::procs::{ASK_POLICY, Kill, KillGroup, PassOn, PolicyOf};
use renga_random::Random;
use renga_rt::raw::Message;
use renga_rt::{BOARDS_MAX, Entry, PAGE_BYTES};
use renga_systems::Kind;
use renga_systems::tables::Board;

/// Numbers that answers contained, which the attackers of a board share.
const LEARNED: usize = 64;
/// One call of so many goes astray: to any process, to any entry; and one of so many lends more than the proxy has
/// room for.
pub const ASTRAY: u64 = 5_000;
/// Signals that end no process: to be continued, to have a child, news of the terminal; and some invalid ones.
const HARMLESS: [u64; 7] = [0, 17, 18, 23, 28, 65, 255];
/// Numbers at which sums and shifts go wrong.
const EDGES: [u64; 14] = [
    u64::MAX,
    u64::MAX - 1,
    i64::MAX as u64,
    1 << 63,
    1 << 48,
    (1 << 39) - 4096,
    1 << 32,
    u32::MAX as u64,
    1 << 31,
    1 << 16,
    u16::MAX as u64,
    4097,
    4096,
    4095,
];
/// The root directory, the journal, a number that is free, and what is no inode.
const ROOTS: [u64; 8] = [2, 2, 2, 2, 8, 300, 0, u32::MAX as u64];
/// Incarnations and generations that no object has: they do not count so far.
const NEVER: u64 = 0x00ff_0000;

/// What all attackers of a board know.
pub struct Knowledge {
    learned: [Cell<u64>; LEARNED],
    next: Cell<usize>,
}

impl Knowledge {
    /// Nothing.
    pub const fn new() -> Knowledge {
        Knowledge { learned: [const { Cell::new(0) }; LEARNED], next: Cell::new(0) }
    }
    /// Keeps the words of an answer that is no error.
    pub fn learn(&self, words: &Message) {
        if words[0] != 0 {
            return;
        }
        for word in words[1..3].iter().filter(|word| **word != 0) {
            let at = self.next.get();
            self.learned[at].set(*word);
            self.next.set((at + 1) % LEARNED);
        }
    }
    pub fn pick(&self, random: &mut Random) -> u64 {
        self.learned[random.below(LEARNED as u64) as usize].get()
    }
}

#[derive(Clone, Copy)]
pub struct HostileCall {
    /// The process, by its index on its board.
    pub destination: u16,
    pub kind: Kind,
    pub op: u32,
    pub words: Message,
}

/// The next call of a process of kind `own` of board `me` to a process of `board`, number `there`.
pub fn next(
    random: &mut Random,
    known: &Knowledge,
    (own, me): (Kind, u8),
    (board, there): (&Board<'_>, u8),
) -> HostileCall {
    let permits = || board.permits.iter().filter(|row| (row.caller_board, row.caller_kind) == (me, own));
    let count = permits().count() as u64;
    if count == 0 || random.once_in(ASTRAY) {
        let destination = random.below(u64::from(board.processes)) as u16;
        let words = core::array::from_fn(|_| word(random, known, (me, there)));
        let aim = HostileCall { destination, kind: board.kind_at(destination), op: random.below(31) as u32, words };
        return spare(random, aim);
    }
    let chosen = random.below(count) as usize;
    let Some(row) = permits().nth(chosen) else { unreachable!("below their number") };
    let range = board.range(row.server);
    // Servers that are in use have small numbers mostly.
    let number =
        if random.once_in(4) { random.below(range.len() as u64) } else { random.below(range.len().min(12) as u64) };
    let op = entry(random, row.entries);
    let words = core::array::from_fn(|_| word(random, known, (me, there)));
    let aim = HostileCall { destination: range.start + number as u16, kind: row.server, op, words };
    spare(random, aim)
}

fn entry(random: &mut Random, entries: u32) -> u32 {
    let mut nth = random.below(u64::from(entries.count_ones()).max(1));
    for op in (0..u32::BITS).filter(|op| entries >> op & 1 != 0) {
        if nth == 0 {
            return op;
        }
        nth -= 1;
    }
    0
}

/// A number as calls have them.
pub fn word(random: &mut Random, known: &Knowledge, (me, there): (u8, u8)) -> u64 {
    let pid = |random: &mut Random, board: u8| random.below(40) * BOARDS_MAX as u64 + u64::from(board);
    match random.below(20) {
        0..=3 => random.below(8),
        4..=5 => random.below(64),
        6 => random.below(PAGE_BYTES as u64),
        7 => pid(random, there),
        8..=9 => pid(random, me),
        10 => 1,
        11..=14 => known.pick(random),
        15 => known.pick(random).wrapping_add(random.below(3)).wrapping_sub(1),
        16 => random.one(&EDGES),
        // The incarnation of a first boot, as open files and pipes count it.
        17 => 1 << 24 | random.below(16),
        18 => random.draw() >> random.below(64),
        _ => random.below(4096) << 12,
    }
}

/// Removes from the call effects that every board is entitled to.
fn spare(random: &mut Random, mut aim: HostileCall) -> HostileCall {
    let words = &mut aim.words;
    match (aim.kind, aim.op) {
        (Kind::Procs, Kill::OP | KillGroup::OP) => words[1] = random.one(&HARMLESS),
        (Kind::Procs, PassOn::OP) => words[1] &= 1 << 16 | 1 << 17 | 1 << 22 | 1 << 27,
        (Kind::Procs, PolicyOf::OP) => words[1] = if random.once_in(2) { ASK_POLICY } else { words[1] | 1 << 60 },
        (Kind::File, AddReference::OP) | (Kind::Pipe, AddEnd::OP) => words[0] |= NEVER,
        // Walks begin at no directory of others: the number of an inode is as good as its name.
        (Kind::PathLookup, _) | (Kind::InodeDirectory, KnownOpen::OP | KnownStatus::OP) => {
            words[0] = random.one(&ROOTS);
            if aim.op == Rename::OP || aim.op == Link::OP {
                words[1] = random.one(&ROOTS);
            }
        }
        (Kind::InodeDirectory, Reactivate::OP) => words[1] |= NEVER << 8,
        _ => {}
    }
    aim
}
