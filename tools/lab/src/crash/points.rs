//! Which events are cut at, if not all of them.

use std::ops::RangeInclusive;

/// At most `most` of the `numbers`, of which there is one at least, spread evenly, with the first and the last.
pub fn spread(numbers: RangeInclusive<u32>, most: u32) -> Vec<u32> {
    let (first, count) = (u64::from(*numbers.start()), numbers.clone().count() as u64);
    let most = u64::from(most).min(count);
    match most {
        0 | 1 => vec![first as u32],
        _ => (0..most).map(|place| (first + place * (count - 1) / (most - 1)) as u32).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn crash_points_are_all_or_spread_with_both_ends() {
        assert_eq!(spread(4..=7, 10), [4, 5, 6, 7]);
        assert_eq!(spread(1..=100, 4), [1, 34, 67, 100]);
        assert_eq!(spread(5..=9, 1), [5]);
        let many = spread(1..=1000, 300);
        assert_eq!(many.len(), 300);
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]), "none is cut twice");
    }
}
