//! The calendar of the owner's board, as this board estimates it: times of what is written here are the owner's to
//! keep.
//!
//! Invariant: the estimate is behind by the time that a grant takes to come, if it is wrong; so a grant that shows a
//! later time corrects it. Older ones count less, as clocks drift. Called by: `lease_calls.rs`.

/// Of this much time one part may be drift: 122 us a second.
const DRIFT_SHARE: u64 = 8_192;

#[derive(Clone, Copy)]
pub(crate) struct OwnerClock {
    /// The owner's calendar is ahead of this board's time by so much, modulo 2^64, ns.
    ahead_ns: u64,
    /// When that was so; `None`: not in this session.
    noted_ns: Option<u64>,
}

impl OwnerClock {
    pub(crate) const UNKNOWN: OwnerClock = OwnerClock { ahead_ns: 0, noted_ns: None };

    /// The owner said at `owner_ns` what has come by `now_ns`.
    pub(crate) fn note(&mut self, owner_ns: u64, now_ns: u64) {
        let ahead_ns = owner_ns.wrapping_sub(now_ns);
        let later = self.noted_ns.is_none_or(|noted_ns| {
            let least_ns = self.ahead_ns.wrapping_sub(now_ns.saturating_sub(noted_ns) / DRIFT_SHARE);
            ahead_ns.wrapping_sub(least_ns).cast_signed() > 0
        });
        if later {
            (self.ahead_ns, self.noted_ns) = (ahead_ns, Some(now_ns));
        }
    }

    /// The owner's time when it is `now_ns` here.
    pub(crate) fn at(&self, now_ns: u64) -> u64 {
        now_ns.wrapping_add(self.ahead_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::OwnerClock;

    #[test]
    fn owner_clock_slow_grant_does_not_set_it_back() {
        let mut clock = OwnerClock::UNKNOWN;
        clock.note(1_000_000, 40);
        assert_eq!(clock.at(50), 1_000_010);
        clock.note(1_005_000, 9_040);
        assert_eq!(clock.at(9_050), 1_009_010, "that grant took 4 us longer");
        clock.note(1_020_000, 19_040);
        assert_eq!(clock.at(19_050), 1_020_010, "and this one less than the first");
        clock.note(1_001_001_960, 1_000_100_000);
        assert_eq!(clock.at(1_000_100_000), 1_001_001_960, "it is 99 us slower in a second");
    }

    #[test]
    fn owner_clock_of_rebooted_owner_may_be_behind() {
        let mut clock = OwnerClock::UNKNOWN;
        clock.note(10, 5_000);
        assert_eq!(clock.at(5_007), 17);
    }
}
