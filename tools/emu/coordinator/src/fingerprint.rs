//! A running hash by which two runs are compared (FNV-1a, 64 bits).

use fnv::FnvHasher;
use std::hash::Hasher;

/// The hash of what has been mixed in so far, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(FnvHasher::default().finish())
    }
}

impl Fingerprint {
    /// Mixes bytes in.
    pub fn mix(&mut self, bytes: &[u8]) {
        let mut hasher = FnvHasher::with_key(self.0);
        hasher.write(bytes);
        self.0 = hasher.finish();
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
        let mut hash = Fingerprint::default();
        hash.mix(b"foobar");
        assert_eq!(hash.value(), 0x8594_4171_f739_67e8);
    }
}
