//! Facts that one process publishes and others read, from any core.
//!
//! Invariant: one process writes. Each word is whole; the words of one fact may be of two moments for a reader on
//! another core.
//! Reading and publishing a word cost an ordinary load and store. Not here: which facts ([`crate::proc_info`]).

use core::array;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU64, Ordering};

/// A fact that fits into `WORDS` words.
pub trait Fact<const WORDS: usize>: Copy {
    /// The fact as words.
    fn to_words(self) -> [u64; WORDS];
    /// The fact of such words.
    fn of_words(words: [u64; WORDS]) -> Self;
}

/// A published fact.
#[derive(Debug)]
pub struct Published<T, const WORDS: usize = 1>([AtomicU64; WORDS], PhantomData<T>);

impl<T: Fact<WORDS>, const WORDS: usize> Published<T, WORDS> {
    /// Publishes `fact` from the beginning.
    pub fn new(fact: T) -> Self {
        Published(fact.to_words().map(AtomicU64::new), PhantomData)
    }
    /// Publishes it.
    #[inline(always)]
    pub fn set(&self, fact: T) {
        for (place, word) in self.0.iter().zip(fact.to_words()) {
            place.store(word, Ordering::Relaxed);
        }
    }
    /// The last published.
    #[inline(always)]
    pub fn get(&self) -> T {
        T::of_words(array::from_fn(|at| self.0[at].load(Ordering::Relaxed)))
    }
}

/// A number, or none, published after the facts that belong to it: a reader of the number finds them.
#[derive(Debug)]
pub struct PublishedLast(AtomicU64);

const NONE: u64 = u64::MAX;

impl PublishedLast {
    /// None so far.
    pub const fn none() -> Self {
        PublishedLast(AtomicU64::new(NONE))
    }
    /// Publishes it.
    #[inline]
    pub fn set(&self, number: Option<u32>) {
        self.0.store(number.map_or(NONE, u64::from), Ordering::Release);
    }
    /// The last published.
    #[inline]
    pub fn get(&self) -> Option<u32> {
        u32::try_from(self.0.load(Ordering::Acquire)).ok()
    }
}

macro_rules! of_one_word { ($($type:ty),+) => {$(
    impl Fact<1> for $type {
        fn to_words(self) -> [u64; 1] {
            [self.into()]
        }
        fn of_words([word]: [u64; 1]) -> Self {
            word as $type
        }
    }
)+} }
of_one_word!(u16, u32, u64);

impl<const WORDS: usize> Fact<WORDS> for [u64; WORDS] {
    fn to_words(self) -> [u64; WORDS] {
        self
    }
    fn of_words(words: [u64; WORDS]) -> Self {
        words
    }
}

/// Pairs: a number of words that is not twice theirs is refused by the compiler.
impl<const PAIRS: usize, const WORDS: usize> Fact<WORDS> for [[u64; 2]; PAIRS] {
    fn to_words(self) -> [u64; WORDS] {
        const { assert!(WORDS == 2 * PAIRS) };
        array::from_fn(|at| self[at / 2][at % 2])
    }
    fn of_words(words: [u64; WORDS]) -> Self {
        const { assert!(WORDS == 2 * PAIRS) };
        array::from_fn(|at| [words[2 * at], words[2 * at + 1]])
    }
}
