//! A running hash by which two runs are compared (FNV-1a, 64 bits).

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The hash of what has been mixed in so far, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    /// Of nothing.
    pub const fn new() -> Self {
        Self(BASIS)
    }

    /// Mixes bytes in.
    pub fn mix(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    }

    /// Mixes a number in.
    pub fn mix_u64(&mut self, number: u64) {
        self.mix(&number.to_le_bytes());
    }

    /// The hash.
    pub const fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprint_matches_known_values() {
        let mut hash = Fingerprint::new();
        hash.mix(b"foobar");
        assert_eq!(hash.value(), 0x8594_4171_f739_67e8);
    }
}
