//! Space at the end of a file that appends under way have reserved.
//!
//! Invariant: appends may release unused space in any order; unused space up to the end is free again, as long as at
//! most [`GAPS`] released parts lie apart. Beyond that the first ones stay reserved until the file has grown over them.
//! Not here: who reserves (`renga_fs`, `leased_files.rs`).

/// Parts that are given back before what is behind them.
const GAPS: usize = 2;

/// The room of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AppendReservation {
    end: u64,
    /// From where to where; empty ones are none.
    gaps: [(u64, u64); GAPS],
}

impl AppendReservation {
    /// None.
    pub const NONE: AppendReservation = AppendReservation { end: 0, gaps: [(0, 0); GAPS] };

    /// Where it ends.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// It reaches to `end` from now on, in a file of `size` bytes.
    pub fn extend(&mut self, size: u64, end: u64) {
        if self.end <= size {
            // Nothing of it is under way any more.
            self.gaps = [(0, 0); GAPS];
        }
        self.end = end;
    }

    /// `from..to` is not used, of which perhaps not all was reserved.
    pub fn release(&mut self, mut from: u64, mut to: u64) {
        to = to.min(self.end);
        if from >= to {
            return;
        }
        // What is side by side is one.
        for gap in &mut self.gaps {
            if gap.1 == from || gap.0 == to {
                (from, to) = (from.min(gap.0), to.max(gap.1));
                *gap = (0, 0);
            }
        }
        if to == self.end {
            self.end = from;
        } else if let Some(first) = self.gaps.iter_mut().min_by_key(|gap| gap.1) {
            *first = (from, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AppendReservation;

    /// Four appends of eight bytes each of which writes `used` of its own, and gives back in `order`.
    fn left(used: [u64; 4], order: [usize; 4]) -> u64 {
        let mut room = AppendReservation::NONE;
        room.extend(0, 32);
        for append in order {
            let start = append as u64 * 8;
            room.release(start + used[append], start + 8);
        }
        room.end()
    }

    fn orders() -> impl Iterator<Item = [usize; 4]> {
        let all = (0..256).map(|number| [number & 3, number >> 2 & 3, number >> 4 & 3, number >> 6]);
        all.filter(|order| (0..4).all(|append| order.contains(&append)))
    }

    #[test]
    fn append_reservation_release_in_any_order_frees_all() {
        assert_eq!(orders().count(), 24);
        for order in orders() {
            assert_eq!(left([4, 0, 0, 0], order), 4, "{order:?}");
            assert_eq!(left([8, 8, 2, 0], order), 18, "{order:?}");
            assert_eq!(left([0, 0, 0, 0], order), 0, "{order:?}");
            // There is something behind what was not used.
            assert_eq!(left([4, 0, 3, 0], order), 19, "{order:?}");
        }
    }

    #[test]
    fn append_reservation_late_release_frees_nothing() {
        let mut room = AppendReservation::NONE;
        room.extend(0, 16);
        room.release(4, 8);
        // The file has grown over it.
        room.extend(16, 24);
        room.release(16, 24);
        assert_eq!(room.end(), 16);
        room.release(8, 8);
        room.release(16, 40);
        assert_eq!(room.end(), 16, "nothing, and an unowned range");
        room.release(12, 40);
        assert_eq!(room.end(), 12, "more than there is");
    }
}
