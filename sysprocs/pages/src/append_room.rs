//! Room at the end of a file for appends that are under way.
//!
//! Invariant: who gives back what he has not used may come before or after those behind him; what nobody uses any more, up to the end
//! of the room, is free again. As long as no more than [`GAPS`] parts lie apart that were given back too early; of more the first ones
//! stay reserved until the file has grown over them.
//! Not here: who reserves, and whether he lives (`renga_fs`, `held.rs`).

/// Parts that are given back before what is behind them.
const GAPS: usize = 2;

/// The room of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AppendRoom {
    end: u64,
    /// From where to where; empty ones are none.
    gaps: [(u64, u64); GAPS],
}

impl AppendRoom {
    /// None.
    pub const NONE: AppendRoom = AppendRoom { end: 0, gaps: [(0, 0); GAPS] };

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
    pub fn give_back(&mut self, mut from: u64, mut to: u64) {
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
    use super::AppendRoom;

    /// Four appends of eight bytes each of which writes `used` of its own, and gives back in `order`.
    fn left(used: [u64; 4], order: [usize; 4]) -> u64 {
        let mut room = AppendRoom::NONE;
        room.extend(0, 32);
        for append in order {
            let start = append as u64 * 8;
            room.give_back(start + used[append], start + 8);
        }
        room.end()
    }

    fn orders() -> impl Iterator<Item = [usize; 4]> {
        let all = (0..256).map(|number| [number & 3, number >> 2 & 3, number >> 4 & 3, number >> 6]);
        all.filter(|order| (0..4).all(|append| order.contains(&append)))
    }

    #[test]
    fn what_is_given_back_in_any_order_is_free_again() {
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
    fn what_was_given_back_long_ago_is_nobodys() {
        let mut room = AppendRoom::NONE;
        room.extend(0, 16);
        room.give_back(4, 8);
        // The file has grown over it.
        room.extend(16, 24);
        room.give_back(16, 24);
        assert_eq!(room.end(), 16);
        room.give_back(8, 8);
        room.give_back(16, 40);
        assert_eq!(room.end(), 16, "nothing, and what is nobody's");
        room.give_back(12, 40);
        assert_eq!(room.end(), 12, "more than there is");
    }
}
