//! How programs share a core: classes, priorities and weights, as Linux has them (sched(7)).
//!
//! Invariant: the rank decides first, whatever the vruntime; within the fair rank and the lowest one vruntime decides,
//! by weight. Not here:
//! time slices (`user.rs` of `kernel/core`).

use crate::pace::Pace;

/// The lowest nice value, which has the largest weight.
pub const NICE_MIN: i8 = -20;
/// The highest nice value.
pub const NICE_MAX: i8 = 19;
/// The highest priority of the real-time classes; the lowest is 1.
pub const PRIORITY_MAX: u8 = 99;

/// How long a fair program usually runs while its equals wait, ns ([`OsTimes`](crate::OsTimes)).
pub const SLICE_NS: u64 = 1_000_000;
/// As above, of SCHED_RR, ns.
pub const ROUND_ROBIN_NS: u64 = 10_000_000;

/// The weight of nice value 0.
pub const WEIGHT_NICE_0: u32 = 1024;
/// Weights of nice values from -20 on: each step is a factor of 1.25, so that one step is about ten per cent of the
/// core between two programs. The numbers are those of Linux (`sched_prio_to_weight`).
pub const WEIGHTS: [u32; 40] = [
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904, 3906, 3121, 2501,
    1991, 1586, 1277, 1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
];
/// The weight of the lowest class, against its equals and in work for it that others wait for.
const WEIGHT_IDLE: u32 = 3;

/// The class of a program, by Linux's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Time in proportion to its weight (SCHED_OTHER).
    Fair = 0,
    /// As `Fair`, but it does not interrupt others when it wakes (SCHED_BATCH).
    Batch = 3,
    /// Runs when no other task wants the core (SCHED_IDLE).
    Idle = 5,
    /// Before all fair ones, until it waits (SCHED_FIFO).
    Fifo = 1,
    /// As `Fifo`, but equals share the core by time slices (SCHED_RR).
    RoundRobin = 2,
}

impl Class {
    /// The class of that number.
    pub fn of(number: u8) -> Option<Class> {
        let all = [Class::Fair, Class::Batch, Class::Idle, Class::Fifo, Class::RoundRobin];
        all.into_iter().find(|class| *class as u8 == number)
    }

    /// How long a program of it runs while its equals wait, where a fair one runs `fair_ns`, ns; 0: until it waits
    /// itself.
    pub const fn slice_ns(self, fair_ns: u64) -> u64 {
        match self {
            Class::Fair | Class::Batch | Class::Idle => fair_ns,
            Class::RoundRobin => ROUND_ROBIN_NS,
            Class::Fifo => 0,
        }
    }
}

/// A program's class with what goes with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// The class.
    pub class: Class,
    /// Of `Fair` and `Batch`: how much it gives way, from [`NICE_MIN`] to [`NICE_MAX`]. Kept in other classes.
    pub nice: i8,
    /// Of `Fifo` and `RoundRobin`: from 1 to [`PRIORITY_MAX`], higher goes first. 0 in other classes.
    pub priority: u8,
    /// The program belongs to a background job, which the regulator may suspend; without effect on time slices.
    pub background: bool,
    /// How fast its I/O may go; without effect on time slices.
    pub pace: Pace,
}

/// A rank: lower goes first.
pub type Rank = u8;
/// A program with a cancelled wait: its process has to handle the cancellation, which takes no time slice.
pub const RANK_CANCELLED: Rank = 0;
/// Of the fair classes.
pub const RANK_FAIR: Rank = PRIORITY_MAX + 1;
/// Of the lowest class.
pub const RANK_IDLE: Rank = PRIORITY_MAX + 2;

/// Where a policy as a word says whether it is of a background job.
const BACKGROUND_BIT: u32 = 24;
/// And from where on how fast its I/O goes.
const PACE_BIT: u32 = BACKGROUND_BIT + 1;

/// What time is multiplied by for virtual time: 2^20 at nice 0.
pub const SCALE_SHIFT: u32 = 20;

impl Policy {
    /// Bits of the word.
    pub const BITS: u32 = PACE_BIT + Pace::BITS;
    /// Fair, nice 0.
    pub const DEFAULT: Policy =
        Policy { class: Class::Fair, nice: 0, priority: 0, background: false, pace: Pace::Free };

    /// The weight, against others of its rank.
    pub fn weight(self) -> u32 {
        let nice = self.nice.clamp(NICE_MIN, NICE_MAX);
        match self.class {
            Class::Fair | Class::Batch => WEIGHTS[(nice - NICE_MIN) as usize],
            Class::Idle => WEIGHT_IDLE,
            Class::Fifo | Class::RoundRobin => WEIGHT_NICE_0,
        }
    }

    /// What time is multiplied by for virtual time, in units of 2^-[`SCALE_SHIFT`].
    pub fn scale(self) -> u64 {
        (u64::from(WEIGHT_NICE_0) << SCALE_SHIFT) / u64::from(self.weight())
    }

    /// The rank, which decides before vruntime.
    pub fn rank(self) -> Rank {
        match self.class {
            Class::Fair | Class::Batch => RANK_FAIR,
            Class::Idle => RANK_IDLE,
            Class::Fifo | Class::RoundRobin => RANK_FAIR - self.priority.clamp(1, PRIORITY_MAX),
        }
    }

    /// As one word: Linux's number of the class, nice value + 20 in bits 8..16, priority in bits 16..24, background in
    /// bit 24, pace from bit 25 on.
    pub fn to_word(self) -> u64 {
        let nice = (self.nice.clamp(NICE_MIN, NICE_MAX) - NICE_MIN) as u64;
        self.class as u64
            | nice << 8
            | u64::from(self.priority) << 16
            | u64::from(self.background) << BACKGROUND_BIT
            | self.pace.to_word() << PACE_BIT
    }

    /// The inverse of [`Policy::to_word`]; `None` for words that no policy has.
    pub fn from_word(word: u64) -> Option<Policy> {
        let (nice, priority) = ((word >> 8) as u8, (word >> 16) as u8);
        let class = Class::of(word as u8)?;
        let real_time = matches!(class, Class::Fifo | Class::RoundRobin);
        let priority_fits = if real_time { (1..=PRIORITY_MAX).contains(&priority) } else { priority == 0 };
        let pace = Pace::from_word(word >> PACE_BIT)?;
        let known = usize::from(nice) < WEIGHTS.len() && priority_fits;
        let background = word >> BACKGROUND_BIT & 1 != 0;
        known.then(|| Policy { class, nice: nice as i8 + NICE_MIN, priority, background, pace })
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, NICE_MAX, NICE_MIN, Policy};

    #[test]
    fn policy_words_roundtrip() {
        for class in [Class::Fair, Class::Batch, Class::Idle, Class::Fifo, Class::RoundRobin] {
            let real_time = matches!(class, Class::Fifo | Class::RoundRobin);
            for nice in [NICE_MIN, -1, 0, NICE_MAX] {
                for background in [false, true] {
                    let priority = if real_time { 42 } else { 0 };
                    let policy = Policy { class, nice, priority, background, ..Policy::DEFAULT };
                    assert_eq!(Policy::from_word(policy.to_word()), Some(policy));
                }
            }
        }
        for word in [0x9000, 0xff00, 4, 6, 1, 1 << 8 | 100 << 16, 40 << 8, 20 << 8 | 1 << 16, 1 << 25, u64::MAX] {
            assert_eq!(Policy::from_word(word), None, "{word:#x}");
        }
    }
}
