//! The processor's write-back cache before memory that the firmware shares: what was stored stays in it until it is
//! cleaned, and what is in it hides what the firmware wrote. It may fetch any line at any time, and does so whenever
//! that does harm.

use crate::shared_lines::{CachedWords, LINE_BYTES, SharedLines, WORDS};
use renga_hal::shared::SharedWords;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Where the words are.
pub const PHYSICAL: u32 = 0x10_0040;
const LINE_WORDS: usize = LINE_BYTES / 4;
type CacheLine = [u32; LINE_WORDS];

#[derive(Clone, Copy)]
struct Cached {
    words: CacheLine,
    is_dirty: bool,
}

/// Memory, and the cache before it; copies are the same.
#[derive(Clone)]
pub struct Cache {
    physical: u32,
    memory: Rc<RefCell<[u32; WORDS]>>,
    lines: Rc<RefCell<[Option<Cached>; WORDS / LINE_WORDS]>>,
    /// Lines on their way to memory, for which no barrier has waited.
    leaving: Rc<RefCell<Vec<(usize, CacheLine)>>>,
    /// Forgets no line: as a processor without the instruction.
    pub keeps: Rc<Cell<bool>>,
}

impl Cache {
    /// Garbage in memory, and other garbage in the cache.
    pub fn new(physical: u32) -> Cache {
        let garbage = Cached { words: [0x5a5a_5a5a; LINE_WORDS], is_dirty: false };
        Cache {
            physical,
            memory: Rc::new(RefCell::new([0xdead_beef; WORDS])),
            lines: Rc::new(RefCell::new([Some(garbage); WORDS / LINE_WORDS])),
            leaving: Rc::default(),
            keeps: Rc::default(),
        }
    }

    /// What the firmware sees.
    pub fn memory(&self) -> [u32; WORDS] {
        *self.memory.borrow()
    }

    /// What the firmware writes.
    pub fn write_memory(&self, words: [u32; WORDS]) {
        *self.memory.borrow_mut() = words;
    }

    /// The processor fetches lines speculatively.
    pub fn speculate(&self) {
        (0..WORDS / LINE_WORDS).for_each(|line| _ = self.fetch(line));
    }

    fn fetch(&self, line: usize) -> Cached {
        let from_memory = || {
            let at = line * LINE_WORDS;
            Cached { words: std::array::from_fn(|word| self.memory.borrow()[at + word]), is_dirty: false }
        };
        *self.lines.borrow_mut()[line].get_or_insert_with(from_memory)
    }
}

impl CachedWords for Cache {
    fn physical(&self) -> u32 {
        self.physical
    }
    fn read(&self, index: usize) -> u32 {
        self.fetch(index / LINE_WORDS).words[index % LINE_WORDS]
    }
    fn write(&mut self, index: usize, word: u32) {
        let mut cached = self.fetch(index / LINE_WORDS);
        cached.words[index % LINE_WORDS] = word;
        cached.is_dirty = true;
        self.lines.borrow_mut()[index / LINE_WORDS] = Some(cached);
    }
    fn flush(&mut self, index: usize) {
        let line = index / LINE_WORDS;
        if self.keeps.get() {
            return;
        }
        if let Some(cached) = self.lines.borrow_mut()[line].take().filter(|cached| cached.is_dirty) {
            self.leaving.borrow_mut().push((line, cached.words));
        }
    }
    fn barrier(&self) {
        for (line, words) in self.leaving.borrow_mut().drain(..) {
            self.memory.borrow_mut()[line * LINE_WORDS..(line + 1) * LINE_WORDS].copy_from_slice(&words);
        }
    }
}

/// Words of a message and of its answer; the last is in the second line.
const MESSAGE: [u32; 20] = [7; 20];
const ANSWER: [u32; WORDS] = [9; WORDS];

/// What the firmware hears and the processor is answered.
fn exchange(cache: &Cache) -> ([u32; 20], [u32; 20]) {
    let mut words = SharedLines::new(cache.clone());
    words.store(&MESSAGE);
    let heard = std::array::from_fn(|index| cache.memory()[index]);
    cache.speculate();
    cache.write_memory(ANSWER);
    let mut answered = [0; 20];
    words.load(&mut answered);
    (heard, answered)
}

/// Holds: silicon-caches.
#[test]
fn firmware_cache_question_and_answer_arrive() {
    assert_eq!(exchange(&Cache::new(PHYSICAL)), (MESSAGE, [9; 20]));
}

/// Holds: silicon-caches.
#[test]
fn firmware_cache_without_maintenance_hides_both() {
    let cache = Cache::new(PHYSICAL);
    cache.keeps.set(true);
    assert_eq!(exchange(&cache), ([0xdead_beef; 20], MESSAGE));
}

#[test]
#[should_panic(expected = "within a cache line")]
fn firmware_cache_words_sharing_a_line_are_refused() {
    SharedLines::new(Cache::new(PHYSICAL + 16));
}

#[test]
#[should_panic(expected = "does not see")]
fn firmware_cache_unreachable_words_are_refused() {
    SharedLines::new(Cache::new(0x4000_0000));
}
