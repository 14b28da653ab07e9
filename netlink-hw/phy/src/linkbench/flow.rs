//! Counts of frames and of times.

/// Payload of the frames that are counted, bytes.
pub const DATA_BYTES: usize = 1024;
const US_PER_S: u64 = 1_000_000;

/// Frames that came from one board to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// How many.
    pub frames: u32,
    /// Numbers that never came.
    pub missing: u32,
    /// Frames that came once more.
    pub double: u32,
    /// From the first to the last, us.
    pub span_us: u32,
}

impl Flow {
    /// Payload, kbit/s; the first frame began before the span.
    pub fn rate_kbps(&self) -> u64 {
        self.frames_per_s() * DATA_BYTES as u64 * 8 / 1000
    }

    /// Frames a second.
    pub fn frames_per_s(&self) -> u64 {
        u64::from(self.frames.saturating_sub(1)) * US_PER_S / u64::from(self.span_us.max(1))
    }
}

/// A flow as it comes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coming {
    /// The flow until now.
    pub flow: Flow,
    first_ns: u64,
    expected: u32,
}

impl Coming {
    /// Frame `number` has come.
    pub fn take(&mut self, number: u32, now_ns: u64) {
        if number < self.expected {
            self.flow.double += 1;
            return;
        }
        if self.flow.frames == 0 {
            self.first_ns = now_ns;
        }
        self.flow.missing += number - self.expected;
        self.flow.frames += 1;
        self.flow.span_us = ((now_ns - self.first_ns) / 1000) as u32;
        self.expected = number.saturating_add(1);
    }
}

/// Round trips, us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trips {
    /// How many.
    pub count: u32,
    /// The shortest.
    pub least_us: u32,
    /// The longest.
    pub most_us: u32,
    sum_us: u32,
}

impl Trips {
    /// One more.
    pub fn add(&mut self, us: u32) {
        self.least_us = if self.count == 0 { us } else { us.min(self.least_us) };
        self.most_us = us.max(self.most_us);
        self.sum_us = self.sum_us.saturating_add(us);
        self.count += 1;
    }

    /// On average, us.
    pub fn mean_us(&self) -> u32 {
        self.sum_us / self.count.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds: linkbench-losses.
    #[test]
    fn linkbench_flow_counts_frames_and_gaps() {
        let mut coming = Coming::default();
        for (number, now_ns) in [(0, 5_000_000), (1, 5_500_000), (1, 5_600_000), (4, 7_000_000)] {
            coming.take(number, now_ns);
        }
        assert_eq!(coming.flow, Flow { frames: 3, missing: 2, double: 1, span_us: 2_000 });
        assert_eq!((coming.flow.frames_per_s(), coming.flow.rate_kbps()), (1_000, 8_192));
    }
}
