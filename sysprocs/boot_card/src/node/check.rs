//! The checksum of the file: CRC-32C, as the link's frames have.

use core::fmt::{self, Write};
use crc::{CRC_32_ISCSI, Crc, Digest, Table};

static SUM: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISCSI);

/// The checksum of `bytes` without carriage returns.
pub(crate) fn of(bytes: &[u8]) -> u32 {
    let mut digest = SUM.digest();
    for part in bytes.split(|byte| *byte == b'\r') {
        digest.update(part);
    }
    digest.finalize()
}

/// Passes text on and sums it up.
pub(crate) struct Summed<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    digest: Digest<'static, u32, Table<1>>,
}

impl<'a, 'f> Summed<'a, 'f> {
    pub(crate) fn new(out: &'a mut fmt::Formatter<'f>) -> Self {
        Summed { out, digest: SUM.digest() }
    }

    /// The sum until now.
    pub(crate) fn sum(self) -> u32 {
        self.digest.finalize()
    }
}

impl Write for Summed<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.digest.update(text.as_bytes());
        self.out.write_str(text)
    }
}
