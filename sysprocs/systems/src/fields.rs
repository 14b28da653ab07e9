//! The fields of tables as bytes, in both directions: numbers, texts, lists.
//!
//! Invariant: whatever the bytes are, reading ends and stays within them. Not here: which fields a row has
//! (`tables.rs`), what stands before the first (`blob.rs`).

use crate::facts::FACTS;
use crate::kinds::Kind;
use renga_core::Arena;

/// Bytes still to be read. Once they are malformed, all that comes is zero, and lists are empty.
pub(crate) struct BlobReader<'b> {
    pub rest: &'b [u8],
    pub arena: &'static Arena,
    pub malformed: bool,
}

impl<'b> BlobReader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let split = self.rest.split_at_checked(count).filter(|_| !self.malformed);
        self.malformed |= split.is_none();
        let (taken, rest) = split?;
        self.rest = rest;
        Some(taken)
    }
}

/// Something that tables are made of.
pub(crate) trait TableField {
    /// Bytes that it takes at least.
    const BYTES_MIN: usize;
    fn put(&self, out: &mut dyn FnMut(&[u8]));
    fn get(reader: &mut BlobReader<'_>) -> Self
    where
        Self: 'static;
}

macro_rules! numbers { ($($T:ident)*) => { $(
    impl TableField for $T {
        const BYTES_MIN: usize = size_of::<$T>();
        fn put(&self, out: &mut dyn FnMut(&[u8])) {
            out(&self.to_le_bytes());
        }
        fn get(reader: &mut BlobReader<'_>) -> $T {
            let bytes = reader.take(size_of::<$T>()).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, $T::from_le_bytes)
        }
    }
)* } }
numbers! { u8 u16 u32 }

impl TableField for bool {
    const BYTES_MIN: usize = 1;
    fn put(&self, out: &mut dyn FnMut(&[u8])) {
        u8::from(*self).put(out);
    }
    fn get(reader: &mut BlobReader<'_>) -> bool {
        let number = u8::get(reader);
        reader.malformed |= number > 1;
        number == 1
    }
}

impl TableField for Kind {
    const BYTES_MIN: usize = 1;
    fn put(&self, out: &mut dyn FnMut(&[u8])) {
        (*self as u8).put(out);
    }
    fn get(reader: &mut BlobReader<'_>) -> Kind {
        let number = usize::from(u8::get(reader));
        reader.malformed |= number >= FACTS.len();
        FACTS[number.min(FACTS.len() - 1)].kind
    }
}

impl<'t> TableField for &'t str {
    const BYTES_MIN: usize = 1;
    fn put(&self, out: &mut dyn FnMut(&[u8])) {
        (self.len() as u8).put(out);
        out(self.as_bytes());
    }
    fn get(reader: &mut BlobReader<'_>) -> &'t str {
        let length = u8::get(reader);
        let bytes = reader.take(usize::from(length)).unwrap_or(&[]);
        let kept: &'static [u8] = reader.arena.put_slice(bytes.len(), |at| bytes[at]);
        let text = core::str::from_utf8(kept);
        reader.malformed |= text.is_err();
        text.unwrap_or("")
    }
}

impl<'t, T: TableField> TableField for &'t [T] {
    const BYTES_MIN: usize = 2;
    fn put(&self, out: &mut dyn FnMut(&[u8])) {
        (self.len() as u16).put(out);
        self.iter().for_each(|item| item.put(out));
    }
    fn get(reader: &mut BlobReader<'_>) -> &'t [T]
    where
        T: 'static,
    {
        let count = usize::from(u16::get(reader));
        reader.malformed |= count * T::BYTES_MIN > reader.rest.len();
        let count = if reader.malformed { 0 } else { count };
        reader.arena.put_slice(count, |_| T::get(reader))
    }
}
