//! Values in the words of a message: how each is written and read.
//!
//! Invariant: whatever the words contain, reading them gives a value, never a fault: they may come from another board.
//! Between boards, between cores and within one the same words travel. Not here: which values a message has
//! (`protocol!` of `kernel/core`).

use crate::{Errno, ProcId};
use core::cell::Cell;

/// A value that travels in the words of a message, from the first of `words` on.
pub trait InWords: Sized {
    /// Words that it takes.
    const COUNT: usize;
    /// Writes it.
    fn put(self, words: &[Cell<u64>]);
    /// Reads it.
    fn get(words: &[Cell<u64>]) -> Self;
}

/// A value that travels in one word.
pub trait Word: Copy {
    /// As a word.
    fn to_word(self) -> u64;
    /// From a word; one that no value has gives a default, never a fault.
    fn from_word(word: u64) -> Self;
}

/// Numbers of entries are below this.
const ENTRIES_MAX: usize = 31;

/// Words of the calls of a protocol's entries and of their replies, by number: what lies behind these in a message is
/// of earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WordCounts([(u8, u8); ENTRIES_MAX]);

impl WordCounts {
    /// Of unknown entries: as many as there are.
    pub const UNKNOWN: WordCounts = WordCounts([(u8::MAX, u8::MAX); ENTRIES_MAX]);

    /// Of `entries`: number, words of the call, words of the reply; one of a reply is the error of a failed call.
    pub const fn new(entries: &[(usize, usize, usize)]) -> WordCounts {
        let (mut counts, mut at) = (WordCounts::UNKNOWN, 0);
        while at < entries.len() {
            let (op, sent, replied) = entries[at];
            counts.0[op] = (sent as u8, if replied == 0 { 1 } else { replied as u8 });
            at += 1;
        }
        counts
    }
    /// Words of a call of entry `op`.
    pub fn sent(&self, op: u32) -> u8 {
        self.0.get(op as usize).map_or(u8::MAX, |(sent, _)| *sent)
    }
    /// Words of its reply.
    pub fn replied(&self, op: u32) -> u8 {
        self.0.get(op as usize).map_or(u8::MAX, |(_, replied)| *replied)
    }
}

macro_rules! words { ($($t:ty)*) => { $(
    impl Word for $t {
        #[inline(always)]
        fn to_word(self) -> u64 { self as u64 }
        #[inline(always)]
        fn from_word(word: u64) -> Self { word as $t }
    }
)* } }
words! { u8 u16 u32 u64 usize i32 i64 }
impl Word for bool {
    #[inline(always)]
    fn to_word(self) -> u64 {
        self as u64
    }
    #[inline(always)]
    fn from_word(word: u64) -> Self {
        word != 0
    }
}
impl Word for ProcId {
    #[inline(always)]
    fn to_word(self) -> u64 {
        u64::from(ProcId::to_word(self))
    }
    #[inline(always)]
    fn from_word(word: u64) -> Self {
        ProcId::from_word(word as u32)
    }
}
impl<T: Word + Default> Word for Option<T> {
    #[inline(always)]
    fn to_word(self) -> u64 {
        self.map_or(u64::MAX, Word::to_word)
    }
    #[inline(always)]
    fn from_word(word: u64) -> Self {
        (word != u64::MAX).then(|| T::from_word(word))
    }
}

impl<T: Word> InWords for T {
    const COUNT: usize = 1;
    #[inline(always)]
    fn put(self, words: &[Cell<u64>]) {
        words[0].set(self.to_word())
    }
    #[inline(always)]
    fn get(words: &[Cell<u64>]) -> Self {
        T::from_word(words[0].get())
    }
}

impl InWords for () {
    const COUNT: usize = 0;
    #[inline(always)]
    fn put(self, _: &[Cell<u64>]) {}
    #[inline(always)]
    fn get(_: &[Cell<u64>]) -> Self {}
}

/// Word 0 is 0 for `Ok` and the error's number for `Err`: six zero words are success, which is what
/// an asynchronous call is answered with when it is released.
impl<T: InWords> InWords for Result<T, Errno> {
    const COUNT: usize = 1 + T::COUNT;
    #[inline(always)]
    fn put(self, words: &[Cell<u64>]) {
        match self {
            Ok(value) => {
                words[0].set(0);
                value.put(&words[1..]);
            }
            Err(errno) => words[0].set(u64::from(errno.0)),
        }
    }
    #[inline(always)]
    fn get(words: &[Cell<u64>]) -> Self {
        match words[0].get() {
            0 => Ok(T::get(&words[1..])),
            errno => Err(Errno(errno as u16)),
        }
    }
}

/// Declares plain structs that travel in words, field by field.
#[macro_export]
macro_rules! in_words {
    ($($(#[$doc:meta])* pub struct $S:ident { $($(#[$fdoc:meta])* $f:ident : $t:ty),+ $(,)? })+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $S { $($(#[$fdoc])* pub $f: $t),+ }
        impl $crate::InWords for $S {
            const COUNT: usize = 0 $(+ <$t as $crate::InWords>::COUNT)+;
            #[inline(always)]
            fn put(self, words: &[core::cell::Cell<u64>]) {
                let mut _at = 0;
                $($crate::InWords::put(self.$f, &words[_at..]); _at += <$t as $crate::InWords>::COUNT;)+
            }
            #[inline(always)]
            fn get(words: &[core::cell::Cell<u64>]) -> Self {
                let mut _at = 0;
                $(let $f = <$t as $crate::InWords>::get(&words[_at..]); _at += <$t as $crate::InWords>::COUNT;)+
                $S { $($f),+ }
            }
        }
    )+ };
}

/// Declares plain structs that travel in one word, each field in the bits named behind it.
#[macro_export]
macro_rules! in_word {
    ($($(#[$doc:meta])* pub struct $S:ident {
        $($(#[$fdoc:meta])* $f:ident : $t:ty = $first:literal ..= $last:literal),+ $(,)?
    })+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $S { $($(#[$fdoc])* pub $f: $t),+ }
        impl $crate::Word for $S {
            #[inline(always)]
            fn to_word(self) -> u64 {
                0 $(| $crate::Word::to_word(self.$f) << $first)+
            }
            #[inline(always)]
            fn from_word(word: u64) -> Self {
                $(let $f = <$t as $crate::Word>::from_word(word >> $first & u64::MAX >> (63 + $first - $last));)+
                $S { $($f),+ }
            }
        }
    )+ };
}

/// Declares an enum without fields that travels in one word; an unknown word gives the first.
#[macro_export]
macro_rules! word_enum {
    ($(#[$doc:meta])* pub enum $E:ident { $(#[$fdoc:meta])* $First:ident $(, $(#[$vdoc:meta])* $V:ident)* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub enum $E { $(#[$fdoc])* #[default] $First $(, $(#[$vdoc])* $V)* }
        impl $crate::Word for $E {
            #[inline(always)]
            fn to_word(self) -> u64 { self as u64 }
            #[inline(always)]
            fn from_word(word: u64) -> Self {
                $(if word == $E::$V as u64 { return $E::$V; })*
                $E::$First
            }
        }
    };
}
