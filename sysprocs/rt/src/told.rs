//! What one process tells and others see, from any core.
//!
//! Invariant: one writes. Each word is whole; those of one fact may be of two moments, where several cores look. A look and a word cost what
//! an ordinary load and store cost. Not here: what is told ([`crate::proc_info`]).

use core::array;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU64, Ordering};

/// What is told in `WORDS` words.
pub trait Fact<const WORDS: usize>: Copy {
    /// As words.
    fn to_words(self) -> [u64; WORDS];
    /// Of those.
    fn of_words(words: [u64; WORDS]) -> Self;
}

/// A fact that is told.
#[derive(Debug)]
pub struct Told<T, const WORDS: usize = 1>([AtomicU64; WORDS], PhantomData<T>);

impl<T: Fact<WORDS>, const WORDS: usize> Told<T, WORDS> {
    /// Told from the beginning.
    pub fn new(fact: T) -> Self {
        Told(fact.to_words().map(AtomicU64::new), PhantomData)
    }
    /// Tells it.
    #[inline(always)]
    pub fn set(&self, fact: T) {
        for (place, word) in self.0.iter().zip(fact.to_words()) {
            place.store(word, Ordering::Relaxed);
        }
    }
    /// What is told.
    #[inline(always)]
    pub fn get(&self) -> T {
        T::of_words(array::from_fn(|at| self.0[at].load(Ordering::Relaxed)))
    }
}

/// A number, or none, that is told after what belongs to it: who finds it finds that.
#[derive(Debug)]
pub struct ToldLast(AtomicU64);

const NONE: u64 = u64::MAX;

impl ToldLast {
    /// None so far.
    pub const fn none() -> Self {
        ToldLast(AtomicU64::new(NONE))
    }
    /// Tells it.
    #[inline]
    pub fn set(&self, number: Option<u32>) {
        self.0.store(number.map_or(NONE, u64::from), Ordering::Release);
    }
    /// What is told.
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
