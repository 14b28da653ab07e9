//! A trial of a board's user memory: random operations, and their outcome as numbers.
//!
//! Invariant: the numbers depend on what the trait promises only, so they are the same for every
//! implementation that keeps its promises: for that of a board and for its imitation on the host. Not here: shared page
//! tables of tables; what is a caller's bug.

use crate::memory::{Access, Frame, NOT_LISTED, PAGE_BYTES, PageRun, TABLES_PER_MAP_MAX, USER_END, UserMemory};

/// Frames that a trial uses: the first ones. They are plain, and have no other user meanwhile.
pub const FRAMES: u32 = 96;
/// Digests of a trial before its end.
pub const ROUNDS: usize = 20;
/// Operations between two digests.
const STEPS: u32 = 1000;
const SEED: u64 = 7;
/// Spaces at a time.
const SPACES: usize = 3;
/// Pages of each range of addresses.
const PAGES: u64 = 6;
/// The ranges: within one table of the lowest level, across two, in another one of the middle level, at the end of all.
const RANGES: [u64; 4] = [0x40_0000, 0x7f_d000, 0x4000_0000, USER_END - PAGES * PAGE];
const PAGE: u64 = PAGE_BYTES as u64;
const ACCESSES: [Access; 5] =
    [Access::None, Access::Read, Access::ReadWrite, Access::ReadExecute, Access::ReadWriteExecute];

/// A trial of `memory`.
pub struct MemoryTrial<'a, M: ?Sized> {
    memory: &'a M,
    random: u64,
    digest: u64,
    spaces: [Option<Frame>; SPACES],
}

impl<'a, M: UserMemory + ?Sized> MemoryTrial<'a, M> {
    /// A digest after each [`STEPS`] operations, and one at the end, of all results so far. All frames are plain again.
    pub fn digests(memory: &'a M) -> [u64; ROUNDS + 1] {
        let mut trial = MemoryTrial { memory, random: SEED, digest: 0, spaces: [None; SPACES] };
        let mut digests = [0; ROUNDS + 1];
        digests[..ROUNDS].fill_with(|| trial.round());
        digests[ROUNDS] = trial.end();
        digests
    }

    fn round(&mut self) -> u64 {
        for _ in 0..STEPS {
            let number = self.draw(SPACES as u64) as usize;
            match self.spaces[number] {
                None => self.begin(number),
                Some(space) => self.step(number, space),
            }
        }
        self.digest
    }

    fn end(mut self) -> u64 {
        (0..SPACES).for_each(|number| self.take_apart(number));
        (0..FRAMES).for_each(|frame| self.note_frame(Frame(frame)));
        self.digest
    }

    /// Below `end`.
    fn draw(&mut self, end: u64) -> u64 {
        // Knuth's generator, whose upper bits are the better ones.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % end
    }

