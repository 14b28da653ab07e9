//! Structs of 64-bit words that travel in a slice of a message, little-endian.
//!
//! Invariant: any bytes are some value of the struct; words that are missing read as 0. Called by: `procs.rs`,
//! `regulation.rs`, `used.rs`. Not here: what travels in the words of a message itself (`renga_abi::words`), numbers of
//! variable length (`packed.rs`).

/// A field: a word, or several.
pub trait SliceField {
    /// Its words.
    fn words(&self) -> &[u64];
    /// Its words, to be read into.
    fn words_mut(&mut self) -> &mut [u64];
}
impl SliceField for u64 {
    fn words(&self) -> &[u64] {
        core::slice::from_ref(self)
    }
    fn words_mut(&mut self) -> &mut [u64] {
        core::slice::from_mut(self)
    }
}
impl<const WORDS: usize> SliceField for [u64; WORDS] {
    fn words(&self) -> &[u64] {
        self
    }
    fn words_mut(&mut self) -> &mut [u64] {
        self
    }
}

/// Declares such a struct.
macro_rules! in_slice {
    ($(#[$doc:meta])* pub struct $S:ident { $($(#[$fdoc:meta])* $f:ident : $t:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $S { $($(#[$fdoc])* pub $f: $t),+ }
        impl $S {
            /// Bytes that it takes.
            pub const BYTES: usize = 0 $(+ size_of::<$t>())+;
            /// As bytes.
            pub fn to_bytes(self) -> [u8; Self::BYTES] {
                use $crate::in_slice::SliceField;
                let mut bytes = [0; Self::BYTES];
                let mut places = bytes.as_chunks_mut::<8>().0.iter_mut();
                $(self.$f.words().iter().zip(&mut places).for_each(|(word, place)| *place = word.to_le_bytes());)+
                bytes
            }
            /// The inverse; missing words are 0.
            pub fn from_bytes(bytes: &[u8]) -> Self {
                use $crate::in_slice::SliceField;
                let (mut new, mut words) = (Self::default(), bytes.as_chunks::<8>().0.iter());
                $(new.$f.words_mut().iter_mut().zip(&mut words).for_each(|(place, word)| *place = u64::from_le_bytes(*word));)+
                new
            }
        }
    };
}
pub(crate) use in_slice;
