//! References to inodes that a board gives back with one call: each with the inode's process.
//!
//! Invariant: any bytes are some references. The directory of inodes refuses those that do not exist.

/// Most of them.
pub const SURPLUS_MAX: usize = 16;
/// Bytes of each.
pub const EACH_BYTES: usize = 8;
/// Bytes of all.
pub const SURPLUS_BYTES: usize = SURPLUS_MAX * EACH_BYTES;

/// Writes reference `index`, to inode `ino` with process `slot`; the bytes up to its end, or none if there is no room.
pub fn put(out: &mut [u8], index: usize, ino: u32, slot: u16) -> Option<usize> {
    let place = out.as_chunks_mut().0.get_mut(index)?;
    *place = (u64::from(slot) << u32::BITS | u64::from(ino)).to_le_bytes();
    Some((index + 1) * EACH_BYTES)
}

/// Inode and process of each.
pub fn references(bytes: &[u8]) -> impl Iterator<Item = (u32, u16)> {
    bytes.as_chunks().0.iter().map(|place| {
        let word = u64::from_le_bytes(*place);
        (word as u32, (word >> u32::BITS) as u16)
    })
}

#[cfg(test)]
mod tests {
    use super::{SURPLUS_BYTES, SURPLUS_MAX, put, references};

    #[test]
    fn surplus_references_return_as_written() {
        let mut bytes = [0; SURPLUS_BYTES];
        let written = |index: usize| (u32::MAX - index as u32, u16::MAX - index as u16);
        for index in 0..SURPLUS_MAX {
            let (ino, slot) = written(index);
            assert_eq!(put(&mut bytes, index, ino, slot), Some((index + 1) * 8));
        }
        assert_eq!(put(&mut bytes, SURPLUS_MAX, 1, 1), None);
        assert!(references(&bytes).eq((0..SURPLUS_MAX).map(written)));
    }
}
