//! Bitmaps in a block: bit n is bit n % 8 of byte n / 8, set when in use.

/// Finds the first clear bit from `from` to `below`, or else from 0 to `from`, and sets it.
pub(crate) fn take(bits: &mut [u8], from: u32, below: u32) -> Option<u32> {
    let below = below.min(bits.len() as u32 * 8);
    let bit = find_clear(bits, from, below).or_else(|| find_clear(bits, 0, from.min(below)))?;
    bits[bit as usize / 8] |= 1 << (bit % 8);
    Some(bit)
}

fn find_clear(bits: &[u8], from: u32, below: u32) -> Option<u32> {
    let mut at = from;
    while at < below {
        let byte = bits[at as usize / 8] >> (at % 8);
        // Shifted in from above are zeros, which are not clear bits of this byte.
        let clear = byte.trailing_ones();
        if clear < 8 - at % 8 {
            return Some(at + clear).filter(|bit| *bit < below);
        }
        at = (at / 8 + 1) * 8;
    }
    None
}

pub(crate) fn clear(bits: &mut [u8], first: u32, count: u32) -> u32 {
    let below = first.saturating_add(count).min(bits.len() as u32 * 8);
    let mut were_set = 0;
    for bit in first..below {
        let (byte, mask) = (&mut bits[bit as usize / 8], 1 << (bit % 8));
        were_set += u32::from(*byte & mask != 0);
        *byte &= !mask;
    }
    were_set
}

#[cfg(test)]
mod tests {
    use super::{clear, take};

    #[test]
    fn bitmap_take_finds_nearest_behind_goal_then_wraps() {
        let mut bits = [0xff, 0x7f, 0, 0xfe];
        assert_eq!(take(&mut bits, 3, 30), Some(15));
        assert_eq!(take(&mut bits, 17, 30), Some(17));
        assert_eq!(take(&mut bits, 24, 30), Some(24));
        assert_eq!(take(&mut bits, 25, 30), Some(16));
        assert_eq!(take(&mut bits, 32, 16), None);
        assert_eq!(clear(&mut bits, 14, 4), 4);
        assert_eq!(bits, [0xff, 0x3f, 0, 0xff]);
        assert_eq!(clear(&mut bits, 14, 2), 0);
    }
}
