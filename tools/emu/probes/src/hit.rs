//! That a probe was reached, as bytes from the plugin to the coordinator.
//!
//! Time in ns (8 bytes, little-endian), the probe's place among the notes (2), the core (1), how many bytes of operands
//! follow (1), and the operands in their sizes.

/// Most bytes of a probe's operands.
pub const OPERAND_BYTES_MAX: usize = 24;
/// Bytes before the operands.
const HEAD_BYTES: usize = 12;

/// A probe was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// When, ns.
    pub time_ns: u64,
    /// Which: its place among the notes.
    pub probe: u16,
    /// By which of the board's cores.
    pub core: u8,
    length: u8,
    operands: [u8; OPERAND_BYTES_MAX],
}

impl Hit {
    /// Of `operands`, at most [`OPERAND_BYTES_MAX`].
    pub fn new(time_ns: u64, (core, probe): (u8, u16), operands: &[u8]) -> Hit {
        let length = operands.len().min(OPERAND_BYTES_MAX);
        let mut all = [0; OPERAND_BYTES_MAX];
        all[..length].copy_from_slice(&operands[..length]);
        Hit { time_ns, probe, core, length: length as u8, operands: all }
    }

    /// The same, `by_ns` later: board time converted to cluster time.
    pub fn later(self, by_ns: u64) -> Hit {
        Hit { time_ns: self.time_ns + by_ns, ..self }
    }

    /// The bytes of its operands.
    pub fn operands(&self) -> &[u8] {
        &self.operands[..usize::from(self.length)]
    }
}

/// Writes one behind `bytes`.
pub fn push(bytes: &mut Vec<u8>, hit: &Hit) {
    bytes.extend_from_slice(&hit.time_ns.to_le_bytes());
    bytes.extend_from_slice(&hit.probe.to_le_bytes());
    bytes.extend([hit.core, hit.length]);
    bytes.extend_from_slice(hit.operands());
}

/// Reads them one after the other, up to the end or what is none.
pub struct Hits<'a>(pub &'a [u8]);

impl Iterator for Hits<'_> {
    type Item = Hit;
    fn next(&mut self) -> Option<Hit> {
        let (head, rest) = self.0.split_first_chunk::<HEAD_BYTES>()?;
        let (operands, rest) = rest.split_at_checked(usize::from(head[11]))?;
        self.0 = rest;
        let time_ns = u64::from_le_bytes(*head.first_chunk()?);
        Some(Hit::new(time_ns, (head[10], u16::from_le_bytes([head[8], head[9]])), operands))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probe_hit_round_trips() {
        let full = [7; OPERAND_BYTES_MAX];
        let hits =
            [Hit::new(5, (0, 1), &[]), Hit::new(u64::MAX, (0xff, 0xffff), &full), Hit::new(0, (3, 300), &[1, 2])];
        let mut bytes = Vec::new();
        hits.iter().for_each(|hit| push(&mut bytes, hit));
        assert_eq!(Hits(&bytes).collect::<Vec<_>>(), hits);
        assert_eq!(Hits(&bytes[..bytes.len() - 1]).count(), 2, "a part of one is none");
    }
}
