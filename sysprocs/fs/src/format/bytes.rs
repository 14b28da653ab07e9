//! Little-endian numbers in byte arrays, as ext2 and the Linux interface lay them out.

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
pub(crate) fn put_u16(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
}
pub(crate) fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}
pub(crate) fn put_u64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// Declares the numbers in the bytes of a record: a function that reads each, and (`/`) one that writes it.
macro_rules! numbers {
    ($Record:ident { $($(#[$doc:meta])* $get:ident $(/ $set:ident)?: $type:ident at $at:expr;)+ }) => {
        impl $Record {$(
            $(#[$doc])*
            pub(crate) fn $get(&self) -> $type {
                $type::from_le_bytes(core::array::from_fn(|byte| self.bytes[$at + byte]))
            }
            $(pub(crate) fn $set(&mut self, value: $type) {
                self.bytes[$at..$at + size_of::<$type>()].copy_from_slice(&value.to_le_bytes());
            })?
        )+}
    };
}

pub(crate) use numbers;
