//! The generation of a process that serves one thing after another (an open file, a pipe): what a handle to it
//! carries, so that one from before is known.
//!
//! Invariant: no generation of a process is as one before, also of an earlier start of its board, until 2^24 things
//! or 256 starts have passed. 0 is none.

/// Bits that count within one start of the board; the rest is the start's number.
const BITS: u32 = 24;
const WITHIN: u32 = (1 << BITS) - 1;

/// Counts the generations of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generation(u32);

impl Generation {
    /// Before the first generation after start `boot` of the board.
    pub const fn before_first(boot: u8) -> Generation {
        Generation((boot as u32) << BITS)
    }
    /// The next one begins.
    pub fn next(&mut self) {
        self.0 = self.0 & !WITHIN | (self.0.wrapping_add(1) & WITHIN).max(1);
    }
    /// As a handle carries it.
    pub fn number(self) -> u32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Generation;

    #[test]
    fn generation_differs_between_boots() {
        let (mut first, mut second) = (Generation::before_first(0), Generation::before_first(255));
        first.next();
        second.next();
        assert_eq!((first.number(), second.number()), (1, 0xff00_0001));
        for _ in 0..(1 << 24) - 2 {
            second.next();
        }
        assert_eq!(second.number(), 0xffff_ffff);
        second.next();
        assert_eq!(second.number(), 0xff00_0001, "never 0, never another start's");
    }
}
