//! How fast a program's I/O goes: the one setting of its control, which is kept in its policy.
//!
//! Invariant: every value is within its bounds, so that a factor is never below 1 and a period never empty; as a word
//! it has [`Pace::BITS`] bits. Not here: what follows from it for each I/O (`renga_governor`).

/// Thousandths of a factor.
pub const FACTOR_ONE: u32 = 1_000;
/// The largest factor, in thousandths.
pub const FACTOR_MAX: u32 = 1_000_000;
/// The most I/Os of a period.
pub const COUNT_MAX: u32 = 9_999;
/// Periods are multiples of this, ms.
pub const PERIOD_STEP_MS: u32 = 10;
/// The longest period, ms.
pub const PERIOD_MS_MAX: u32 = 10_000;

const VALUE_BITS: u32 = 24;
const COUNT_BITS: u32 = 14;

/// How fast a program's I/O goes (paper P4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pace {
    /// As fast as it can.
    #[default]
    Free,
    /// I/O time control: each I/O takes `factor` times as long.
    Time {
        /// In thousandths, from [`FACTOR_ONE`] to [`FACTOR_MAX`].
        factor: u32,
        /// The processor is kept busy meanwhile (loop); else the program sleeps (wait).
        spins: bool,
    },
    /// I/O count control: at most this many I/Os start in each period.
    Count {
        /// From 1 to [`COUNT_MAX`].
        most: u32,
        /// A multiple of [`PERIOD_STEP_MS`], at most [`PERIOD_MS_MAX`], ms.
        period_ms: u32,
        /// A period starts with an I/O of the program (variable); otherwise all programs' periods start together
        /// (fixed).
        own_period: bool,
    },
}

impl Pace {
    /// Bits of the word.
    pub const BITS: u32 = VALUE_BITS + 3;

    /// As a word: which it is in the upper three bits; the factor, or the count with the period above it.
    pub fn to_word(self) -> u64 {
        let (kind, value) = match self {
            Pace::Free => (0, 0),
            Pace::Time { factor, spins } => (1 + u64::from(spins), factor),
            Pace::Count { most, period_ms, own_period } => {
                (3 + u64::from(own_period), most | (period_ms / PERIOD_STEP_MS) << COUNT_BITS)
            }
        };
        kind << VALUE_BITS | u64::from(value)
    }

    /// The inverse of [`Pace::to_word`]; `None` for words that no pace has.
    pub fn from_word(word: u64) -> Option<Pace> {
        let value = (word & ((1 << VALUE_BITS) - 1)) as u32;
        let count = value & ((1 << COUNT_BITS) - 1);
        let period_ms = (value >> COUNT_BITS) * PERIOD_STEP_MS;
        match word >> VALUE_BITS {
            0 if value == 0 => Some(Pace::Free),
            kind @ (1 | 2) => Pace::of_time(value, kind == 2),
            kind @ (3 | 4) => Pace::of_count(count, period_ms, kind == 4),
            _ => None,
        }
    }

    /// I/O time control, if `factor` is allowed.
    pub fn of_time(factor: u32, spins: bool) -> Option<Pace> {
        (FACTOR_ONE..=FACTOR_MAX).contains(&factor).then_some(Pace::Time { factor, spins })
    }

    /// I/O count control, if the numbers are allowed.
    pub fn of_count(most: u32, period_ms: u32, own_period: bool) -> Option<Pace> {
        let allowed = (1..=COUNT_MAX).contains(&most)
            && (PERIOD_STEP_MS..=PERIOD_MS_MAX).contains(&period_ms)
            && period_ms.is_multiple_of(PERIOD_STEP_MS);
        allowed.then_some(Pace::Count { most, period_ms, own_period })
    }
}

#[cfg(test)]
mod tests {
    use super::{COUNT_MAX, FACTOR_MAX, PERIOD_MS_MAX, Pace};

    #[test]
    fn pace_words_roundtrip() {
        let all = [
            Some(Pace::Free),
            Pace::of_time(1_000, false),
            Pace::of_time(FACTOR_MAX, true),
            Pace::of_count(1, 10, false),
            Pace::of_count(COUNT_MAX, PERIOD_MS_MAX, true),
        ];
        for pace in all {
            let word = pace.map(Pace::to_word).unwrap_or(u64::MAX);
            assert!(word < 1 << Pace::BITS);
            assert_eq!(Pace::from_word(word), pace);
        }
        let below_one = 999 | 1 << 24;
        for stray in [1, below_one, 3 << 24, 3 << 24 | 1, 5 << 24, u64::MAX] {
            assert_eq!(Pace::from_word(stray), None, "{stray:#x}");
        }
        assert_eq!(Pace::of_time(999, false), None);
        assert_eq!(Pace::of_time(FACTOR_MAX + 1, false), None);
        assert_eq!(Pace::of_count(0, 1000, false), None);
        assert_eq!(Pace::of_count(5, 15, false), None);
    }
}