    fn note(&mut self, number: u64) {
        self.digest = (self.digest.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn note_run(&mut self, run: PageRun) {
        self.note(run.pages as u64);
        self.note(run.next);
    }

    fn note_page(&mut self, page: Option<(Frame, Access)>) {
        self.note(page.map_or(u64::MAX, |(frame, access)| u64::from(frame.0) << 8 | access as u64));
    }

    fn note_frame(&mut self, frame: Frame) {
        let (plain, space) = (self.memory.is_plain(frame), self.memory.is_space(frame));
        self.note(u64::from(plain) << 1 | u64::from(space));
        if plain {
            self.note(self.memory.mappings(frame).into());
        }
    }

    /// A frame that is plain and mapped nowhere.
    fn free(&self) -> Option<Frame> {
        let free = |frame: &Frame| self.memory.is_plain(*frame) && self.memory.mappings(*frame) == 0;
        (0..FRAMES).map(Frame).find(free)
    }

    fn address(&mut self) -> u64 {
        let range = RANGES[self.draw(RANGES.len() as u64) as usize];
        range + self.draw(PAGES) * PAGE
    }

    fn access(&mut self) -> Access {
        ACCESSES[self.draw(ACCESSES.len() as u64) as usize]
    }

    fn begin(&mut self, number: usize) {
        if let Some(root) = self.free() {
            self.memory.new_space(root);
            self.spaces[number] = Some(root);
        }
    }

    fn step(&mut self, number: usize, space: Frame) {
        let (va, access) = (self.address(), self.access());
        match self.draw(16) {
            0..5 => self.map(space, va, access),
            5 | 6 => {
                let frame = self.memory.unmap(space, va);
                self.note_page(frame.map(|frame| (frame, Access::None)));
            }
            7 => {
                let protected = self.memory.protect(space, va, access);
                self.note(protected.into());
            }
            8 => self.look_up(space, va),
            9 => self.restrict(space, va, access),
            10 => self.write(),
            11 => self.unmap_run(space, va),
            12 | 13 => self.share(number, space),
            14 => self.map_run(space, va, access),
            _ if self.draw(8) == 0 => self.take_apart(number),
            _ => self.note(self.memory.pages(space).into()),
        }
    }

    fn map(&mut self, space: Frame, va: u64, access: Access) {
        let Some(frame) = self.free() else { return };
        if self.memory.lookup(space, va).is_some() {
            return;
        }
        let mut mapped = self.memory.map(space, va, frame, access);
        for _ in 0..TABLES_PER_MAP_MAX {
            // The frame itself is free until it is mapped.
            let table = (0..FRAMES)
                .rev()
                .map(Frame)
                .find(|table| *table != frame && self.memory.is_plain(*table) && self.memory.mappings(*table) == 0);
            let Some(table) = table.filter(|_| mapped.is_err()) else { break };
            self.memory.add_table(space, va, table);
            self.note(1);
            mapped = self.memory.map(space, va, frame, access);
        }
        self.note(mapped.is_ok().into());
    }

    fn look_up(&mut self, space: Frame, va: u64) {
        let odd = self.draw(PAGE);
        self.note_page(self.memory.lookup(space, va + odd));
        let next = self.memory.next_mapped(space, va + odd);
        self.note(next.map_or(u64::MAX, |(va, ..)| va));
        self.note_page(next.map(|(_, frame, access)| (frame, access)));
    }

    fn restrict(&mut self, space: Frame, va: u64, access: Access) {
        let frame = self.memory.lookup(space, va).map_or(Frame(0), |(frame, _)| frame);
        let restricted = self.memory.restrict(space, va, frame, access);
        self.note(restricted.into());
        self.note_frame(frame);
    }

    fn write(&mut self) {
        let frame = Frame(self.draw(FRAMES.into()) as u32);
        if !self.memory.is_plain(frame) {
            return self.note(u64::from(self.memory.peek(frame).is_some()));
        }
        if self.draw(2) == 0 {
            self.memory.clear_page(frame);
        }
        self.memory.page(frame)[0] = frame.0 as u8;
        self.note(self.memory.shared_page(frame)[0].into());
    }

    fn unmap_run(&mut self, space: Frame, va: u64) {
        let (pages, room) = (self.draw(2 * PAGES), self.draw(2 * PAGES) as usize);
        let end = (va + pages * PAGE).min(USER_END);
        let mut frames = [NOT_LISTED; 2 * PAGES as usize];
        let run = self.memory.unmap_run(space, (va, end), &mut frames[..room]);
        self.note_run(run);
        frames.iter().for_each(|frame| self.note(u32::from_le_bytes(*frame).into()));
    }

    /// Maps in this space what the next space maps of one range.
    fn share(&mut self, number: usize, space: Frame) {
        let Some(from) = self.spaces[(number + 1) % SPACES] else { return };
        let start = RANGES[self.draw(RANGES.len() as u64) as usize];
        let (range, mut frames) = ((start, start + PAGES * PAGE), [NOT_LISTED; PAGES as usize]);
        let emptied = self.memory.unmap_run(space, range, &mut frames);
        self.note_run(emptied);
        let room = self.draw(PAGES + 1) as usize;
        let run = self.memory.share_run(from, space, range, &mut frames[..room]);
        self.note_run(run);
        frames.iter().for_each(|frame| self.note(u32::from_le_bytes(*frame).into()));
    }

    fn map_run(&mut self, space: Frame, va: u64, access: Access) {
        let (free, second) = (self.free(), va + 2 * PAGE);
        let mapped = |va| va >= USER_END || self.memory.lookup(space, va).is_some();
        let Some(frame) = free.filter(|_| !mapped(va) && !mapped(second)) else { return };
        let run = self.memory.map_run(space, va, &[frame.listed(), NOT_LISTED, frame.listed()], access);
        self.note_run(run);
    }

    fn take_apart(&mut self, number: usize) {
        let Some(space) = self.spaces[number].take() else { return };
        let mut frames = [NOT_LISTED; RANGES.len() * PAGES as usize];
        let run = self.memory.unmap_run(space, (0, USER_END), &mut frames);
        self.note_run(run);
        // In which order they come is not said, but for the root.
        let (mut tables, mut sum, mut last) = (0, 0, None);
        while let Some(table) = self.memory.take_table(space).filter(|_| tables < FRAMES) {
            (tables, sum, last) = (tables + 1, sum + table.0, Some(table));
        }
        self.note(u64::from(tables) << 32 | u64::from(sum));
        self.note(u64::from(last == Some(space)));
    }
}
